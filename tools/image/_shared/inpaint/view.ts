import type { Samples, Size } from '../../../../src/media/image/frame.ts'
import type { Area } from '../../../../src/models/tiles.ts'

/** A method's input: interleaved values from 0 to 1 with premultiplied colours, and the missing pixels. */
export interface View extends Size {
  data: Float32Array
  channels: Samples['channels']
  /** 1 if the pixel is unknown; its values are 0. */
  holes: Uint8Array
  /** 1 if the pixel must not be copied into a hole, such as a face; absent: all can be. */
  barred?: Uint8Array
}

/** A view with its holes filled. */
export interface Answer {
  /** In the layout of the view's data. */
  data: Float32Array
  /** Sources of the hole pixels, by pixels of the view; -1 if there is none. */
  origins?: Int32Array
}

/** The largest sample value. */
export const whiteOf = ({ data }: Pick<Samples, 'data'>): number => (data instanceof Uint16Array ? 65535 : 255)

/** First source pixel of each of `count` parts of a length, and its end. */
function partsOf(length: number, count: number): Int32Array {
  return Int32Array.from({ length: count + 1 }, (_, part) => Math.floor((part * length) / count))
}

/** Areas of an image as a mask of a view. */
function barredIn(areas: readonly Area[], seen: Area, { width, height }: Size): Uint8Array {
  const mask = new Uint8Array(width * height)
  const [across, down] = [width / seen.width, height / seen.height]
  for (const { left, top, width: wide, height: high } of areas) {
    const from = Math.max(0, Math.floor((left - seen.left) * across))
    const to = Math.min(width, Math.ceil((left + wide - seen.left) * across))
    for (
      let y = Math.max(0, Math.floor((top - seen.top) * down));
      y < Math.min(height, (top + high - seen.top) * down);
      y += 1
    )
      if (from < to) mask.fill(1, y * width + from, y * width + to)
  }
  return mask
}

/**
 * A part of an image, at full size or smaller. In a smaller view every pixel is the mean of the known pixels of its
 * area, and missing if any of them is, so that nothing erased is visible.
 * @param holes of the whole image, one byte per pixel
 * @param longest side of the view, px
 * @param barred areas of the image that must not be copied
 */
export function viewOf(
  samples: Samples,
  holes: Uint8Array,
  seen: Area,
  longest: number,
  barred: readonly Area[] = [],
): View {
  const factor = Math.min(1, longest / Math.max(seen.width, seen.height))
  const width = Math.max(1, Math.round(seen.width * factor))
  const height = Math.max(1, Math.round(seen.height * factor))
  const { channels } = samples
  const hasAlpha = channels % 2 === 0
  const colours = hasAlpha ? channels - 1 : channels
  const scale = 1 / whiteOf(samples)
  const view: View = {
    ...{ width, height, channels },
    data: new Float32Array(width * height * channels),
    holes: new Uint8Array(width * height),
    ...(barred.length > 0 && { barred: barredIn(barred, seen, { width, height }) }),
  }
  const [columns, rows] = [partsOf(seen.width, width), partsOf(seen.height, height)]
  for (let y = 0, to = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, to += 1) {
      let known = 0
      let count = 0
      for (let row = seen.top + rows[y]!; row < seen.top + rows[y + 1]!; row += 1)
        for (let column = seen.left + columns[x]!; column < seen.left + columns[x + 1]!; column += 1) {
          const from = row * samples.width + column
          count += 1
          if (holes[from] === 1) continue
          known += 1
          const alpha = hasAlpha ? samples.data[from * channels + colours]! * scale : 1
          for (let colour = 0; colour < colours; colour += 1)
            view.data[to * channels + colour]! += samples.data[from * channels + colour]! * scale * alpha
          if (hasAlpha) view.data[to * channels + colours]! += alpha
        }
      const isHole = known < count
      if (isHole) view.holes[to] = 1
      for (let channel = 0; channel < channels; channel += 1)
        view.data[to * channels + channel] = isHole ? 0 : view.data[to * channels + channel]! / known
    }
  return view
}
