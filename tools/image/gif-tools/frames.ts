import { openRawPixels } from '../../../src/engines/sharp.ts'
import { type MediaFile, stemOf } from '../../../src/media/file.ts'
import type { ImageFrame } from '../../../src/media/image/frame.ts'
import { outputName } from '../../../src/media/naming.ts'
import { mimeOf } from '../../../src/media/type.ts'
import type { Job, OutputFile, ToolResult } from '../../../src/tool/contract.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'

export interface ExtractWishes {
  extractMode: 'single' | 'range' | 'all'
  frameNumber: number
  frameStart: number
  frameEnd?: number | undefined
  extractFormat: 'png' | 'webp'
}

/** First and last frame that are asked for, counted from 0. */
function rangeOf(wishes: ExtractWishes, pages: number): [number, number] {
  const { extractMode, frameNumber, frameStart, frameEnd } = wishes
  const last = pages - 1
  const [from, to] = { single: [frameNumber, frameNumber], range: [frameStart, frameEnd ?? last], all: [0, last] }[
    extractMode
  ] as [number, number]
  if (from > last || to > last)
    throw invalidSettings(
      `Frame ${Math.max(from, to)} is asked for, but the last of the ${pages} frames is ${last}`,
      'Frames are counted from 0.',
    )
  return [from, to]
}

/** Frames as single pictures, without loss: one file, or a set named after their real index. */
export async function extractFrames(
  frame: ImageFrame,
  file: MediaFile,
  job: Job,
  wishes: ExtractWishes,
): Promise<ToolResult> {
  const { extractMode, extractFormat } = wishes
  const [from, to] = rangeOf(wishes, frame.pages)
  const { data, width, pageHeight, channels } = await frame.pixels()
  const bytes = width * pageHeight * channels
  const stem = stemOf(file.name)
  const files: OutputFile[] = []
  for (let index = from; index <= to; index += 1) {
    const page = data.subarray(index * bytes, (index + 1) * bytes)
    const name =
      extractMode === 'single'
        ? outputName(stem, `_frame${index}`, extractFormat)
        : `frame_${String(index).padStart(4, '0')}.${extractFormat}`
    const path = await job.output(name)
    const image = await openRawPixels({ data: page, width, height: pageHeight, channels })
    await (extractFormat === 'png' ? image.png() : image.webp({ lossless: true })).toFile(path)
    files.push({ path, name, mime: mimeOf(extractFormat) })
    job.progress((index - from + 1) / (to - from + 1), 'writing frames')
    job.signal.throwIfAborted()
  }
  return extractMode === 'single' ? { files } : { files, set: `${stem}_frames` }
}
