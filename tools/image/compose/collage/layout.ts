import type { Size } from '../../../../src/media/image/frame.ts'
import type { Template, TemplateName } from './templates.ts'

/** Canvas sizes by aspect ratio: the longest side is 2400 px (catalogue). */
export const CANVASES = {
  free: { width: 2400, height: 1800 },
  '1:1': { width: 2400, height: 2400 },
  '4:3': { width: 2400, height: 1800 },
  '3:2': { width: 2400, height: 1600 },
  '16:9': { width: 2400, height: 1350 },
  '9:16': { width: 1350, height: 2400 },
  '4:5': { width: 1920, height: 2400 },
} as const

const BY_COUNT: readonly TemplateName[] = [
  '2-h-equal',
  '2-h-equal',
  '3-left-large',
  '4-grid',
  '5-top2-bottom3',
  '6-grid-3x2',
  '7-mosaic',
  '8-mosaic',
]

/** The default layout for this number of images. */
export function templateFor(images: number): TemplateName {
  return BY_COUNT[images - 1] ?? '9-grid'
}

export interface Box extends Size {
  left: number
  top: number
}

/** Starts and lengths of the tracks: the space without the gaps, distributed by weight and rounded. */
function tracks(weights: readonly number[], room: number, gap: number): { start: number; length: number }[] {
  const free = Math.max(weights.length, room - (weights.length + 1) * gap)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  let start = gap
  return weights.map((weight) => {
    const track = { start, length: Math.max(1, Math.round((free * weight) / total)) }
    start += track.length + gap
    return track
  })
}

/** The position of every cell on the canvas, px. A cell over several tracks also covers the gaps between them. */
export function cellBoxes(template: Template, canvas: Size, gap: number): Box[] {
  const space = Math.round(gap)
  const columns = tracks(template.columns, canvas.width, space)
  const rows = tracks(template.rows, canvas.height, space)
  const span = (list: typeof columns, [from, to]: readonly [number, number]): { start: number; length: number } => {
    const last = list[to - 1]!
    return { start: list[from]!.start, length: last.start + last.length - list[from]!.start }
  }
  return template.cells.map((cell) => {
    const across = span(columns, cell.columns)
    const down = span(rows, cell.rows)
    // With wide gaps, rounding can push the last cell over the edge.
    const width = Math.max(1, Math.min(across.length, canvas.width - across.start))
    const height = Math.max(1, Math.min(down.length, canvas.height - down.start))
    return { left: across.start, top: down.start, width, height }
  })
}
