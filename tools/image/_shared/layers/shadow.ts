import type { ImageFrame, Size } from '../../../../src/media/image/frame.ts'
import type { StepContext } from '../../../../src/tool/image-tool.ts'
import { parseHex } from '../colour/colours.ts'
import { CLEAR, type Edges, sizeWith } from '../layout/edges.ts'
import { inColoursOf } from './ground.ts'
import type { Layer } from './overlay.ts'
import { softMask } from './soften.ts'

export interface ShadowLook {
  /** Sigma of the Gaussian, px; 0 gives a hard edge. */
  blur: number
  offsetX: number
  offsetY: number
  /** #rrggbb */
  color: string
  /** Percent. */
  opacity: number
}

/** Enlargement of the canvas for its shadow: twice the blur, shifted by the offset (catalogue: border, beautify). */
export function shadowRoom({ blur, offsetX, offsetY }: ShadowLook): Edges {
  const spread = Math.ceil(2 * blur)
  return {
    left: Math.max(0, spread - offsetX),
    top: Math.max(0, spread - offsetY),
    right: Math.max(0, spread + offsetX),
    bottom: Math.max(0, spread + offsetY),
  }
}

/** The 8-bit alpha of one page, one byte per pixel; undefined if it is fully opaque. */
async function alphaOf(frame: ImageFrame): Promise<Buffer | undefined> {
  if (!frame.hasAlpha) return undefined
  const channel = frame.space === 'grey' ? 1 : 3
  const shape = await frame.apply((image) => image.extractChannel(channel), { alpha: false, space: 'grey' })
  return (await shape.pipeline()).toColourspace('b-w').raw({ depth: 'uchar' }).toBuffer()
}

/** The silhouette at the shadow's position on the whole canvas: at least twice the blur from its edges. */
async function silhouette(frame: ImageFrame, canvas: Size, at: { left: number; top: number }): Promise<Buffer> {
  const alpha = await alphaOf(frame)
  const shape = Buffer.alloc(canvas.width * canvas.height)
  for (let row = 0; row < frame.height; row += 1) {
    const start = (row + at.top) * canvas.width + at.left
    if (alpha) alpha.copy(shape, start, row * frame.width, (row + 1) * frame.width)
    else shape.fill(255, start, start + frame.width)
  }
  return shape
}

/** A mask (8 bits) as a single-colour layer, its alpha multiplied by `opacity` (0 to 1). */
function coloured(mask: Buffer, size: Size, color: string, opacity: number): Layer {
  const data = Buffer.alloc(mask.length * 4)
  const [red, green, blue] = parseHex(color)
  const words = new Uint32Array(data.buffer, data.byteOffset, mask.length)
  // Little-endian, as on all platforms that sharp has binaries for.
  const base = (blue << 16) | (green << 8) | red
  const veils = Uint32Array.from({ length: 256 }, (_, value) => base + Math.round(value * opacity) * 2 ** 24)
  for (let pixel = 0; pixel < mask.length; pixel += 1) words[pixel] = veils[mask[pixel]!]!
  return { data, ...size }
}

/** One page on a larger, transparent canvas with its drop shadow: its alpha, shifted, blurred and coloured. */
export async function withShadow(given: ImageFrame, look: ShadowLook, context: StepContext): Promise<ImageFrame> {
  const frame = await given.settled()
  const room = shadowRoom(look)
  const size = sizeWith(frame, room)
  const at = { left: room.left + look.offsetX, top: room.top + look.offsetY }
  const mask = await softMask({ data: await silhouette(frame, size, at), ...size }, look.blur)
  const layer = coloured(mask, size, await inColoursOf(frame, look.color, context), look.opacity / 100)
  const raw = { ...size, channels: 4 as const }
  return frame.apply(
    (image) =>
      image
        .ensureAlpha()
        .extend({ ...room, background: CLEAR })
        .composite([{ input: layer.data, raw, blend: 'dest-over' }]),
    { size, alpha: true },
  )
}
