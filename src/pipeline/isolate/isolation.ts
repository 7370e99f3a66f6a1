/** Threads for steps whose engines block the calling thread: the caller stays responsive and can end them. */
import { noteConsulted } from '../../engines/consulted.ts'
import { blockingEngines } from '../../engines/index.ts'
import { IdleThreads } from '../../engines/workers/idle-threads.ts'
import type { WorkerListener, WorkerThread } from '../../engines/workers/worker-thread.ts'
import { toMediaprocError } from '../../errors.ts'
import { builtFile } from '../../root.ts'
import type { IsolatedNews, IsolatedQuestion, IsolatedResult, IsolatedTool, IsolatedWork } from './isolated-work.ts'

/** Time for an idle thread to end its programs and remove their folders, in milliseconds. */
const GRACE_MS = 300

type Thread = WorkerThread<IsolatedWork, IsolatedResult, IsolatedNews>

export interface IsolatedJob {
  /** The tool of the first step, whose engines a new thread preloads. */
  tool: IsolatedTool
  signal: AbortSignal
  onNews(news: Exclude<IsolatedNews, { type: 'program' | 'consulted' }>): void
  /** Returns the requested path. */
  onQuestion(question: IsolatedQuestion): Promise<string>
}

/** A thread pool for the jobs of a run: one thread per concurrent job, reused by later jobs. */
export class Isolation {
  readonly #idle = new IdleThreads<Thread>()
  #isClosed = false
  #preparation: Promise<void> | undefined

  /**
   * Starts a thread for the first of some tools that needs one, so that it preloads its engines; one call is enough.
   */
  prepare(tools: readonly IsolatedTool[]): Promise<void> {
    this.#preparation ??= this.#prepare(tools)
    return this.#preparation
  }

  async #prepare(tools: readonly IsolatedTool[]): Promise<void> {
    for (const tool of tools) {
      const isNeeded = (await blockingEngines(tool.engines)).length > 0
      if (isNeeded && !this.#isClosed) return this.#idle.keep(await this.#start(tool))
    }
  }

  /**
   * Runs steps on a thread. An abort ends the thread, even if it is computing, and the programs that it started.
   * @throws MediaprocError when the signal aborts; the cause of the error is a failure on this side, if there was one
   */
  async run(work: IsolatedWork, { tool, signal, onNews, onQuestion }: IsolatedJob): Promise<IsolatedResult> {
    signal.throwIfAborted()
    await this.#preparation
    const thread = this.#idle.take() ?? (await this.#start(tool))
    const programs = new Set<number>()
    let clock: NodeJS.Timeout | undefined
    const end = async (): Promise<void> => {
      await thread.close()
      if (programs.size === 0) return
      const { signalGroup } = await import('../../engines/process/group.ts')
      for (const processId of programs) signalGroup(processId, 'SIGKILL')
    }
    const stop = (): void => {
      thread.abort(toMediaprocError(signal.reason, 'CANCELED'))
      clock = setTimeout(() => void end(), GRACE_MS)
    }
    signal.addEventListener('abort', stop, { once: true })
    const listener: WorkerListener<IsolatedNews> = {
      onMessage(news) {
        if (news.type === 'consulted') noteConsulted(news.what)
        else if (news.type !== 'program') onNews(news)
        else if (news.isAlive) programs.add(news.processId)
        else programs.delete(news.processId)
      },
      async onQuestion(question) {
        // The folders of the job may already be removed, and must not be recreated.
        signal.throwIfAborted()
        return onQuestion(question as IsolatedQuestion)
      },
    }
    try {
      return await thread.ask(work, listener)
    } catch (error) {
      throw signal.aborted ? toMediaprocError(signal.reason, 'CANCELED') : error
    } finally {
      signal.removeEventListener('abort', stop)
      clearTimeout(clock)
      if (thread.isFree && !this.#isClosed) this.#idle.keep(thread)
      else await end()
    }
  }

  /** Ends idle threads; a busy one ends with its job. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#preparation
    await this.#idle.close()
  }

  /** Thread code is loaded only if it is needed. */
  async #start(tool: IsolatedTool): Promise<Thread> {
    const { openWorker } = await import('../../engines/workers/worker-thread.ts')
    const entry = builtFile('src/pipeline/isolate/isolated-thread.js')
    return openWorker(entry, { data: tool, seesEnvironment: true })
  }
}
