import { type Runnable, runJob } from '../job/run.ts'
import type { MediaFile } from '../media/file.ts'
import type { InputItem } from './inputs.ts'
import { placeResult } from './place.ts'
import type { PlacedOutput, Placement } from './placement.ts'
import type { Plan, PlannedJob } from './plan.ts'

/** What all jobs of a run share. */
export interface JobContext {
  plan: Plan
  tool: Runnable
  settings: Record<string, unknown>
  signal: AbortSignal
  /** Seconds; the tool's own limit when absent, 0 for none. */
  timeoutS: number | undefined
  open(item: InputItem): Promise<MediaFile>
  /** The named further inputs, opened. */
  secondary(): Promise<Record<string, MediaFile>>
}

export interface JobResult {
  /** --newer found the outputs up to date. */
  skipped?: true
  outputs: PlacedOutput[]
  report?: Record<string, unknown>
  /** Printed instead of the report. */
  lines?: readonly string[]
}

/** A function that opens the named further inputs once, at the first call. */
export function openOnce(
  items: Readonly<Record<string, InputItem>>,
  open: JobContext['open'],
): () => Promise<Record<string, MediaFile>> {
  let opened: Promise<[string, MediaFile][]> | undefined
  return async () => {
    opened ??= Promise.all(
      Object.entries(items).map(async ([name, item]): Promise<[string, MediaFile]> => [name, await open(item)]),
    )
    return Object.fromEntries(await opened)
  }
}

async function skip(placement: Placement): Promise<JobResult> {
  return { skipped: true, outputs: await placement.upToDateOutputs() }
}

/** Runs one planned job: opens its inputs, runs the tool, and puts the outputs in their places. */
export async function runPlanned(
  context: JobContext,
  job: PlannedJob,
  listeners: { onProgress?: (fraction: number, phase: string) => void; onWarning: (message: string) => void },
): Promise<JobResult> {
  const { plan, tool, settings, signal, timeoutS } = context
  const refused = plan.refused.get(job.index)
  if (refused) throw refused
  const early = await plan.upToDate(job)
  if (early) return skip(early)
  const inputs: MediaFile[] = []
  for (const item of job.items) inputs.push(await context.open(item))
  const placement = plan.placement(job, inputs[0]?.name ?? tool.id)
  try {
    return await runJob(
      {
        tool,
        inputs,
        secondary: await context.secondary(),
        settings: structuredClone(settings),
        destination: await placement.stagingFolder(),
        signal,
        timeoutS,
        ...listeners,
        onOutput: (name) => placement.beforeOutput(name),
      },
      async (result, stage) => ({
        outputs: await placeResult(placement, result, stage),
        report: result.report,
        lines: result.lines,
      }),
    )
  } catch (error) {
    if (placement.upToDate !== undefined) return skip(placement)
    throw error
  }
}
