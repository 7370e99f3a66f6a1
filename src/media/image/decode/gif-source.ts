import { readFile } from 'node:fs/promises'
import { type GifLayout, type GifPicture, gifLayout, unusedColour } from '../../codecs/gif-blocks.ts'
import type { Reading } from './source.ts'

/** Cleared before the next picture. */
const CLEARED = 2

type Area = Pick<GifPicture, 'left' | 'top' | 'width' | 'height'>

const covers = (one: Area, other: Area): boolean =>
  one.left <= other.left &&
  one.top <= other.top &&
  one.left + one.width >= other.left + other.width &&
  one.top + one.height >= other.top + other.height

/** The opaque pictures that leave part of the canvas uncovered, which is only visible from their positions. */
function leavingHoles({ width, height, pictures }: GifLayout): GifPicture[] {
  const canvas = { left: 0, top: 0, width, height }
  const isOpaque = pictures.every(({ isTransparent }) => !isTransparent)
  return pictures.filter((one, index) => {
    if (one.isTransparent) return false
    if (index === 0 && isOpaque && !covers(one, canvas)) return true
    const next = pictures[index + 1]
    return next !== undefined && one.disposal === CLEARED && (next.isTransparent || !covers(next, one))
  })
}

/** The control block of a picture, with `colour` as the transparent one. */
function control(gif: Buffer, { control: at }: GifPicture, colour: number): Buffer {
  const block = at === undefined ? Buffer.from([0x21, 0xf9, 4, 0, 0, 0, 0, 0]) : Buffer.from(gif.subarray(at, at + 8))
  block[3]! |= 1
  block[6] = colour
  return block
}

/**
 * A GIF of opaque pictures that do not always cover the canvas, with the uncovered area transparent, as in browsers:
 * libvips treats a GIF as opaque if no picture declares a transparent colour, and clears to the background colour.
 * These pictures are therefore given an unused colour as transparent. A truncated file is returned as is. Undefined for
 * all other files.
 * @param held the bytes of the file, if they are in memory
 */
export async function mendedGif(path: string, held?: Buffer): Promise<Reading | undefined> {
  const gif = held ?? (await readFile(path))
  const layout = gifLayout(gif)
  const parts: Buffer[] = []
  let done = 0
  for (const picture of layout ? leavingHoles(layout) : []) {
    const colour = unusedColour(gif, picture)
    if (colour === undefined) continue
    const at = picture.control ?? picture.descriptor
    parts.push(gif.subarray(done, at), control(gif, picture, colour))
    done = picture.control === undefined ? at : at + 8
  }
  if (layout?.isCutOff) return { input: Buffer.concat([...parts, gif.subarray(done)]), isCutOff: true }
  return parts.length === 0 ? undefined : { input: Buffer.concat([...parts, gif.subarray(done)]) }
}
