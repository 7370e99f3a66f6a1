import { MediaprocError } from '../../../../src/errors.ts'
import { stemOf } from '../../../../src/media/file.ts'
import type { ImageFrame } from '../../../../src/media/image/frame.ts'
import { outputName } from '../../../../src/media/naming.ts'
import type { Made, StepContext } from '../../../../src/tool/contract.ts'

export interface ExtractOptions {
  extractMode: 'single' | 'range' | 'all'
  frameNumber: number
  frameStart: number
  frameEnd?: number | undefined
  extractFormat: 'png' | 'webp'
}

/** First and last requested frame, counted from 0. */
function rangeOf(options: ExtractOptions, pages: number): [number, number] {
  const { extractMode, frameNumber, frameStart, frameEnd } = options
  const last = pages - 1
  const [from, to] = { single: [frameNumber, frameNumber], range: [frameStart, frameEnd ?? last], all: [0, last] }[
    extractMode
  ] as [number, number]
  if (from > last || to > last)
    throw new MediaprocError(
      'TARGET_UNREACHABLE',
      `Frame ${Math.max(from, to)} does not exist: the last of the ${pages} frames is ${last}`,
      { hint: 'Frames are counted from 0.', status: 400 },
    )
  return [from, to]
}

/** Frames as lossless single images: one file, or a set named after their actual index. */
export async function extractFrames(
  frame: ImageFrame,
  picture: { name: string },
  { progress }: StepContext,
  options: ExtractOptions,
): Promise<Made> {
  const { extractMode, extractFormat: format } = options
  const [from, to] = rangeOf(options, frame.pages)
  const { data, width, pageHeight: height, channels } = await frame.pixels()
  const bytes = width * height * channels
  const page = async (index: number): Promise<ImageFrame> => {
    const own = { width, height, channels, pageHeight: height, data: data.subarray(index * bytes, (index + 1) * bytes) }
    return (await frame.withPixels(own)).withTarget({ format, lossless: true, metadata: 'none' })
  }
  const stem = stemOf(picture.name)
  if (extractMode === 'single') return { name: outputName(stem, `_frame${from}`, format), frame: await page(from) }
  async function* pages() {
    for (let index = from; index <= to; index += 1) {
      yield { name: `frame_${String(index).padStart(4, '0')}.${format}`, frame: await page(index) }
      progress((index - from + 1) / (to - from + 1), 'writing frames')
    }
  }
  return { frames: pages(), set: `${stem}_frames` }
}
