import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runJob } from '../../src/job/run.ts'
import { type PlannedRun, runAll } from '../../src/local/planned-run.ts'
import { planToolRun } from '../../src/local/tool-run.ts'
import { findTool } from '../../src/pipeline/read/find-tool.ts'
import { temporaryFolder } from '../helpers/program.ts'

/** Bytes of heap that are in use after garbage collection. */
function usedHeap(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let times = 0; times < 3; times += 1) collect()
  return process.memoryUsage().heapUsed
}

let folder: ReturnType<typeof temporaryFolder>
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => folder.remove())

test('a finished job of a batch leaves nothing in memory', async () => {
  const [first, count] = [1000, 6000]
  const { signal } = new AbortController()
  const input = { files: 'none', min: 0, max: 0, accept: [] } as const
  const tool = { id: 'x', section: 'files', input, timeoutS: 5, run: async () => ({ files: [] }) } as const
  const run: PlannedRun = {
    name: 'files/x',
    jobs: Array.from({ length: count }, (_, index) => ({ index, items: [], given: null })),
    concurrency: 2,
    preview: async () => [],
    run: ({ index }) =>
      runJob({ tool, inputs: [], settings: {}, destination: folder.path, signal }, async () => ({
        outputs: [{ path: `picture-${index}_resize.png`, bytes: index, type: 'image/png' }],
        inputBytes: index,
        report: { index },
      })),
    close: async () => {},
  }
  let before = 0
  const listener = {
    onProgress() {},
    onEnd() {},
    onOutcome() {},
    async onResult({ index }: { index: number }) {
      if (index === first) before = usedHeap()
    },
  }
  await runAll(run, { signal }, listener)
  // An outcome takes 500 bytes, and an entry in the signal of the run 50.
  expect((usedHeap() - before) / (count - first)).toBeLessThan(30)
})

test('a planned job of a listing takes a few hundred bytes: its names, and the claim of its output', async () => {
  const found = findTool('image/resize')
  const streams = {
    stdin: () => Readable.from([]),
    stdinIsTerminal: false,
    stdout: new Writable(),
    stdoutIsTerminal: false,
  }
  const plan = (files: string) => {
    mkdirSync(join(folder.path, files))
    const count = files === 'few' ? 10 : 3000
    for (let index = 0; index < count; index += 1) writeFileSync(join(folder.path, files, `picture-${index}.png`), '')
    return planToolRun({
      ...{ found, settings: { width: 32 }, secondary: {}, signal: new AbortController().signal },
      inputs: [join(folder.path, files, '*.png')],
      options: { outputDir: join(folder.path, 'results') },
      expand: { streams },
    })
  }
  // The first one loads code.
  await (await plan('few')).close()
  const before = usedHeap()
  const run = await plan('many')
  expect(run.jobs.length).toBe(3000)
  // Objects that are copies of others took more than 1,200 bytes for each file.
  expect((usedHeap() - before) / 3000).toBeLessThan(800)
  await run.close()
})
