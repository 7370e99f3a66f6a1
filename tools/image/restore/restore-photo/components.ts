import type { Plane } from './plane.ts'

/** Connected pixels (by sides or corners), and their shape along the axis of least inertia. */
export interface Component {
  /** Indexes into the plane. */
  pixels: number[]
  /** Extent along the axis, px. */
  length: number
  /** Extent across the axis, px. */
  breadth: number
  /** Mean thickness: area divided by length, px. */
  thickness: number
  /** A unit vector along the axis. */
  axis: { x: number; y: number }
  centre: { x: number; y: number }
}

/** Components with fewer pixels have no shape. */
const LEAST_PIXELS = 4

/** All set pixels connected to a position; they are cleared in `left`. */
function gathered({ width, height }: Plane, left: Uint8Array, first: number): number[] {
  const pixels = [first]
  left[first] = 0
  for (let index = 0; index < pixels.length; index += 1) {
    const at = pixels[index]!
    const [x, y] = [at % width, Math.floor(at / width)]
    for (let row = Math.max(0, y - 1); row <= Math.min(height - 1, y + 1); row += 1)
      for (let column = Math.max(0, x - 1); column <= Math.min(width - 1, x + 1); column += 1) {
        const next = row * width + column
        if (left[next] === 0) continue
        left[next] = 0
        pixels.push(next)
      }
  }
  return pixels
}

function shapeOf(pixels: number[], width: number): Component {
  const centre = { x: 0, y: 0 }
  for (const at of pixels) {
    centre.x += (at % width) / pixels.length
    centre.y += Math.floor(at / width) / pixels.length
  }
  let [xx, xy, yy] = [0, 0, 0]
  for (const at of pixels) {
    const [x, y] = [(at % width) - centre.x, Math.floor(at / width) - centre.y]
    xx += x * x
    xy += x * y
    yy += y * y
  }
  const angle = Math.atan2(2 * xy, xx - yy) / 2
  const axis = { x: Math.cos(angle), y: Math.sin(angle) }
  const along = { least: 0, most: 0 }
  const across = { least: 0, most: 0 }
  for (const at of pixels) {
    const [x, y] = [(at % width) - centre.x, Math.floor(at / width) - centre.y]
    const [forward, aside] = [x * axis.x + y * axis.y, y * axis.x - x * axis.y]
    along.least = Math.min(along.least, forward)
    along.most = Math.max(along.most, forward)
    across.least = Math.min(across.least, aside)
    across.most = Math.max(across.most, aside)
  }
  const length = along.most - along.least + 1
  return { pixels, length, breadth: across.most - across.least + 1, thickness: pixels.length / length, axis, centre }
}

/** The set pixels of a plane, as components of at least four pixels. */
export function componentsOf(plane: Plane): Component[] {
  const left = Uint8Array.from(plane.data)
  const components: Component[] = []
  for (let at = 0; at < left.length; at += 1) {
    if (left[at] === 0) continue
    const pixels = gathered(plane, left, at)
    if (pixels.length >= LEAST_PIXELS) components.push(shapeOf(pixels, plane.width))
  }
  return components
}
