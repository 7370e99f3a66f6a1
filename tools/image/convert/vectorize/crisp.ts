/**
 * Enlarges drawings without soft edges, for VTracer, which follows pixel corners: curves of small images wobble. The soft
 * pixels on an edge define its position between pixels, but would become areas of their own. Each pixel of the enlarged
 * image takes the nearest of the unmixed colours around it: the edge keeps its position and becomes hard.
 */
import type { ImageFrame, Pixels } from '../../../../src/media/image/frame.ts'
import { flatOnes, pureOnes, type Rgba } from './flat.ts'
import { get } from './plane.ts'

/** Curves follow the soft edges of the image and wobble less at this multiple of its size. */
const MAX_ENLARGEMENT = 5
/** Enlargement limit, px. */
const MAX_ENLARGED_AREA = 8_000_000
/**
 * Search radius for the colours on both sides of an edge, px: edges are two or three pixels wide, with slight ringing.
 */
const REACH = 3
/** A pixel in flat colour is preferred over others that may be ringing, by this distance in RGBA; of 255. */
const RINGING = 40

function distance(one: Uint8Array, at: number, other: Uint8Array, place: number): number {
  let sum = 0
  for (let channel = 0; channel < 4; channel += 1) sum += (get(one, at + channel) - get(other, place + channel)) ** 2
  return sum
}

/**
 * Hardens the edges of an enlarged drawing, in place.
 * @param drawing the original
 * @param enlarged the same, softly enlarged `times`
 */
function makeCrisp(drawing: Rgba, enlarged: Rgba, times: number): void {
  const { width, height, data } = drawing
  const [flat, pure] = [flatOnes(drawing), pureOnes(drawing)]
  const colours = new Uint32Array(data.buffer, data.byteOffset, width * height)
  const made = new Uint32Array(enlarged.data.buffer, enlarged.data.byteOffset, enlarged.width * enlarged.height)
  for (let y = 0, at = 0; y < enlarged.height; y += 1) {
    const row = Math.min(height - 1, Math.floor(y / times))
    const [top, bottom] = [Math.max(0, row - REACH), Math.min(height - 1, row + REACH)]
    for (let x = 0; x < enlarged.width; x += 1, at += 1) {
      const column = Math.min(width - 1, Math.floor(x / times))
      let best = row * width + column
      if (!flat[best]) {
        let least = Number.POSITIVE_INFINITY
        const [left, right] = [Math.max(0, column - REACH), Math.min(width - 1, column + REACH)]
        for (let down = top; down <= bottom; down += 1)
          for (let across = left; across <= right; across += 1) {
            const place = down * width + across
            if (!pure[place]) continue
            const ringing = flat[place] ? 0 : RINGING * RINGING
            const far = distance(enlarged.data, at * 4, data, place * 4) + ringing
            if (far < least) [least, best] = [far, place]
          }
      }
      made[at] = get(colours, best)
    }
  }
}

/** An enlarged drawing with hard edges, and its multiple of the given size. */
export async function crispEnlargement(frame: ImageFrame, pixels: Pixels): Promise<{ pixels: Pixels; times: number }> {
  const room = Math.floor(Math.sqrt(MAX_ENLARGED_AREA / (frame.width * frame.height)))
  const times = Math.min(MAX_ENLARGEMENT, Math.max(1, room))
  if (times === 1) return { pixels, times }
  const size = { width: frame.width * times, height: frame.height * times }
  const large = await frame.apply((image) => image.resize({ ...size, kernel: 'cubic' }), { size })
  const made = await large.pixels({ alpha: 'add' })
  makeCrisp(pixels, made, times)
  return { pixels: made, times }
}

/** The drawing of an enlarged image at the image's own size. */
export function inSize(svg: string, { width, height }: { width: number; height: number }, times: number): string {
  if (times === 1) return svg
  return svg
    .replace(/<svg\b[^>]*>/, (root) =>
      root
        .replace(/viewBox="[^"]*"/, `viewBox="0 0 ${width} ${height}"`)
        .replace(/ width="\d+" height="\d+"/, ` width="${width}" height="${height}"`)
        .concat(`<g transform="scale(${1 / times})">`),
    )
    .replace('</svg>', '</g></svg>')
}
