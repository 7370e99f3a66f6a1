import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import sharp from 'sharp'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { MediaprocError } from '../../src/errors.ts'
import type { Pool } from '../../src/pool/pool.ts'
import { builtFile } from '../../src/root.ts'
import { makeVideo } from '../helpers/av.ts'
import { fromSamples, photo, put } from '../helpers/picture.ts'
import {
  busyProcess,
  endlessPdf,
  isAlive,
  leftBy,
  namedFile,
  programsOf,
  testPool,
  toolTask,
  until,
} from '../helpers/pool.ts'
import { buildProgram } from '../helpers/program.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const folder = temporaryFolder()
// Inspects processes in /proc.
const isLinux = process.platform === 'linux'
const describeOnLinux = describe.skipIf(!isLinux)
const testOnLinux = test.skipIf(!isLinux)
let picture: string
let video: string
let endless: string

beforeAll(async () => {
  buildProgram()
  picture = await put(folder, 'photo.png', fromSamples(photo(40, 30)).png())
  video = await makeVideo({ seconds: 20, width: 640, height: 480 })
  endless = join(folder, 'endless.pdf')
  writeFileSync(endless, endlessPdf())
})

// Other tests use the system's folder concurrently.
const temporary = join(folder, 'temporary')

beforeEach(() => {
  mkdirSync(temporary, { recursive: true })
  vi.stubEnv('TMPDIR', temporary)
})

afterEach(() => {
  vi.unstubAllEnvs()
})

const resize = (pool: Pool) => pool.run(toolTask(folder, 'image/resize', [picture], { width: 16 }))

/** A task that would take years, in WebAssembly on the main thread of its process. */
const endlessTask = (timeoutS = 60) => toolTask(folder, 'pdf/pdf-to-image', [endless], {}, { timeoutS })

/** A task of many seconds, most of them in ffmpeg. */
const videoTask = (timeoutS = 60) => toolTask(folder, 'video/convert-video', [video], { format: 'webm' }, { timeoutS })

/** Starts a task and waits until it runs. `ended` gives its error. */
async function begin(pool: Pool, task: Parameters<Pool['run']>[0], signal?: AbortSignal) {
  let ended: Promise<unknown> | undefined
  await new Promise<void>((resolve) => {
    ended = pool.run(task, { onStart: resolve, ...(signal && { signal }) }).then(
      () => 'done',
      (error: unknown) => error,
    )
  })
  return { ended: ended!, processId: busyProcess(pool) }
}

const temporaryFolders = (): string[] => readdirSync(temporary)

describeOnLinux('a process that is killed', () => {
  test('costs one job; the next gets a new process', async () => {
    const pool = testPool()
    const task = videoTask()
    const { ended, processId } = await begin(pool, task)
    const [program] = await until(() => programsOf(processId).length > 0 && programsOf(processId))
    process.kill(processId, 'SIGKILL')
    expect(await ended).toMatchObject({
      code: 'PROCESSING_FAILED',
      message: 'The work was ended by the system',
      hint: expect.stringContaining('memory'),
    })
    const { outputs } = await resize(pool)
    expect(outputs[0]!.name).toBe('photo_resize.png')
    expect(busyOrIdle(pool)).not.toContain(processId)
    await until(() => !isAlive(program!))
    expect(leftBy(task.destination)).toEqual([])
    expect(pool.stats()).toMatchObject({ finished: 1, failed: 1, crashed: 1 })
  })

  test('costs nothing while it is idle', async () => {
    const pool = testPool()
    await resize(pool)
    const [processId] = busyOrIdle(pool)
    process.kill(processId!, 'SIGKILL')
    await until(() => !busyOrIdle(pool).includes(processId))
    expect((await resize(pool)).outputs).toHaveLength(1)
    expect(pool.stats()).toMatchObject({ finished: 2, crashed: 0 })
  })
})

const busyOrIdle = (pool: Pool): (number | undefined)[] => pool.stats().processes.map(({ processId }) => processId)

describeOnLinux('the time limit', () => {
  test('ends an endless loop in WebAssembly, at the cost of one job', async () => {
    const pool = testPool({ graceMs: 300 })
    const task = endlessTask(1)
    const failed = pool.run(task)
    const next = resize(pool)
    await expect(failed).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: 'pdf/pdf-to-image was stopped after its time limit of 1 s',
    })
    expect((await next).outputs).toHaveLength(1)
    expect(leftBy(task.destination)).toEqual([])
    expect(pool.stats()).toMatchObject({ finished: 1, failed: 1, crashed: 1 })
  })

  test('ends the programs as well, and keeps a process that responds', async () => {
    const pool = testPool()
    const task = videoTask(5)
    const { ended, processId } = await begin(pool, task)
    const [program] = await until(() => programsOf(processId).length > 0 && programsOf(processId))
    expect(await ended).toMatchObject({ code: 'TIMEOUT' })
    await until(() => !isAlive(program!))
    await resize(pool)
    expect(busyOrIdle(pool)).toEqual([processId])
    expect(leftBy(task.destination)).toEqual([])
  })

  test('leaves no program of an unresponsive process', async () => {
    const pool = testPool({ graceMs: 300 })
    const { ended, processId } = await begin(pool, videoTask(5))
    const [program] = await until(() => programsOf(processId).length > 0 && programsOf(processId))
    process.kill(processId, 'SIGSTOP')
    expect(await ended).toMatchObject({ code: 'TIMEOUT' })
    await until(() => !isAlive(program!) && !isAlive(processId))
    expect((await resize(pool)).outputs).toHaveLength(1)
  })
})

describeOnLinux('a cancel', () => {
  test('stops the job with the reason of the signal', async () => {
    const pool = testPool()
    const stop = new AbortController()
    const task = videoTask()
    const { ended, processId } = await begin(pool, task, stop.signal)
    await until(() => programsOf(processId).length > 0)
    stop.abort(new MediaprocError('CANCELED', 'Canceled by its owner'))
    expect(await ended).toMatchObject({ code: 'CANCELED', message: 'Canceled by its owner' })
    await until(() => programsOf(processId).length === 0)
    expect(leftBy(task.destination)).toEqual([])
    await resize(pool)
    expect(busyOrIdle(pool)).toEqual([processId])
  })

  test('of a pipeline reports the written outputs', async () => {
    const pool = testPool()
    const stop = new AbortController()
    const steps = [
      { toolId: 'video/trim-video', settings: { startS: 0, endS: 15, precise: true } },
      { toolId: 'video/convert-video', settings: { format: 'webm' } },
    ]
    const destination = join(folder, 'stopped')
    const inputs = [namedFile(video)]
    const { ended, processId } = await begin(
      pool,
      { id: 'stopped', kind: 'pipeline', steps, inputs, destination, timeoutS: 60, heavy: true },
      stop.signal,
    )
    await until(() => programsOf(processId).length > 0)
    stop.abort()
    const error = (await ended) as MediaprocError
    expect(error.code).toBe('CANCELED')
    // Whether steps that run as one are distinguished depends on when the cancel arrived; nothing was written in either case.
    const { completedSteps } = error.fields as { completedSteps: { size: number }[] }
    expect(completedSteps.filter(({ size }) => size > 0)).toEqual([])
    expect(leftBy(destination)).toEqual([])
  })

  test('settles with an unresponsive process, and frees its slot', async () => {
    const pool = testPool({ graceMs: 500 })
    const stop = new AbortController()
    const { ended, processId } = await begin(pool, endlessTask(), stop.signal)
    process.kill(processId, 'SIGSTOP')
    stop.abort()
    expect(await ended).toMatchObject({ code: 'CANCELED' })
    expect((await resize(pool)).outputs).toHaveLength(1)
    expect(isAlive(processId)).toBe(false)
  })
})

testOnLinux('too much memory costs one job, and says so', async () => {
  const path = join(folder, 'big.png')
  await sharp({ create: { width: 8500, height: 8500, channels: 3, background: 'red' } })
    .png()
    .toFile(path)
  const pool = testPool({ memoryMb: 250 })
  await expect(pool.run(toolTask(folder, 'image/rotate', [path], { angle: 7 }))).rejects.toMatchObject({
    code: 'PROCESSING_FAILED',
    message: 'The work was ended by the system: it took more than 250 MiB of memory',
    hint: expect.stringContaining('MAX_JOB_MEMORY_MB'),
  })
  expect((await resize(pool)).outputs).toHaveLength(1)
})

testOnLinux('so does a program that takes too much', async () => {
  const path = await makeVideo({ seconds: 10, width: 1280, height: 720 })
  const pool = testPool({ memoryMb: 250 })
  await expect(pool.run(toolTask(folder, 'video/reverse-video', [path]))).rejects.toMatchObject({
    code: 'PROCESSING_FAILED',
    message: 'The work was ended by the system: it took more than 250 MiB of memory',
  })
  expect((await resize(pool)).outputs).toHaveLength(1)
})

describeOnLinux('processes are replaced', () => {
  test('after a number of jobs', async () => {
    const pool = testPool({ recycleAfter: 2 })
    await resize(pool)
    const first = busyOrIdle(pool)
    await resize(pool)
    await resize(pool)
    expect(busyOrIdle(pool)).not.toEqual(first)
    expect(pool.stats()).toMatchObject({ finished: 3, recycled: 1, crashed: 0 })
    await until(() => !isAlive(first[0]!))
  })

  test('when they retain more than half of the memory limit', async () => {
    const usual = testPool()
    await resize(usual)
    const status = readFileSync(`/proc/${busyOrIdle(usual)[0]}/status`, 'utf8')
    const usualMb = Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) / 1024
    const pool = testPool({ memoryMb: Math.round(usualMb * 1.6) })
    await resize(pool)
    expect(pool.stats()).toMatchObject({ finished: 1, recycled: 1, crashed: 0 })
  })
})

testOnLinux('a process that cannot start is reported, and not restarted repeatedly', async () => {
  vi.stubEnv('NODE_OPTIONS', `--require=${join(folder, 'absent.cjs')}`)
  const starts: string[] = []
  const pool = testPool({ log: (message) => message === 'a process was started' && starts.push(message) })
  const task = toolTask(folder, 'image/resize', [picture], { width: 16 })
  const error = (await pool.run(task).catch((failure) => failure)) as MediaprocError
  expect([error.code, error.message]).toEqual(['INTERNAL', 'A process for jobs could not be started'])
  expect(error.detail).toContain('absent.cjs')
  vi.unstubAllEnvs()
  await resize(pool)
  expect(starts.length).toBeLessThan(5)
})

testOnLinux('no temporary folder is left', async () => {
  const pool = testPool({ size: 2, graceMs: 100 })
  const stop = new AbortController()
  const { ended } = await begin(pool, endlessTask(), stop.signal)
  await resize(pool)
  expect(temporaryFolders().length).toBe(2)
  stop.abort()
  await ended
  await pool.close()
  expect(temporaryFolders()).toEqual([])
})

testOnLinux('killing the server leaves no process of any job', async () => {
  const tasks = [endlessTask(), videoTask()]
  const script = join(folder, 'server.mjs')
  const pool = JSON.stringify(pathToFileURL(builtFile('src/pool/pool.js').pathname).href)
  writeFileSync(
    script,
    `import { createPool } from ${pool}
const pool = createPool({ size: 2, queueLimit: 5, memoryMb: 1024, recycleAfter: 100 })
let started = 0
const onStart = () => {
  started += 1
  if (started === 2) console.log(JSON.stringify(pool.stats().processes.map(({ processId }) => processId)))
}
for (const task of ${JSON.stringify(tasks)}) pool.run(task, { onStart })
`,
  )
  const server = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const line = await new Promise<string>((resolve) => server.stdout.once('data', (data) => resolve(String(data))))
  const processes = JSON.parse(line) as number[]
  const programs = await until(() => {
    const all = processes.flatMap(programsOf)
    return all.length > 0 && all
  })
  // The endless one is in its loop by then.
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(processes.map(isAlive)).toEqual([true, true])
  server.kill('SIGKILL')
  await until(() => [...processes, ...programs].every((processId) => !isAlive(processId)), 5000)
  expect(temporaryFolders()).toEqual([])
})
