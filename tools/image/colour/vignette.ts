import type { Samples, Size } from '../../../src/media/image/frame.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { color, integer, number } from '../../../src/tool/settings.ts'
import { isGrey, parseHex } from '../_shared/colour/colours.ts'

interface Fade {
  /** Centre, px. */
  x: number
  y: number
  /** Outer radii, px. */
  across: number
  down: number
  /** Start of the fade as a share of the outer radius: 0 to 1. */
  begin: number
  strength: number
}

/** Weight of the colour at every pixel of one page, from 0 to `strength`. */
function weightsOf({ width, height }: Size, { x, y, across, down, begin, strength }: Fade): Float32Array {
  const weights = new Float32Array(width * height)
  const slope = strength / (1 - begin)
  for (let row = 0; row < height; row += 1) {
    const vertical = ((row + 0.5 - y) / down) ** 2
    for (let column = 0; column < width; column += 1) {
      const horizontal = (column + 0.5 - x) / across
      const distance = Math.sqrt(horizontal * horizontal + vertical)
      const weight = (distance - begin) * slope
      weights[row * width + column] = weight < 0 ? 0 : weight > strength ? strength : weight
    }
  }
  return weights
}

/** Blends every page with a colour (0 to 255), in place; keeps alpha, so that transparent areas stay transparent. */
function blend({ data, channels }: Samples, weights: Float32Array, colour: readonly number[]): void {
  const scale = data instanceof Uint16Array ? 257 : 1
  const colours = channels - (channels % 2 === 0 ? 1 : 0)
  const count = data.length / channels
  for (let channel = 0; channel < colours; channel += 1) {
    const target = colour[channel]! * scale
    for (let pixel = 0; pixel < count; pixel += 1) {
      const at = pixel * channels + channel
      const value = data[at]!
      // Adds half a step, since typed arrays truncate.
      data[at] = value + (target - value) * weights[pixel % weights.length]! + 0.5
    }
  }
}

/** Black and white are the same in every profile. */
const ALIKE = new Set(['#000000', '#ffffff'])

export default imageTool({
  id: 'vignette',
  summary: 'Fade the image edges towards a colour',
  settings: {
    strength: number('opacity of the colour at the rim', { default: 0.5, min: 0.1, max: 1 }),
    color: color('colour of the rim', { default: '#000000' }),
    radius: integer('end of the fade, as a share of the distance from the centre to a corner', {
      default: 70,
      min: 0,
      max: 100,
      unit: '%',
    }),
    softness: integer('width of the fade, as a share of the radius', { default: 50, min: 0, max: 100, unit: '%' }),
    roundness: integer('100 is a circle, 0 an ellipse in the proportions of the image', {
      default: 100,
      min: 0,
      max: 100,
    }),
    centerX: integer('centre from the left', { default: 50, min: 0, max: 100, unit: '%' }),
    centerY: integer('centre from the top', { default: 50, min: 0, max: 100, unit: '%' }),
  },
  scalable: true,
  examples: [
    { title: 'a soft dark rim', settings: { softness: 80 } },
    {
      title: 'a white oval',
      inputs: ['portrait.jpg'],
      settings: { color: '#ffffff', strength: 1, roundness: 0, radius: 65, softness: 30 },
    },
  ],
  async transform(given, { strength, color: rim, radius, softness, roundness, centerX, centerY }) {
    let frame = ALIKE.has(rim) ? given : await given.toSrgb()
    if (frame.space === 'cmyk' || !isGrey(rim)) frame = await frame.toRgb()
    const { width, height } = frame
    const halfDiagonal = Math.hypot(width, height) / 2
    const round = roundness / 100
    // An ellipse with the image's proportions that passes through the corners, like the circle of the half-diagonal.
    const outer = (side: number): number => (radius / 100) * (round * halfDiagonal + (1 - round) * (side / Math.SQRT2))
    const [across, down] = [Math.max(outer(width), 1e-3), Math.max(outer(height), 1e-3)]
    // A fade of at least one pixel, to avoid a jagged rim.
    const fade = Math.min(1, Math.max(softness / 100, 1 / Math.max(across, down)))
    const x = (width * centerX) / 100
    const y = (height * centerY) / 100
    const weights = weightsOf(frame, { x, y, across, down, begin: 1 - fade, strength })
    const samples = await frame.samples()
    blend(samples, weights, parseHex(rim))
    return frame.withSamples(samples)
  },
})
