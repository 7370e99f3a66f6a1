import { type ChildProcess, fork } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { getPriority, setPriority } from 'node:os'
import type { Readable } from 'node:stream'
import { signalGroup } from '../engines/process/group.ts'
import { keepEnd, lineSplitter } from '../engines/process/output.ts'
import { builtFile } from '../root.ts'
import { childEnvironment } from './child-environment.ts'
import { LEDGER_DESCRIPTOR, Ledger } from './crash-log.ts'
import type { FromChild, ToChild } from './messages.ts'
import type { PoolOptions } from './options.ts'

/** Added to our own niceness, so that requests are answered while jobs compute. */
const NICENESS = 5
const MAX_NICENESS = 19
/** How much of the end of what it writes to standard error is kept, bytes. */
const ERROR_TEXT_BYTES = 4096
/** How long after its end the rest of its pipes is waited for, milliseconds. */
const DRAIN_MS = 200
/** How long a child that is no longer needed may take to end, milliseconds. */
const RETIRE_MS = 2000

/** How a child process ended. */
export interface Ending {
  code: number | null
  signal: NodeJS.Signals | null
  /** It ended itself because it had this much memory, in bytes. */
  memory: number | undefined
  /** The end of what it wrote to standard error. */
  errorText: string
  /** Whether it ever was ready for work. */
  wasReady: boolean
}

/** A child process of the pool as the pool sees it. */
export class Child {
  /** Jobs that it was given. */
  jobs = 0
  /** Bundles whose models its jobs used: it may have them loaded. */
  readonly bundles = new Set<string>()
  isReady = false
  /** Resolves when it takes work; false when it ended before. */
  readonly ready: Promise<boolean>
  /** Resolves when it is gone, with the programs that it started and its temporary files. Never rejects. */
  readonly ended: Promise<Ending>
  onMessage: (message: FromChild) => void = () => undefined
  readonly #process: ChildProcess
  readonly #ledger = new Ledger()

  /**
   * Starts the process.
   * @param options `memoryMb` is the most memory that it may take, in MiB; `environment` goes on top of ours
   */
  constructor({ memoryMb, warm, environment = {} }: Pick<PoolOptions, 'memoryMb' | 'warm' | 'environment'>) {
    const args = [String(process.pid), String(memoryMb), ...(warm ? ['warm'] : [])]
    const started = fork(builtFile('src/pool/worker.js'), args, {
      env: { ...childEnvironment(process.env), ...environment },
      execArgv: [`--max-old-space-size=${memoryMb}`],
      // Settings and reports arrive as they were: JSON would lose infinities and undefined values.
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
    // It could be written to as well, and would stay open for that.
    ledger.once('end', () => ledger.destroy())
    // The other end of a pipe may vanish at any time; the process's end tells all there is to know.
    for (const emitter of [ledger, started.stderr!]) emitter.on('error', () => undefined)
    const failure = new Promise<string>((resolve) => started.on('error', (error) => resolve(error.message)))
    const gone = new Promise<Pick<Ending, 'code' | 'signal'>>((resolve) => {
      started.once('exit', (code, signal) => setTimeout(resolve, DRAIN_MS, { code, signal }))
      started.once('close', (code: number | null, signal: NodeJS.Signals | null) => resolve({ code, signal }))
      // Without a process id it was never started, and there will be no exit.
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

  /** Ends it at once; its programs follow as soon as it is gone. */
  kill(): void {
    this.#process.kill('SIGKILL')
  }

  /** Lets it go in its own way. */
  async retire(): Promise<void> {
    this.send({ type: 'leave' })
    const timer = setTimeout(() => this.kill(), RETIRE_MS)
    await this.ended
    clearTimeout(timer)
  }
}

function lowerPriority(processId: number | undefined): void {
  if (processId === undefined) return
  try {
    setPriority(processId, Math.min(MAX_NICENESS, getPriority() + NICENESS))
  } catch {
    // It is gone already, or the system has no priorities: work goes on without.
  }
}
