import { checkAccepted } from '../../job/accept.ts'
import type { MediaFile } from '../../media/file.ts'
import { type DecodeOptions, decodeImage } from '../../media/image/decode/decode.ts'
import { imageError } from '../../media/image/errors.ts'
import type { ImageFrame } from '../../media/image/frame.ts'
import type { PictureInput } from '../../tool/contract.ts'
import type { PlannedStep } from '../plan/plan.ts'
import { fileOf, type Item, onlyFirstPage } from './item.ts'
import type { RunContext } from './run-context.ts'
import { handOver, imageStep } from './run-image.ts'
import { writeOpen } from './write-open.ts'

/**
 * An item as the images for a step: decoded or encoded only on demand.
 * @param onCutOff called if the file is truncated
 */
export function pictureInput(
  context: RunContext,
  step: PlannedStep,
  item: Item,
  onCutOff: () => unknown = () => {},
): PictureInput {
  const said = new Set<string>()
  const warnOnce = (sentence: string): void => {
    if (said.has(sentence)) return
    said.add(sentence)
    context.job.warn(sentence)
  }
  const warn = (sentence: string): void => {
    warnOnce(sentence)
    onCutOff()
  }
  let file: Promise<MediaFile> | undefined
  const accepted = async (): Promise<MediaFile> => {
    const own = item.picture ? await writeOpen(context, { ...item, picture: item.picture }) : await fileOf(item)
    checkAccepted(step.tool.input.accept, own, step.name)
    return own
  }
  const getFile = (): Promise<MediaFile> => {
    file ??= accepted()
    return file
  }
  const open = async (options?: DecodeOptions): Promise<ImageFrame> => {
    const wanted = options ?? imageStep(step).decode?.(step.settings)
    try {
      if (!item.picture) return await decodeImage(await getFile(), { ...wanted, warn, signal: context.job.signal })
      if (item.picture.further) warnOnce(onlyFirstPage(item.name, item.picture.further))
      const frame = await handOver(item.picture.frame, item.name, step)
      return wanted?.firstPage ? await frame.firstPage() : frame
    } catch (error) {
      throw imageError(error, item.name)
    }
  }
  return {
    name: item.name,
    open,
    file: getFile,
    async named(work) {
      try {
        const result = await work()
        context.job.signal.throwIfAborted()
        return result
      } catch (error) {
        context.job.signal.throwIfAborted()
        throw imageError(error, item.name)
      }
    },
  }
}
