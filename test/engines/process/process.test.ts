import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, describe, expect, test } from 'vitest'
import { runProgram } from '../../../src/engines/process/process.ts'
import { builtFile } from '../../../src/root.ts'
import { buildProgram } from '../../helpers/program.ts'

const node = process.execPath
const what = 'tester'
const script = (code: string) => ['-e', code]

const folders: string[] = []

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mediaproc-process-'))
  folders.push(folder)
  return folder
}

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A process that has ended, or is an uncollected zombie, is not alive. */
function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0)
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${processId}/status`, 'utf8'))
  } catch {
    return false
  }
}

async function waitFor(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20))
}

describe('output', () => {
  test('returns stdout as text, stderr and the exit code', async () => {
    const result = await runProgram(node, script('console.log("grüße"); console.error("note")'), { what })
    expect(result).toEqual({ stdout: 'grüße\n', stderr: 'note\n', exitCode: 0 })
  })

  test('returns stdout as bytes', async () => {
    const { stdout } = await runProgram(node, script('process.stdout.write(Buffer.from([0, 255, 10, 13]))'), {
      what,
      stdout: 'buffer',
    })
    expect([...stdout]).toEqual([0, 255, 10, 13])
  })

  test('calls onLine for lines of both streams, also for carriage returns and a last line without a line break', async () => {
    const lines: string[] = []
    await runProgram(node, script('process.stdout.write("a\\r\\nb\\rc\\n\\nd"); process.stderr.write("e\\n")'), {
      what,
      stdout: 'ignore',
      onLine: (line, stream) => lines.push(`${stream} ${line}`),
    })
    expect(lines.filter((line) => line.startsWith('stdout'))).toEqual(['stdout a', 'stdout b', 'stdout c', 'stdout d'])
    expect(lines).toContain('stderr e')
  })

  test('stops the program when stdout exceeds the limit', async () => {
    const endless = script('const more = () => process.stdout.write("x".repeat(1000), more); more()')
    await expect(runProgram(node, endless, { what, maxOutput: 5000 })).rejects.toMatchObject({
      code: 'PROCESSING_FAILED',
      message: 'tester wrote more output than expected (over 5000 bytes)',
    })
  })

  test('keeps the end of a long stderr', async () => {
    const { stderr } = await runProgram(node, script('process.stderr.write("x".repeat(9000) + "the end")'), {
      what,
      maxOutput: 100,
    })
    expect(stderr).toBe(`${'x'.repeat(93)}the end`)
  })

  test('an error thrown in onLine ends the program and is rethrown', async () => {
    const onLine = () => {
      throw new TypeError('broken listener')
    }
    await expect(
      runProgram(node, script('console.log("x"); setInterval(() => {}, 1000)'), { what, onLine }),
    ).rejects.toMatchObject({ code: 'INTERNAL', detail: 'broken listener' })
  })
})

describe('input and environment', () => {
  const echo = script('process.stdin.pipe(process.stdout)')

  test.each([
    ['text', 'hello'],
    ['bytes', new TextEncoder().encode('hello')],
    ['a stream', Readable.from(['hel', 'lo'])],
  ])('accepts %s as standard input', async (_, input) => {
    expect((await runProgram(node, echo, { what, input })).stdout).toBe('hello')
  })

  test('standard input is closed if there is none', async () => {
    expect((await runProgram(node, echo, { what })).stdout).toBe('')
  })

  test('a program that does not read its input does not fail', async () => {
    const result = await runProgram(node, script('process.exit(0)'), { what, input: 'x'.repeat(10_000_000) })
    expect(result.exitCode).toBe(0)
  })

  test('passes on only the few variables that programs need, and those of the caller', async () => {
    process.env.MEDIAPROC_TEST_SECRET = 'hidden'
    const { stdout } = await runProgram(node, script('console.log(JSON.stringify(process.env))'), {
      what,
      environment: { GIVEN: '1' },
    })
    delete process.env.MEDIAPROC_TEST_SECRET
    const names = Object.keys(JSON.parse(stdout) as object)
    expect(names).toContain('PATH')
    expect(names).toContain('GIVEN')
    expect(names.filter((name) => !['PATH', 'HOME', 'TMPDIR', 'LANG', 'GIVEN'].includes(name))).toEqual([])
  })

  test('passes arguments unchanged, without a shell', async () => {
    const hostile = ['$(touch x)', '`id`', 'a b', "'", '"', '*', '; exit 1', '\n']
    const { stdout } = await runProgram(
      node,
      ['-e', 'console.log(JSON.stringify(process.argv.slice(1)))', ...hostile],
      { what },
    )
    expect(JSON.parse(stdout)).toEqual(hostile)
  })
})

describe('failures', () => {
  test('a non-zero exit has the end of stderr as detail', async () => {
    const failing = script('console.error("first\\nlast words"); process.exitCode = 3')
    await expect(runProgram(node, failing, { what })).rejects.toMatchObject({
      code: 'PROCESSING_FAILED',
      message: 'tester failed (exit code 3)',
      detail: 'first\nlast words',
    })
    expect((await runProgram(node, failing, { what, allowExit: [0, 3] })).exitCode).toBe(3)
  })

  test('distinguishes a program that kills itself', async () => {
    await expect(runProgram(node, script('process.kill(process.pid, "SIGKILL")'), { what })).rejects.toMatchObject({
      code: 'PROCESSING_FAILED',
      message: 'tester was ended by the system (SIGKILL)',
    })
  })

  test('refuses an argument that no program can receive', async () => {
    await expect(runProgram(node, ['-e', 'a\0b'], { what })).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
      message: 'A text with a null character cannot be given to tester',
    })
  })

  test('a missing or non-executable program is ENGINE_UNAVAILABLE', async () => {
    const notExecutable = join(temporaryFolder(), 'text')
    writeFileSync(notExecutable, 'text')
    for (const path of ['/nowhere/tester', notExecutable]) {
      await expect(runProgram(path, [], { what })).rejects.toMatchObject({
        code: 'ENGINE_UNAVAILABLE',
        message: 'tester could not be started',
      })
    }
  })
})

test('an argument list that is too long for the system is an ordinary failure', async () => {
  await expect(runProgram(node, ['-e', '0', 'x'.repeat(8_000_000)], { what })).rejects.toMatchObject({
    code: 'PROCESSING_FAILED',
    message: 'tester could not be started',
  })
})

describe('ending', { timeout: 30_000 }, () => {
  const folder = temporaryFolder()
  /** Starts a child of its own that ignores SIGTERM, as it does itself, and prints both process ids. */
  const stubborn = (file: string) =>
    script(`
      const grandchild = require('child_process').spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'], { stdio: 'inherit' })
      process.on('SIGTERM', () => {})
      require('fs').writeFileSync(${JSON.stringify(file)}, process.pid + ' ' + grandchild.pid)
      setInterval(() => {}, 1000)
    `)
  const processIds = (file: string) => readFileSync(file, 'utf8').split(' ').map(Number)

  test('an abort kills the whole group, even one that ignores SIGTERM, before it rejects', async () => {
    const file = join(folder, 'abort')
    const controller = new AbortController()
    const running = runProgram(node, stubborn(file), { what, signal: controller.signal })
    const settled = expect(running).rejects.toMatchObject({ code: 'CANCELED' })
    await waitFor(() => existsSync(file) && processIds(file).length === 2)
    const [child, grandchild] = processIds(file)
    expect(isAlive(grandchild!)).toBe(true)
    controller.abort()
    await settled
    expect(isAlive(child!)).toBe(false)
    await waitFor(() => !isAlive(grandchild!))
  })

  test('does not start if already aborted', async () => {
    const file = join(folder, 'never')
    await expect(
      runProgram(node, script(`require('fs').writeFileSync(${JSON.stringify(file)}, '')`), {
        what,
        signal: AbortSignal.abort(),
      }),
    ).rejects.toMatchObject({ code: 'CANCELED' })
    expect(existsSync(file)).toBe(false)
  })

  test('the timeout and a timeout signal are TIMEOUT', async () => {
    const forever = script('setInterval(() => {}, 1000)')
    await expect(runProgram(node, forever, { what, timeoutMs: 200 })).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: 'tester did not finish within 0.2 s and was stopped',
    })
    await expect(runProgram(node, forever, { what, signal: AbortSignal.timeout(200) })).rejects.toMatchObject({
      code: 'TIMEOUT',
    })
  })

  test('does not wait for a descendant that keeps the output open', async () => {
    const leaving = script(`
      const child = require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit', detached: true })
      child.unref()
      console.log(child.pid)
      process.exit(0)
    `)
    const { stdout, exitCode } = await runProgram(node, leaving, { what })
    expect(exitCode).toBe(0)
    process.kill(Number(stdout), 'SIGKILL')
  })

  test.each(['SIGTERM', 'SIGINT'] as const)('children end with this process on %s', async (signal) => {
    const file = join(folder, signal)
    buildProgram()
    const main = join(folder, `main-${signal}.mjs`)
    writeFileSync(
      main,
      `import { runProgram } from ${JSON.stringify(builtFile('src/engines/process/process.js').href)}
       await runProgram(process.execPath, ${JSON.stringify(stubborn(file))}, { what: 'tester' })`,
    )
    const parent = spawn(node, [main], { stdio: 'ignore' })
    const ended = new Promise<NodeJS.Signals | null>((resolve) => parent.once('exit', (_, by) => resolve(by)))
    await waitFor(() => existsSync(file) && processIds(file).length === 2)
    parent.kill(signal)
    expect(await ended).toBe(signal)
    for (const processId of processIds(file)) await waitFor(() => !isAlive(processId))
  })
})
