import type { ImageFrame } from '../../../../src/media/image/frame.ts'
import { drawText } from '../../../../src/media/image/text/text.ts'
import { checkResultSize } from '../../../../src/media/limits.ts'
import { croppedTo } from '../../_shared/layers/text-layer.ts'

export interface GifOptions {
  action: string
  width?: number | undefined
  height?: number | undefined
  percentage?: number | undefined
  colors: number
  dither: number
  effort: number
  speedFactor: number
  angle?: number | undefined
  flipH: boolean
  flipV: boolean
  text?: string | undefined
  font: string
  fontSize: number
  color: string
  strokeColor: string
  strokeWidth: number
  position: 'top' | 'center' | 'bottom'
  x?: number | undefined
  y?: number | undefined
}

/** Browsers slow down shorter delays. In milliseconds. */
const SHORTEST_DELAY = 20

/** Duration of a frame without a delay (catalogue). In milliseconds. */
const MISSING_DELAY = 100

function resize(frame: ImageFrame, { width, height, percentage }: GifOptions): Promise<ImageFrame> {
  const scale =
    percentage !== undefined
      ? percentage / 100
      : Math.min((width ?? Number.POSITIVE_INFINITY) / frame.width, (height ?? Number.POSITIVE_INFINITY) / frame.height)
  const size = {
    width: Math.max(1, Math.round(frame.width * scale)),
    height: Math.max(1, Math.round(frame.height * scale)),
  }
  checkResultSize(size.width, size.height, frame.pages)
  // On the stacked frames of an animation, the edges of every frame would mix with the next.
  return frame.apply((image) => image.resize({ ...size, fit: 'fill' }), { size, pagewise: true })
}

function faster(frame: ImageFrame, factor: number): ImageFrame {
  const delays = frame.delays.map((delay) => Math.max(SHORTEST_DELAY, Math.round((delay || MISSING_DELAY) / factor)))
  return frame.withTiming({ delays })
}

async function reverse(frame: ImageFrame): Promise<ImageFrame> {
  if (frame.pages === 1) return frame
  const pixels = await frame.pixels()
  const bytes = pixels.width * pixels.pageHeight * pixels.channels
  const pages = Array.from({ length: frame.pages }, (_, page) => pixels.data.subarray(page * bytes, (page + 1) * bytes))
  const turned = await frame.withPixels({ ...pixels, data: Buffer.concat(pages.reverse()) })
  return turned.withTiming({ delays: [...frame.delays].reverse() })
}

async function rotate(frame: ImageFrame, { angle, flipH, flipV }: GifOptions): Promise<ImageFrame> {
  const turned =
    angle === undefined
      ? frame
      : await frame.apply((image) => image.rotate(angle), {
          pagewise: true,
          ...(angle !== 180 && { size: { width: frame.height, height: frame.width } }),
        })
  if (!flipH && !flipV) return turned
  return turned.apply((image) => (flipV ? (flipH ? image.flip().flop() : image.flip()) : image.flop()), {
    pagewise: true,
  })
}

/** Distance of a caption from the edges, as a share of the image's height. */
const INSET = 0.04

async function addText(frame: ImageFrame, options: GifOptions): Promise<ImageFrame> {
  const { font, fontSize, color, strokeColor, strokeWidth, position, x, y } = options
  const edge = Math.round(frame.height * INSET)
  const drawn = await drawText({
    text: options.text!,
    font,
    size: fontSize,
    color,
    bold: true,
    maxWidth: Math.max(1, frame.width - 2 * edge - 2 * strokeWidth),
    stroke: { color: strokeColor, width: strokeWidth },
  })
  const free = frame.height - drawn.height
  const top = y ?? { top: edge, center: Math.round(free / 2), bottom: free - edge }[position]
  const left = x ?? Math.round((frame.width - drawn.width) / 2)
  const layer = await croppedTo({ ...drawn, left, top }, frame)
  if (!layer) return frame
  // A CMYK image has no layers, and a grey one no colours.
  return (await frame.toRgb()).composite([{ input: layer.png, left: layer.left, top: layer.top }])
}

/** Actions that produce a GIF. */
export async function editAnimation(frame: ImageFrame, options: GifOptions): Promise<ImageFrame> {
  switch (options.action) {
    case 'resize':
      return resize(frame, options)
    case 'optimize': {
      const { colors, dither, effort } = options
      // Pixels that differ by less than this from the previous frame count as equal (measured).
      return frame.withTarget({ gif: { colours: colors, dither, effort, interFrameMaxError: 8 } })
    }
    case 'reverse':
      return faster(await reverse(frame), options.speedFactor)
    case 'speed':
      return faster(frame, options.speedFactor)
    case 'rotate':
      return rotate(frame, options)
    default:
      return addText(frame, options)
  }
}
