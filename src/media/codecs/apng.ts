import { pngChunks } from './png-chunks.ts'

/**
 * How a frame's region is treated before the next frame: kept, cleared, or restored to the previous content (APNG,
 * fcTL).
 */
export const DISPOSE = { none: 0, background: 1, previous: 2 } as const
/** Whether a frame replaces the content of its region, or is blended over it. */
export const BLEND = { source: 0, over: 1 } as const

/** One frame of an animated PNG: its region on the canvas and its encoded pixels. */
export interface ApngFrame {
  left: number
  top: number
  width: number
  height: number
  /** Display duration in milliseconds. */
  delay: number
  dispose: number
  blend: number
  /** The content of IDAT chunks, or of fdAT chunks without the sequence number. */
  data: Buffer[]
}

export interface ApngLayout {
  width: number
  height: number
  /** Number of plays; 0 = forever. */
  loop: number
  frames: ApngFrame[]
  /** The header chunk, and the chunks that define the meaning of pixels, including palette and transparency. */
  header: Buffer
  meaning: Buffer[]
  /** Whether pixels of the canvas may be transparent. */
  mayBeClear: boolean
}

const FRAME_CONTROL_BYTES = 26
const MEANING = new Set(['PLTE', 'tRNS', 'iCCP', 'sRGB', 'gAMA', 'cHRM', 'cICP', 'sBIT'])

function readControl(chunk: Buffer): ApngFrame {
  const [width, height, left, top] = [4, 8, 12, 16].map((at) => chunk.readUInt32BE(at)) as never as number[]
  // A denominator of 0 means 100.
  const delay = (chunk.readUInt16BE(20) * 1000) / (chunk.readUInt16BE(22) || 100)
  const [dispose, blend] = [chunk[24]!, chunk[25]!]
  return { left: left!, top: top!, width: width!, height: height!, delay: Math.round(delay), dispose, blend, data: [] }
}

/**
 * The frames of an animated PNG, not decoded; for a truncated file, the frames whose chunks are complete. A default
 * image that is not part of the animation is not included. Undefined if there are no frames.
 */
export function apngLayout(png: Buffer): ApngLayout | undefined {
  const frames: ApngFrame[] = []
  const meaning: Buffer[] = []
  let header: Buffer | undefined
  let loop = 0
  for (const { type, at, length } of pngChunks(png)) {
    if (at + 12 + length > png.length) break
    const data = png.subarray(at + 8, at + 8 + length)
    if (type === 'IHDR' && length === 13) header = data
    else if (type === 'acTL' && length === 8) loop = data.readUInt32BE(4)
    else if (type === 'fcTL' && length === FRAME_CONTROL_BYTES) frames.push(readControl(data))
    else if (type === 'IDAT') frames[0]?.data.push(data)
    else if (type === 'fdAT' && length > 4) frames.at(-1)?.data.push(data.subarray(4))
    else if (MEANING.has(type)) meaning.push(png.subarray(at, at + 12 + length))
  }
  if (!header) return undefined
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const sound = frames.filter(
    (frame) =>
      frame.data.length > 0 &&
      frame.width > 0 &&
      frame.height > 0 &&
      frame.left + frame.width <= width &&
      frame.top + frame.height <= height,
  )
  if (sound.length === 0) return undefined
  const [first] = sound
  const hasAlpha = (header[9]! & 4) !== 0 || png.includes('tRNS', 0, 'latin1')
  const mayBeClear =
    hasAlpha ||
    first!.width !== width ||
    first!.height !== height ||
    sound.some(({ dispose }) => dispose === DISPOSE.background)
  return { width, height, loop, frames: sound, header, meaning, mayBeClear }
}

/** Blends a pixel over another, straight alpha. */
function layOver(canvas: Uint8Array, at: number, pixels: Uint8Array, from: number): void {
  const above = pixels[from + 3]! / 255
  const below = (canvas[at + 3]! / 255) * (1 - above)
  const alpha = above + below
  for (let channel = 0; channel < 3; channel += 1)
    canvas[at + channel] =
      alpha === 0 ? 0 : Math.round((pixels[from + channel]! * above + canvas[at + channel]! * below) / alpha)
  canvas[at + 3] = Math.round(alpha * 255)
}

/**
 * Draws one frame onto an RGBA canvas.
 * @param pixels pixels of the frame, RGBA
 */
export function drawFrame(canvas: Uint8Array, across: number, frame: ApngFrame, pixels: Uint8Array): void {
  for (let row = 0; row < frame.height; row += 1) {
    const at = ((frame.top + row) * across + frame.left) * 4
    const from = row * frame.width * 4
    if (frame.blend === BLEND.source) canvas.set(pixels.subarray(from, from + frame.width * 4), at)
    else
      for (let byte = 0; byte < frame.width * 4; byte += 4) {
        const alpha = pixels[from + byte + 3]!
        if (alpha === 255) canvas.set(pixels.subarray(from + byte, from + byte + 4), at + byte)
        else if (alpha > 0) layOver(canvas, at + byte, pixels, from + byte)
      }
  }
}

/** Clears the region of a frame. */
export function clearFrame(canvas: Uint8Array, across: number, { left, top, width, height }: ApngFrame): void {
  for (let row = top; row < top + height; row += 1)
    canvas.fill(0, (row * across + left) * 4, (row * across + left + width) * 4)
}
