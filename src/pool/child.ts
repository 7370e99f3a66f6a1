import { type ChildProcess, fork } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { getPriority, setPriority } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { signalGroup } from '../engines/process/group.ts'
import { keepEnd, lineSplitter } from '../engines/process/output.ts'
import { builtFile } from '../root.ts'
import { childEnvironment } from './child-environment.ts'
import { LEDGER_DESCRIPTOR, Ledger } from './crash-log.ts'
import type { FromChild, ToChild } from './messages.ts'
import type { PoolOptions } from './options.ts'

/** Added to the parent's niceness, so that the server stays responsive while jobs compute. */
const NICENESS = 5
const MAX_NICENESS = 19
/** Bytes kept of the end of standard error. */
const ERROR_TEXT_BYTES = 4096
/** How long to wait for the rest of the pipes after exit, in milliseconds. */
const DRAIN_MS = 200
/** How long a child that is no longer needed may take to exit, in milliseconds. */
const RETIRE_MS = 2000

/** How a child process exited. */
export interface Ending {
  code: number | null
  signal: NodeJS.Signals | null
  /** Set if it ended itself for exceeding the memory limit: its memory in bytes. */
  memory: number | undefined
  /** End of its standard error. */
  errorText: string
  /** Whether it was ever ready for jobs. */
  wasReady: boolean
}

/** The pool's handle of a child process. */
export class Child {
  /** Number of jobs it has received. */
  jobs = 0
  /** Bundles whose models its jobs used; these may still be loaded. */
  readonly bundles = new Set<string>()
  isReady = false
  /** Resolves with true when it is ready for jobs, with false when it exited first. */
  readonly ready: Promise<boolean>
  /** Resolves when it has exited and its programs and temporary files are removed. Never rejects. */
  readonly ended: Promise<Ending>
  onMessage: (message: FromChild) => void = () => undefined
  readonly #process: ChildProcess
  readonly #ledger = new Ledger()

  /**
   * Starts the process.
   * @param options `memoryMb` is its memory limit in MiB; `environment` is added to the parent's environment
   */
  constructor({ memoryMb, warm, environment = {} }: Pick<PoolOptions, 'memoryMb' | 'warm' | 'environment'>) {
    const args = [String(process.pid), String(memoryMb), ...(warm ? ['warm'] : [])]
    const started = fork(builtFile('src/pool/worker.js'), args, {
      env: { ...childEnvironment(process.env), ...environment },
      execArgv: [`--max-old-space-size=${memoryMb}`],
      // Passes settings and reports unchanged: JSON would lose infinities and undefined values.
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc', 'pipe'],
    })
    this.#process = started
    lowerPriority(started.pid)
    const errorText = keepEnd(ERROR_TEXT_BYTES)
    started.stderr!.on('data', (chunk: Buffer) => errorText.add(chunk))
    const lines = lineSplitter((line) => this.#ledger.read(line))
    const ledger = started.stdio[LEDGER_DESCRIPTOR] as Readable
    ledger.on('data', (chunk: Buffer) => lines.add(chunk))
    // The pipe is also writable, which would keep it open.
    ledger.once('end', () => ledger.destroy())
    // The other end of a pipe may close at any time; the exit event has all the information.
    for (const emitter of [ledger, started.stderr!]) emitter.on('error', () => undefined)
    const failure = new Promise<string>((resolve) => started.on('error', (error) => resolve(error.message)))
    const gone = new Promise<Pick<Ending, 'code' | 'signal'>>((resolve) => {
      started.once('exit', (code, signal) => setTimeout(resolve, DRAIN_MS, { code, signal }))
      started.once('close', (code: number | null, signal: NodeJS.Signals | null) => resolve({ code, signal }))
      // Without a process id it was never started, and no exit event follows.
      if (started.pid === undefined) void failure.then(() => resolve({ code: null, signal: null }))
    })
    this.ready = new Promise((resolve) => {
      started.on('message', (message: FromChild) => {
        if (message.type !== 'ready') return this.onMessage(message)
        this.isReady = true
        resolve(true)
      })
      void gone.then(() => resolve(false))
    })
    this.ended = gone.then(async ({ code, signal }) => {
      for (const stream of [ledger, started.stderr!]) stream.destroy()
      for (const processId of this.#ledger.programs) signalGroup(processId, 'SIGKILL')
      const { temporary } = this.#ledger
      if (temporary) await rm(temporary, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined)
      const text = errorText.bytes().toString('utf8').trim() || (started.pid === undefined ? await failure : '')
      return { code, signal, memory: this.#ledger.memory, errorText: text, wasReady: this.isReady }
    })
  }

  get processId(): number | undefined {
    return this.#process.pid
  }

  send(message: ToChild): void {
    if (this.#process.connected) this.#process.send(message, () => undefined)
  }

  /** Kills the process and its programs at once; those that it has announced once more when it has exited. */
  kill(): void {
    const { pid, exitCode, signalCode } = this.#process
    // The id of a process that has exited may belong to another one.
    const programs = exitCode === null && signalCode === null ? startedBy(pid) : []
    this.#process.kill('SIGKILL')
    for (const processId of programs) signalGroup(processId, 'SIGKILL')
  }

  /** Lets the process exit normally. */
  async retire(): Promise<void> {
    this.send({ type: 'leave' })
    const timer = setTimeout(() => this.kill(), RETIRE_MS)
    await this.ended
    clearTimeout(timer)
  }
}

/** What a process has started, on Linux: one that no longer responds may not have announced its last program. */
function startedBy(processId: number | undefined): number[] {
  try {
    const threads = `/proc/${processId}/task`
    const lists = readdirSync(threads).map((thread) => readFileSync(join(threads, thread, 'children'), 'utf8'))
    return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number))
  } catch {
    // It has exited, or this is another system.
    return []
  }
}

function lowerPriority(processId: number | undefined): void {
  if (processId === undefined) return
  try {
    setPriority(processId, Math.min(MAX_NICENESS, getPriority() + NICENESS))
  } catch {
    // The process has exited, or the system has no priorities: continue without.
  }
}
