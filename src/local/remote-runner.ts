import type { Runnable } from '../job/run.ts'
import type { FoundTool } from '../pipeline/read/find-tool.ts'
import type { runPipeline } from '../pipeline/run/run.ts'
import type { Conversion } from '../pipeline/run/run-alone.ts'

/** Runs jobs on a server; everything else of a run (names, checks, records, moving outputs) is the same as without. */
export interface RemoteRunner {
  /**
   * A tool whose jobs run on the server.
   * @param tool the same tool on this machine
   * @param conversion see `outputConversion`
   */
  tool(found: FoundTool, tool: Runnable, conversion: Conversion | undefined): Runnable
  /** As `runPipeline`. */
  pipeline: typeof runPipeline
  /** The number of jobs that are sent at the same time, unless the user names another. */
  concurrency: number
}
