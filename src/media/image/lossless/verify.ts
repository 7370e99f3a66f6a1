import { openSharp } from '../../../engines/sharp.ts'
import { MediaprocError } from '../../../errors.ts'
import { printableName } from '../../file.ts'
import type { Area } from './area.ts'
import { NO_TURN, swapsSides, type Turn } from './turns.ts'

/** Decoders round the same blocks differently when they are turned; of 255, as a mean over all samples. */
const ROUNDING = 1

interface Raw {
  data: Buffer
  width: number
  height: number
  channels: number
}

async function stored(path: string): Promise<Raw> {
  const { data, info } = await (await openSharp(path)).raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height, channels: info.channels }
}

/** The offset in the source of the pixel at x and y of the result. */
function placeOf({ width, channels }: Raw, [xx, yx, xy, yy]: Turn, kept: Area) {
  const flipped = { columns: xx + xy < 0, rows: yx + yy < 0 }
  return (x: number, y: number): number => {
    // A turn is its own transpose's inverse: the source's axes from the result's.
    const [column, row] = [Math.abs(xx) * x + Math.abs(xy) * y, Math.abs(yx) * x + Math.abs(yy) * y]
    const left = kept.left + (flipped.columns ? kept.width - 1 - column : column)
    const top = kept.top + (flipped.rows ? kept.height - 1 - row : row)
    return (top * width + left) * channels
  }
}

/**
 * Decodes a file before and after its blocks were rearranged, and compares all pixels.
 * @param kept the part of the stored source that the result shows, px
 * @throws PROCESSING_FAILED when they differ by more than decoders do
 */
export async function checkSame(from: string, to: string, name: string, kept: Area, turn = NO_TURN): Promise<void> {
  const [source, result] = [await stored(from), await stored(to)]
  const [width, height] = swapsSides(turn) ? [kept.height, kept.width] : [kept.width, kept.height]
  let difference = Number.POSITIVE_INFINITY
  if (result.width === width && result.height === height && result.channels === source.channels) {
    const place = placeOf(source, turn, kept)
    let sum = 0
    for (let y = 0, at = 0; y < height; y += 1)
      for (let x = 0; x < width; x += 1) {
        const from = place(x, y)
        for (let channel = 0; channel < source.channels; channel += 1, at += 1)
          sum += Math.abs((source.data[from + channel] as number) - (result.data[at] as number))
      }
    difference = sum / result.data.length
  }
  // Pixels outside of the source make it no number.
  if (!(difference <= ROUNDING))
    throw new MediaprocError(
      'PROCESSING_FAILED',
      `The result for ${printableName(name)} has other pixels than the input`,
      {
        hint: 'Omit lossless to encode the picture.',
      },
    )
}
