import type { Pixels } from '../../media/image/frame.ts'

/** Size of the squares in which brightness is measured, px. */
const CELL = 32

/**
 * Squares whose greys, with those of their neighbours, differ by less are blank paper: stretching would amplify noise.
 */
const LEAST_RANGE = 80

/** The minimum and maximum grey of each square. */
interface Light {
  across: number
  down: number
  dark: Float32Array
  bright: Float32Array
}

function lightOf({ data, width, height, channels }: Pixels): Light {
  const [across, down] = [Math.ceil(width / CELL), Math.ceil(height / CELL)]
  const dark = new Float32Array(across * down).fill(255)
  const bright = new Float32Array(across * down)
  for (let y = 0; y < height; y += 1)
    for (let x = 0, at = y * width * channels; x < width; x += 1, at += channels) {
      const cell = Math.floor(y / CELL) * across + Math.floor(x / CELL)
      const grey = (data[at]! + 2 * data[at + 1]! + data[at + 2]!) / 4
      if (grey < dark[cell]!) dark[cell] = grey
      if (grey > bright[cell]!) bright[cell] = grey
    }
  return { across, down, dark, bright }
}

/**
 * Each square takes the extreme of itself and its neighbours, and then their mean, so that square edges stay invisible.
 */
function spread(values: Float32Array, { across, down }: Light, pick: (one: number, other: number) => number) {
  const over = (from: Float32Array, join: (all: number[]) => number): Float32Array =>
    Float32Array.from(from, (_, at) => {
      const near: number[] = []
      for (
        let y = Math.max(0, Math.floor(at / across) - 1);
        y <= Math.min(down - 1, Math.floor(at / across) + 1);
        y += 1
      )
        for (let x = Math.max(0, (at % across) - 1); x <= Math.min(across - 1, (at % across) + 1); x += 1)
          near.push(from[y * across + x]!)
      return join(near)
    })
  const mean = (all: number[]): number => all.reduce((sum, one) => sum + one, 0) / all.length
  return over(
    over(values, (all) => all.reduce((one, other) => pick(one, other))),
    mean,
  )
}

/** Interpolated value at a pixel, between the centres of the squares. */
function sampler(values: Float32Array, { across, down }: Light): (x: number, y: number) => number {
  return (x, y) => {
    const [u, v] = [Math.min(across - 1, Math.max(0, x / CELL - 0.5)), Math.min(down - 1, Math.max(0, y / CELL - 0.5))]
    const [left, top] = [Math.floor(u), Math.floor(v)]
    const [right, below] = [Math.min(across - 1, left + 1), Math.min(down - 1, top + 1)]
    const [h, w] = [u - left, v - top]
    const upper = values[top * across + left]! * (1 - h) + values[top * across + right]! * h
    const lower = values[below * across + left]! * (1 - h) + values[below * across + right]! * h
    return upper * (1 - w) + lower * w
  }
}

/**
 * Local contrast: the darkest value around a pixel becomes black and the brightest white, which removes shadows, folds
 * and fading. A page that is black on white everywhere is unchanged.
 */
export function withLocalContrast(pixels: Pixels): Pixels {
  const { data, width, height, channels } = pixels
  const light = lightOf(pixels)
  const darkAt = sampler(spread(light.dark, light, Math.min), light)
  const brightAt = sampler(spread(light.bright, light, Math.max), light)
  const result = Buffer.from(data)
  for (let y = 0; y < height; y += 1)
    for (let x = 0, at = y * width * channels; x < width; x += 1, at += channels) {
      const [dark, bright] = [darkAt(x, y), brightAt(x, y)]
      const missing = Math.max(0, LEAST_RANGE - (bright - dark)) / 2
      const from = dark - missing
      const factor = 255 / Math.max(1, bright - dark + 2 * missing)
      for (let channel = 0; channel < 3; channel += 1)
        result[at + channel] = Math.min(255, Math.max(0, (data[at + channel]! - from) * factor + 0.5))
    }
  return { ...pixels, data: result }
}
