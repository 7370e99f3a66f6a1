import { printableName } from '../../../../src/media/file.ts'
import type { ImageFormatId } from '../../../../src/media/image/formats.ts'
import type { ImageFrame, Pixels } from '../../../../src/media/image/frame.ts'
import type { StepContext } from '../../../../src/tool/image-tool.ts'

/** The pages of an image as separate images, in order. */
export async function* pagesOf(frame: ImageFrame): AsyncGenerator<ImageFrame> {
  if (frame.pages === 1) {
    yield frame
    return
  }
  const { data, width, pageHeight, channels } = await frame.pixels()
  const bytes = width * pageHeight * channels
  for (let page = 0; page < frame.pages; page += 1) {
    const one = data.subarray(page * bytes, (page + 1) * bytes)
    yield await frame.withPixels({ data: one, width, height: pageHeight, pageHeight, channels })
  }
}

/**
 * Applies an operation to every page of an animation separately, for work that takes more than one libvips operation. A
 * still image is passed to `operation` as it is. All pages must keep one common size; timing is kept.
 */
export async function onEachPage(
  frame: ImageFrame,
  operation: (page: ImageFrame) => Promise<ImageFrame>,
): Promise<ImageFrame> {
  if (frame.pages === 1) return operation(frame)
  const parts: Buffer[] = []
  let last: Pixels | undefined
  for await (const page of pagesOf(frame)) {
    last = await (await operation(page)).pixels()
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
