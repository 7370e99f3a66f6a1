import { checkAccepted } from '../../job/accept.ts'
import type { MediaFile } from '../../media/file.ts'
import { decodeImage } from '../../media/image/decode/decode.ts'
import type { FurtherPages } from '../../media/image/encode/encode-pages.ts'
import { fitToFormat, formatOf } from '../../media/image/encode/fit-to-format.ts'
import { imageError } from '../../media/image/errors.ts'
import type { ImageFrame } from '../../media/image/frame.ts'
import { typeById } from '../../media/type.ts'
import type { ImageStep, Transformed } from '../../tool/contract.ts'
import type { PlannedStep } from '../plan/plan.ts'
import { fileOf, type Item, type OpenPicture, withExtension } from './item.ts'
import { type RunContext, stepContext, timed } from './run-context.ts'

/** The code of a step that is known to work on images. */
export function imageStep({ tool }: PlannedStep): ImageStep {
  return (tool as { step: ImageStep }).step
}

/**
 * An open image as the next step would have read it from a file: its type must be accepted, and data that the requested
 * format does not support (alpha, further frames, CMYK) is dropped. Nothing else is lost: neither depth nor profile.
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

/** The warning for a truncated input. */
export const CUT_OFF_REPORT = { truncated: true } as const

async function start({ job }: RunContext, item: Item, step: PlannedStep): Promise<OpenPicture> {
  const { picture } = item
  if (picture) {
    const { further } = picture
    const open = async (index: number) => handOver(await further!.open(index), item.name, step)
    const frame = await handOver(picture.frame, item.name, step)
    return { ...picture, frame, ...(further && { further: { ...further, open } }) }
  }
  const file = await fileOf(item)
  checkAccepted(step.tool.input.accept, file, step.name)
  const { decode } = imageStep(step)
  const { signal } = job
  const options = { ...decode?.(step.settings), signal }
  const isDocument = file.type.id === 'tiff' && options.page === undefined && !options.firstPage
  const open = (index: number) => decodeImage(file, { ...options, page: index })
  const first = await decodeImage(file, { ...options, warn: (sentence) => job.warn(sentence) })
  const count = isDocument ? (first.origin.metadata.pages ?? 1) : 1
  return {
    frame: count > 1 ? await open(0) : first,
    ...(count > 1 && { further: { count, open } }),
    origin: file,
    reports: first.origin.isCutOff ? [() => CUT_OFF_REPORT] : [],
  }
}

/** Further pages that a step also processes, one at a time, on demand. */
function pagesThrough(
  { count, open }: FurtherPages,
  work: (frame: ImageFrame) => Promise<ImageFrame>,
  { job }: RunContext,
): FurtherPages {
  return {
    count,
    open: async (index) => {
      job.signal.throwIfAborted()
      return work(await open(index))
    },
  }
}

const outcomeOf = (made: ImageFrame | Transformed): Partial<Transformed> & Pick<Transformed, 'frame'> =>
  'frame' in made ? made : { frame: made }

/** Transforms of one image: decoded at most once, and left open. */
export async function runImageSteps(context: RunContext, steps: readonly PlannedStep[], given: Item): Promise<Item> {
  const { from, part } = context.progress
  let item = given
  for (const [index, step] of steps.entries())
    item = await timed(context, step, steps.length, async () => {
      const { transform, report } = imageStep(step)
      context.job.progress(from, 'reading')
      const before = await start(context, item, step)
      try {
        const own = await stepContext(context, step)
        const work = async (frame: ImageFrame) =>
          outcomeOf(await transform!(frame, structuredClone(step.settings), own))
        const { frame, report: done } = await work(before.frame)
        context.job.signal.throwIfAborted()
        const reporter = report && ((encoded: Parameters<typeof report>[1]) => report(frame, encoded, step.settings))
        context.job.progress(from + ((index + 0.5) / steps.length) * part, context.phaseOf(step))
        const onPage = async (page: ImageFrame) => (await work(page)).frame
        const further = before.further && { further: pagesThrough(before.further, onPage, context) }
        return {
          ...item,
          picture: {
            ...before,
            ...further,
            frame,
            reports: [...before.reports, ...(done ? [() => done] : []), ...(reporter ? [reporter] : [])],
          },
        }
      } catch (error) {
        throw imageError(error, before.origin.name)
      }
    })
  return item
}
