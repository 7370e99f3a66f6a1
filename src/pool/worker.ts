/**
 * Entry point of a child process of the pool: runs one job at a time and keeps tools and libraries loaded between jobs.
 * Its arguments are the pool's process id and the memory limit in MiB; `warm` loads the common libraries before the
 * first job.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { shareCores } from '../concurrency.ts'
import { watchGroups } from '../engines/process/group.ts'
import { MediaprocError } from '../errors.ts'
import { abandonedWork } from '../job/run.ts'
import { limitModelMemory } from '../models/memory.ts'
import { builtFile, ROOT } from '../root.ts'
import { useEnvironmentPlugins } from '../tool/plugins/from-environment.ts'
import { noteProgram, noteTemporary } from './crash-log.ts'
import { failedMessage, publicWarning } from './failure.ts'
import type { FromChild, ProgressNote, RanStep, Task, ToChild } from './messages.ts'
import { PipelineFailure, runTask } from './run-task.ts'
import { makeSharedPrograms, shareProgram } from './shared-programs.ts'
import { warmUp } from './warm-up.ts'
import type { WatchdogData } from './watchdog.ts'

const MEBIBYTE = 1024 * 1024
/** Minimum interval between progress messages of the same phase, in milliseconds. */
const PROGRESS_MS = 100
/** Environment variables for the temporary folder on the supported systems. */
const TEMPORARY_FOLDER = ['TMPDIR', 'TEMP', 'TMP']
/** How old the reported memory may be, in milliseconds. */
const RESIDENT_MS = 100
/** How long a job may take to stop after the pool has exited, in milliseconds; less than the watchdog waits. */
const LEAVE_MS = 300

const [, , parentId, memoryMb, isWarm] = process.argv as [string, string, string, string, string?]

limitModelMemory(Number(memoryMb) * MEBIBYTE)

let current: AbortController | undefined
let running: Promise<void> | undefined

let resident = { bytes: 0, at: Number.NEGATIVE_INFINITY }

/** Reading it takes as long as a fiftieth of a small job, so a job may report that of a moment ago. */
function residentBytes(): number {
  const now = performance.now()
  if (now - resident.at > RESIDENT_MS) resident = { bytes: process.memoryUsage.rss(), at: now }
  return resident.bytes
}

function send(message: FromChild): void {
  // The pool has exited and reads nothing; the closed channel ends this process.
  if (process.connected) process.send!(message, undefined, undefined, () => undefined)
}

/** Folders of the server that a job works in. */
function privateFolders(task: Task, staging: string): string[] {
  const secondary = task.kind === 'tool' ? Object.values(task.secondary ?? {}) : []
  const inputs = [...task.inputs, ...secondary].map(({ path }) => dirname(path))
  const own = ['dist', 'node_modules', 'models'].map((name) => fileURLToPath(new URL(name, ROOT)))
  const folders = [staging, task.destination, tmpdir(), ...own, ...inputs]
  return [...new Set(folders.map((folder) => folder.replace(/[/\\]+$/, '')))]
}

/** Reports progress. A light job usually ends before anyone could read it, so its messages are delayed and merged. */
class ProgressTeller {
  readonly #reportsAt: number
  #reportedAt = Number.NEGATIVE_INFINITY
  #reportedPhase: string | undefined
  #held: ProgressNote[] = []
  #timer: NodeJS.Timeout | undefined

  constructor({ heavy }: Task) {
    this.#reportsAt = performance.now() + (heavy ? 0 : PROGRESS_MS)
  }

  note(fraction: number, phase: string): void {
    const now = performance.now()
    if (phase === this.#reportedPhase && fraction < 1 && now - this.#reportedAt < PROGRESS_MS) return
    this.#reportedAt = now
    this.#reportedPhase = phase
    this.#held.push({ fraction, phase })
    if (now >= this.#reportsAt) send({ type: 'progress', progress: this.rest() })
    else this.#timer ??= setTimeout(() => send({ type: 'progress', progress: this.rest() }), this.#reportsAt - now)
  }

  /** Messages that are not sent yet. */
  rest(): ProgressNote[] {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const held = this.#held
    this.#held = []
    return held
  }
}

async function work(task: Task, staging: string): Promise<void> {
  const controller = new AbortController()
  current = controller
  const folders = (): string[] => privateFolders(task, staging)
  const progress = new ProgressTeller(task)
  const ran: RanStep[] = []
  try {
    const done = await runTask(task, {
      staging,
      signal: controller.signal,
      onProgress: (fraction, phase) => progress.note(fraction, phase),
      onWarning: (message, manner) =>
        send({ type: 'warning', message: publicWarning(message, folders()), ...(manner && { manner }) }),
      onMoreTime: (seconds) => send({ type: 'moreTime', seconds }),
      onInputLimit: (seconds) => send({ type: 'inputLimit', seconds }),
      onRan: (steps) => ran.push(...steps),
    })
    current = undefined
    send({ type: 'done', done, progress: progress.rest(), ran, residentBytes: residentBytes() })
  } catch (error) {
    current = undefined
    const [cause, fields] = error instanceof PipelineFailure ? [error.cause, error.fields] : [error]
    const end = {
      type: 'failed',
      failed: failedMessage(cause, folders(), fields),
      progress: progress.rest(),
      ran,
    } as const
    // Work that could not be stopped is still running; the next job must not share the process with it.
    const rest = abandonedWork()
    if (!rest) return send({ ...end, residentBytes: residentBytes() })
    send(end)
    await rest
    send({ type: 'idle', residentBytes: residentBytes() })
  }
}

async function leave(): Promise<void> {
  current?.abort(new MediaprocError('CANCELED'))
  const stopped = (async () => {
    await running
    await abandonedWork()
  })()
  await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, LEAVE_MS))])
  // The listeners end programs and remove folders. process.exit would wait for threads of native libraries.
  process.emit('exit', 0)
  process.kill(process.pid, 'SIGKILL')
}

// A terminal or service manager signals the whole process group; only the pool decides what happens to jobs.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

// After the signals: nothing may end this process between creating the folder and registering its removal.
const temporary = mkdtempSync(join(tmpdir(), 'mediaproc-worker-'))
noteTemporary(temporary)
for (const name of TEMPORARY_FOLDER) process.env[name] = temporary
process.on('exit', () => rmSync(temporary, { recursive: true, force: true }))
process.on('disconnect', () => void leave())
process.on('message', (message: ToChild) => {
  if (message.type === 'run') {
    const { task, staging, jobsAtOnce } = message
    // Each job has its own process.
    running = work(task, staging).finally(shareCores(jobsAtOnce, jobsAtOnce))
  } else if (message.type === 'leave') void leave()
  else current?.abort(new MediaprocError('CANCELED'))
})

const programs = makeSharedPrograms()
watchGroups((processId, isAlive) => {
  noteProgram(processId, isAlive)
  shareProgram(programs, processId, isAlive)
})
const watchdog = new Worker(builtFile('src/pool/watchdog.js'), {
  workerData: {
    parentId: Number(parentId),
    limitBytes: Number(memoryMb) * MEBIBYTE,
    programs,
    temporary,
  } satisfies WatchdogData,
})
watchdog.unref()
// A process without its watchdog must not take jobs: the error ends it.
watchdog.once('online', async () => {
  await useEnvironmentPlugins()
  send({ type: 'ready' })
  if (isWarm === 'warm') void warmUp(temporary)
})
