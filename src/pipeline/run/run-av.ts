import { audioStreams, videoStream } from '../../engines/ffmpeg/ffprobe.ts'
import { MediaprocError } from '../../errors.ts'
import { checkAccepted } from '../../job/accept.ts'
import { lastOf } from '../../lists.ts'
import { type AvPart, type AvSource, joinsRun, outputExtension } from '../../media/av/filters/graph.ts'
import { openAv } from '../../media/av/input/input.ts'
import { runAv } from '../../media/av/run.ts'
import { openMediaFile, printableName } from '../../media/file.ts'
import { mimeOf } from '../../media/type.ts'
import type { AvStep, OutputFile, StepContext } from '../../tool/contract.ts'
import type { PlannedStep } from '../plan/plan.ts'
import { handOverPart } from './av-hand-over.ts'
import { sourceAfter } from './av-source.ts'
import { limitByLength } from './av-time.ts'
import { fileOf, type Item, type Sink } from './item.ts'
import { noteWritten, type RunContext, scratchSink, stepContext, timed } from './run-context.ts'

/** Steps in one ffmpeg command. */
export interface AvRun {
  source: AvSource
  parts: readonly AvPart[]
  steps: readonly PlannedStep[]
}

/** The code of a step that is known to be video or audio. */
export function avStep({ tool }: PlannedStep): AvStep {
  return (tool as { step: AvStep }).step
}

function checkKind(source: AvSource, kind: 'video' | 'audio'): void {
  const isThere = kind === 'video' ? videoStream(source.info) !== undefined : audioStreams(source.info).length > 0
  if (isThere) return
  throw new MediaprocError('UNSUPPORTED_FILE_TYPE', `${printableName(source.name)} has no ${kind} stream any more`, {
    hint: 'A previous step removed it.',
  })
}

/**
 * Adds a step to a run, if one command gives the same result as two.
 * @returns the longer run, or undefined if the current one must be written first
 */
export async function joinStep(run: AvRun, step: PlannedStep, context: StepContext): Promise<AvRun | undefined> {
  const { kind, plan, measures } = avStep(step)
  if (run.parts.some((part) => part.endsRun)) return undefined
  const { source, hasGuessed } = sourceAfter(run.source, run.parts)
  checkKind(source, kind)
  // It must measure the result of the previous steps.
  if (run.parts.length > 0 && measures?.(step.settings, source)) return undefined
  const part = await plan!(source, structuredClone(step.settings), context)
  if (run.parts.length === 0) return { ...run, parts: [part], steps: [step] }
  const extension = outputExtension(run.source, [...run.parts, part])
  const before = run.parts.map((one) => handOverPart(run.source, one, part, extension))
  // A part whose plan depends on properties that the previous steps change must see the file they wrote.
  if (hasGuessed() || !joinsRun(run.source, before, part)) return undefined
  return { ...run, parts: [...before, part], steps: [...run.steps, step] }
}

async function write(context: RunContext, run: AvRun, item: Item, sink: Sink): Promise<OutputFile> {
  const extension = outputExtension(run.source, run.parts)
  const own = context.nameOf(item, extension)
  const path = await sink(own)
  const { from, part } = context.progress
  const planned = Math.max(0, ...run.parts.map(({ progressFrom = 0 }) => progressFrom))
  await runAv(run.source, run.parts, path, {
    signal: context.job.signal,
    warn: (message, manner) => context.job.warn(message, manner),
    onProgress: (fraction) => context.job.progress(from + (planned + fraction * (1 - planned)) * part, 'encoding'),
  })
  return { path, name: own, mime: mimeOf(extension) }
}

/** Video and audio steps on one file: as few ffmpeg commands as possible. */
export async function runAvSteps(
  context: RunContext,
  steps: readonly PlannedStep[],
  item: Item,
  sink: Sink,
): Promise<OutputFile> {
  let file = await fileOf(item)
  let run: AvRun | undefined
  const note = async ({ steps: done }: AvRun, path: string): Promise<void> => {
    for (const time of context.times) if (done.some(({ number }) => number === time.step)) time.fused = done.length
    await noteWritten(context, lastOf(done), [{ path }])
  }
  const flush = async (done: AvRun): Promise<void> => {
    const last = lastOf(done.steps)
    const { path, name } = await timed(context, last, done.steps.length, async () =>
      write(context, done, { name: file.name }, await scratchSink(context)),
    )
    await note(done, path)
    file = await openMediaFile(path, name)
    run = undefined
  }
  const begin = async (step: PlannedStep): Promise<AvRun> => {
    checkAccepted(step.tool.input.accept, file, step.name)
    context.job.progress(context.progress.from, 'reading')
    const { signal, warn } = context.job
    const source = await openAv(file, avStep(step).kind, signal, warn)
    limitByLength(context.job, [source])
    return { source, parts: [], steps: [] }
  }
  for (const step of steps) {
    const joined: AvRun | undefined = await timed(context, step, 1, async () =>
      joinStep(run ?? (await begin(step)), step, await stepContext(context, step)),
    )
    if (joined) run = joined
    else {
      await flush(run!)
      run = await timed(context, step, 1, async () =>
        joinStep(await begin(step), step, await stepContext(context, step)),
      )
    }
  }
  const last = run!
  const done = await timed(context, lastOf(last.steps), last.steps.length, () => write(context, last, item, sink))
  await note(last, done.path)
  return done
}
