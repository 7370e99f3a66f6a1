import { checkAccepted } from '../job/accept.ts'
import type { MediaFile } from '../media/file.ts'
import { decodeImage } from '../media/image/decode.ts'
import { fitToFormat, formatOf } from '../media/image/encode.ts'
import { imageError } from '../media/image/errors.ts'
import type { ImageFrame } from '../media/image/frame.ts'
import { typeById } from '../media/type.ts'
import type { ImageStep } from '../tool/contract.ts'
import { fileOf, type Item, type OpenPicture, withExtension } from './item.ts'
import type { PlannedStep } from './plan.ts'
import { type RunContext, stepContext, timed } from './run-context.ts'

/** The code of a step that is known to be one of pictures. */
export function imageStep({ tool }: PlannedStep): ImageStep {
  return (tool as { step: ImageStep }).step
}

/**
 * An open picture as the next step would have found it in a file: it must be of a type that the step takes, and what the
 * format that was asked for cannot hold (alpha, further frames, CMYK) is gone. Nothing else is lost: not depth, not profile.
 */
export async function handOver(frame: ImageFrame, name: string, step: PlannedStep): Promise<ImageFrame> {
  const format = formatOf(frame)
  const type = typeById(format.extension)
  if (type) {
    const written: MediaFile = { path: '', name: withExtension(name, format.extension), bytes: 0, type }
    checkAccepted(step.tool.input.accept, written, step.name)
  }
  const fitted = await fitToFormat(frame, format)
  return imageStep(step).decode?.(step.settings)?.firstPage ? fitted.firstPage() : fitted
}

/** What is added to the answer where the end of an input is missing. */
export const CUT_OFF_REPORT = { truncated: true } as const

async function start({ job }: RunContext, item: Item, step: PlannedStep): Promise<OpenPicture> {
  const { picture } = item
  if (picture) return { ...picture, frame: await handOver(picture.frame, item.name, step) }
  const file = await fileOf(item)
  checkAccepted(step.tool.input.accept, file, step.name)
  const { decode } = imageStep(step)
  const { signal } = job
  const warn = (sentence: string): void => job.warn(sentence)
  const frame = await decodeImage(file, { ...decode?.(step.settings), signal, warn })
  return { frame, origin: file, reports: frame.origin.isCutOff ? [() => CUT_OFF_REPORT] : [] }
}

/** Transforms of one picture: decoded at most once, and left open. */
export async function runImageSteps(context: RunContext, steps: readonly PlannedStep[], given: Item): Promise<Item> {
  const { from, part } = context.progress
  let item = given
  for (const [index, step] of steps.entries())
    item = await timed(context, step, steps.length, async () => {
      const { transform, report } = imageStep(step)
      context.job.progress(from, 'reading')
      const before = await start(context, item, step)
      try {
        const frame = await transform!(before.frame, structuredClone(step.settings), await stepContext(context, step))
        context.job.signal.throwIfAborted()
        const own = report && ((encoded: Parameters<typeof report>[1]) => report(frame, encoded, step.settings))
        context.job.progress(from + ((index + 0.5) / steps.length) * part, context.phaseOf(step))
        return { ...item, picture: { ...before, frame, reports: [...before.reports, ...(own ? [own] : [])] } }
      } catch (error) {
        throw imageError(error, before.origin.name)
      }
    })
  return item
}
