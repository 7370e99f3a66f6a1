import type { ImageFrame, Samples } from '../../../../src/media/image/frame.ts'
import type { Layer } from '../../_shared/layers/overlay.ts'

/** Blends the colour of the base and that of the layer, from 0 to 1. */
type Blend = (base: number, layer: number) => number

const hardLight: Blend = (base, layer) => (layer <= 0.5 ? 2 * base * layer : 1 - 2 * (1 - base) * (1 - layer))

function softLight(base: number, layer: number): number {
  if (layer <= 0.5) return base - (1 - 2 * layer) * base * (1 - base)
  const lighter = base <= 0.25 ? ((16 * base - 12) * base + 4) * base : Math.sqrt(base)
  return base + (2 * layer - 1) * (lighter - base)
}

/** Separable blend modes: W3C Compositing and Blending Level 1, section 10.1. */
export const BLENDS = {
  over: (_, layer) => layer,
  multiply: (base, layer) => base * layer,
  screen: (base, layer) => base + layer - base * layer,
  overlay: (base, layer) => hardLight(layer, base),
  darken: (base, layer) => Math.min(base, layer),
  lighten: (base, layer) => Math.max(base, layer),
  'hard-light': hardLight,
  'soft-light': softLight,
  difference: (base, layer) => Math.abs(base - layer),
  exclusion: (base, layer) => base + layer - 2 * base * layer,
} as const satisfies Record<string, Blend>

export type BlendName = keyof typeof BLENDS

/** Result from 0 to 1 for the samples of both; 8-bit pairs are looked up in a table. */
function lookUp(blend: Blend, white: number): (base: number, layer: number) => number {
  if (white !== 255) return (base, layer) => blend(base / white, layer / 255)
  const table = Float32Array.from({ length: 65_536 }, (_, pair) => blend((pair >> 8) / 255, (pair & 255) / 255))
  return (base, layer) => table[(base << 8) | layer]!
}

/** Blends a layer (8-bit RGBA) into every page, in place; it must be inside them. */
function blendInto(samples: Samples, layer: Layer, at: { left: number; top: number }, blend: Blend): void {
  const { data, channels, pages, width } = samples
  const white = data instanceof Uint16Array ? 65_535 : 255
  const hasAlpha = channels % 2 === 0
  const colours = hasAlpha ? channels - 1 : channels
  const mixed = lookUp(blend, white)
  for (let row = 0; row < layer.height * pages; row += 1) {
    const y = Math.floor(row / layer.height) * samples.height + at.top + (row % layer.height)
    let to = (y * width + at.left) * channels
    let from = (row % layer.height) * layer.width * 4
    for (let column = 0; column < layer.width; column += 1, to += channels, from += 4) {
      const over = layer.data[from + 3]! / 255
      if (over === 0) continue
      const below = hasAlpha ? data[to + colours]! / white : 1
      const alpha = over + below * (1 - over)
      for (let channel = 0; channel < colours; channel += 1) {
        const base = data[to + channel]!
        const source = layer.data[from + channel]!
        const colour = (1 - below) * (source / 255) + below * mixed(base, source)
        const result = (over * colour * white + (1 - over) * below * base) / alpha
        // Adds half a step, since typed arrays truncate.
        data[to + channel] = result + 0.5
      }
      if (hasAlpha) data[to + colours] = alpha * white + 0.5
    }
  }
}

/**
 * Blends a layer into every page of an image, in its own depth. libvips has these modes, but for a layer that is not
 * opaque it applies them to premultiplied colours, with results far from the standard.
 */
export async function blended(
  frame: ImageFrame,
  layer: Layer,
  at: { left: number; top: number },
  blend: BlendName,
): Promise<ImageFrame> {
  const samples = await frame.samples()
  blendInto(samples, layer, at, BLENDS[blend])
  return frame.withSamples(samples)
}
