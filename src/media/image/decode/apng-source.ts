import { type Metadata, openSharp, type Sharp } from '../../../engines/sharp.ts'
import { type ApngFrame, type ApngLayout, apngLayout, clearFrame, DISPOSE, drawFrame } from '../../codecs/apng.ts'
import { PNG_SIGNATURE_BYTES, pngChunk } from '../../codecs/png-chunks.ts'
import { type MediaFile, printableName } from '../../file.ts'
import { checkImageSize } from '../../limits.ts'
import type { Pixels } from '../frame-state.ts'
import { openRaw, operateOnPages } from './frame-carriers.ts'
import type { DecodeOptions, Source } from './source.ts'

/** A frame as a separate PNG file. */
function pngOf(png: Buffer, { header, meaning }: ApngLayout, { width, height, data }: ApngFrame): Buffer {
  const own = Buffer.from(header)
  own.writeUInt32BE(width, 0)
  own.writeUInt32BE(height, 4)
  return Buffer.concat([
    png.subarray(0, PNG_SIGNATURE_BYTES),
    pngChunk('IHDR', own),
    ...meaning,
    pngChunk('IDAT', Buffer.concat(data)),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

/** Degrees of rotation, after mirroring, for each EXIF orientation except the normal one (EXIF 2.32, 4.6.5). */
const TURNS: Readonly<Record<number, { mirrored: boolean; degrees: number }>> = {
  2: { mirrored: true, degrees: 0 },
  3: { mirrored: false, degrees: 180 },
  4: { mirrored: true, degrees: 180 },
  5: { mirrored: true, degrees: 270 },
  6: { mirrored: false, degrees: 90 },
  7: { mirrored: true, degrees: 90 },
  8: { mirrored: false, degrees: 270 },
}

/** Applies the orientation to every page; sharp mirrors before it rotates. */
function turned(given: Pixels, pages: number, orientation: number): Promise<Pixels> {
  const { mirrored, degrees } = TURNS[orientation]!
  return operateOnPages(given, pages, (image) => image.flop(mirrored).rotate(degrees))
}

/** All frames as displayed by a viewer, stacked vertically: 8 bit, in sRGB. */
async function openFrames(
  png: Buffer,
  layout: ApngLayout,
  isCutOff: boolean,
  orientation: number | undefined,
): Promise<Sharp> {
  const { width, height, frames, mayBeClear } = layout
  const canvas = Buffer.alloc(width * height * 4)
  const channels = mayBeClear ? 4 : 3
  const pages = Buffer.alloc(width * height * channels * frames.length)
  for (const [index, frame] of frames.entries()) {
    const image = await openSharp(pngOf(png, layout, frame), isCutOff ? { failOn: 'none' } : {})
    const pixels = await image.toColourspace('srgb').ensureAlpha().raw({ depth: 'uchar' }).toBuffer()
    // Before the first frame, the canvas to restore is empty.
    const before = frame.dispose === DISPOSE.previous && index > 0 ? Buffer.from(canvas) : undefined
    drawFrame(canvas, width, frame, pixels)
    const at = index * width * height * channels
    if (mayBeClear) canvas.copy(pages, at)
    else
      for (let pixel = 0; pixel < width * height; pixel += 1)
        canvas.copy(pages, at + pixel * 3, pixel * 4, pixel * 4 + 3)
    if (before) before.copy(canvas)
    else if (frame.dispose !== DISPOSE.none) clearFrame(canvas, width, frame)
  }
  const shown: Pixels = { data: pages, width, height: height * frames.length, channels, pageHeight: height }
  const upright = orientation ? await turned(shown, frames.length, orientation) : shown
  return openRaw(upright.data, { ...upright, height: upright.pageHeight, pages: frames.length })
}

/**
 * An animated PNG, of which libvips only reads the first picture: with all frames, and delays and loop count in its
 * header.
 * @param first the metadata of the file as a still image
 */
export function withFrames(
  file: Pick<MediaFile, 'name'>,
  png: Buffer,
  first: Source,
  { keepOrientation, warn }: Pick<DecodeOptions, 'keepOrientation' | 'warn'>,
): Source {
  const layout = apngLayout(png)
  if (!layout || layout.frames.length < 2) return first
  const { width, height, frames, loop, mayBeClear } = layout
  checkImageSize(printableName(file.name), width, height, frames.length)
  if (first.metadata.depth === 'ushort')
    warn?.(`${printableName(file.name)} is an animated PNG of 16 bit a channel; its frames are read with 8`)
  const { orientation, ...header } = first.metadata
  const turn = !keepOrientation && TURNS[orientation ?? 1] ? orientation : undefined
  const size = turn && turn >= 5 ? { width: height, height: width } : { width, height }
  const metadata: Metadata = {
    ...header,
    ...size,
    ...(orientation && !turn && { orientation }),
    ...{ pages: frames.length, pageHeight: size.height, delay: frames.map(({ delay }) => delay), loop },
    ...{ hasAlpha: mayBeClear, depth: 'uchar' },
  }
  return { ...first, metadata, openPages: () => openFrames(png, layout, first.isCutOff ?? false, turn) }
}
