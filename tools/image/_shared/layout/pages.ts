import { printableName } from '../../../../src/media/file.ts'
import type { ImageFormatId } from '../../../../src/media/image/formats.ts'
import type { ImageFrame, Pixels } from '../../../../src/media/image/frame.ts'
import type { StepContext } from '../../../../src/tool/image-tool.ts'

/**
 * Applies an operation to every page of an animation separately, for work that takes more than one libvips operation. A
 * still image is passed to `operation` as it is. All pages must keep one common size; timing is kept.
 */
export async function onEachPage(
  frame: ImageFrame,
  operation: (page: ImageFrame) => Promise<ImageFrame>,
): Promise<ImageFrame> {
  if (frame.pages === 1) return operation(frame)
  const { data, width, pageHeight, channels } = await frame.pixels()
  const bytes = width * pageHeight * channels
  const parts: Buffer[] = []
  let last: Pixels | undefined
  for (let page = 0; page < frame.pages; page += 1) {
    const one = data.subarray(page * bytes, (page + 1) * bytes)
    const done = await operation(await frame.withPixels({ data: one, width, height: pageHeight, pageHeight, channels }))
    last = await done.pixels()
    parts.push(last.data)
  }
  return frame.withPixels({ ...last!, data: Buffer.concat(parts), height: last!.height * frame.pages })
}

/**
 * The first page, for uses that support only one; warns when the input has more.
 * @param format the output format, if it is the reason
 */
export async function onlyFirstPage(
  frame: ImageFrame,
  { warn }: Pick<StepContext, 'warn'>,
  format?: ImageFormatId,
): Promise<ImageFrame> {
  if (frame.pages > 1) {
    const reason = format ? `${format.toUpperCase()} supports one image, so ` : ''
    warn(`${printableName(frame.origin.name)} has ${frame.pages} frames; ${reason}only the first is used`)
  }
  return frame.firstPage()
}
