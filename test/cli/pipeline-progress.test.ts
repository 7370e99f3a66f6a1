import { PassThrough } from 'node:stream'
import { beforeEach, expect, test, vi } from 'vitest'
import { makeIo } from '../../src/cli/output/io.ts'
import { showFileProgress } from '../../src/cli/output/pipeline-progress.ts'

// The bars are not drawn on a terminal that calls itself dumb, as the one that runs the tests may do.
beforeEach(() => vi.stubEnv('TERM', 'xterm'))

/** A stream that claims to be a terminal and records the output. */
function terminal() {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 100 })
  let drawn = ''
  stream.on('data', (chunk: Buffer) => {
    drawn += chunk.toString('utf8')
  })
  const io = makeIo({ stdin: () => stream, stdout: stream, stderr: stream, stderrIsTerminal: true })
  return { io, drawn: () => drawn }
}

test('a line per running file, and one for the total', async () => {
  const { io, drawn } = terminal()
  const progress = await showFileProgress(io, ['photos/a.jpg', 'photos/b\u001b.jpg'], false, 'pipeline/x')
  progress.update(0, 0.5, 'image/resize')
  progress.update(1, 0.25, 'image/crop')
  // The lines are drawn a few times a second.
  await vi.waitFor(() => {
    expect(drawn()).toMatch(/all files +[=-]+ 37 % \| 0\/2/)
    expect(drawn()).toMatch(/a\.jpg +[=-]+ 50 % \| image\/resize/)
    expect(drawn()).toMatch(/b\\u001b\.jpg +[=-]+ 25 % \| image\/crop/)
  }, 5000)
  progress.interrupt(() => io.err('a line between\n'))
  progress.done(0)
  await vi.waitFor(() => expect(drawn()).toMatch(/a line between\n[\s\S]*62 % \| 1\/2/), 5000)
  progress.stop()
})

test('nothing without a terminal or when quiet', async () => {
  const { io, drawn } = terminal()
  for (const [one, quiet] of [
    [{ ...io, stderrIsTerminal: false }, false],
    [io, true],
  ] as const) {
    const progress = await showFileProgress(one, ['a', 'b'], quiet, 'x')
    progress.update(0, 0.5, 'image/resize')
    progress.done(0)
    progress.stop()
  }
  expect(drawn()).toBe('')
})
