import {
  borrowShade,
  type Mupdf,
  type Path,
  type PDFDocument,
  type PDFObject,
  type Rect,
} from '../../../engines/mupdf.ts'
import { entriesOf } from '../structure/trees.ts'

/** The drawings of a page. */
interface DrawingsAt {
  /** A drawing, other than a plain rectangle such as a background, is under an area, at least partly. */
  isUnder: boolean
  /** A shading is under an area: no shading is removed. */
  hasShading: boolean
  /** The page draws with tiling patterns, and with one under an area. */
  hasTiling: boolean
  hasTilingOver: boolean
}

export const isOver = (one: Rect, other: Rect): boolean =>
  one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3]

/** What a page draws at areas of it. */
export function drawingsAt(mupdf: Mupdf, pdf: PDFDocument, index: number, areas: readonly Rect[]): DrawingsAt {
  const page = pdf.loadPage(index)
  const found: DrawingsAt = { isUnder: false, hasShading: false, hasTiling: false, hasTilingOver: false }
  const look = (box: Rect) => {
    found.isUnder ||= areas.some((area) => isOver(box, area) && !isInside(box, area))
  }
  const plainStroke = new mupdf.StrokeState({ lineCap: 'Butt', lineJoin: 'Miter', lineWidth: 0, miterLimit: 10 })
  const clips: Clip[] = []
  const clip = () => void clips.push({ box: undefined, isPlain: false })
  const device = new mupdf.Device({
    fillPath: (path, _evenOdd, matrix) => {
      if (!isPlain(path)) look(path.getBounds(plainStroke, matrix))
    },
    strokePath: (path, stroke, matrix) => look(path.getBounds(stroke, matrix)),
    fillShade: (shade, matrix) => {
      const boxes = clips.flatMap(({ box }) => (box ? [box] : []))
      const drawn = [mupdf.Rect.transform(borrowShade(shade).getBounds(), matrix), ...boxes].reduce(common)
      const under = areas.filter((area) => isOver(drawn, area))
      found.hasShading ||= under.length > 0
      const isDrawing = clips.some((one) => !one.isPlain)
      found.isUnder ||= under.some((area) => isDrawing || isInside(drawn, area))
    },
    clipPath: (path, _evenOdd, matrix) => {
      clips.push({ box: path.getBounds(plainStroke, matrix), isPlain: isPlain(path) })
    },
    ...{ clipStrokePath: clip, clipText: clip, clipStrokeText: clip, clipImageMask: clip, endMask: clip },
    popClip: () => void clips.pop(),
    beginTile: (box, _view, _xStep, _yStep, matrix) => {
      found.hasTiling = true
      const drawn = mupdf.Rect.transform(box, matrix)
      found.hasTilingOver ||= areas.some((area) => isOver(drawn, area))
      return 0
    },
  })
  try {
    page.run(device, mupdf.Matrix.identity)
    device.close()
  } finally {
    device.destroy()
    plainStroke.destroy()
    page.destroy()
  }
  return found
}

interface Clip {
  /** Undefined if unknown. */
  box: Rect | undefined
  /** It is a rectangle. */
  isPlain: boolean
}

/** Whether a path can be a rectangle. */
function isPlain(path: Path): boolean {
  let points = 0
  let curves = 0
  path.walk({ moveTo: () => void points++, lineTo: () => void points++, curveTo: () => void curves++ })
  return points <= 5 && curves === 0
}

const common = (one: Rect, other: Rect): Rect => [
  Math.max(one[0], other[0]),
  Math.max(one[1], other[1]),
  Math.min(one[2], other[2]),
  Math.min(one[3], other[3]),
]

/** A point of tolerance: lines have a width. */
const isInside = (box: Rect, area: Rect): boolean =>
  box[0] >= area[0] - 1 && box[1] >= area[1] - 1 && box[2] <= area[2] + 1 && box[3] <= area[3] + 1

/** Removes the tiling patterns of a page that draws with none, also of its forms. */
export function dropTilings(page: PDFObject): void {
  const seen = new Set<number>()
  const waiting = [page.getInheritable('Resources')]
  for (let resources = waiting.pop(); resources; resources = waiting.pop()) {
    if (!resources.isDictionary()) continue
    const patterns = resources.get('Pattern')
    for (const [name, pattern] of entriesOf(patterns))
      if (pattern.isDictionary() && pattern.get('PatternType').asNumber() === 1) patterns.delete(name)
    for (const [, drawing] of entriesOf(resources.get('XObject'))) {
      if (!drawing.isStream() || seen.has(drawing.asIndirect())) continue
      seen.add(drawing.asIndirect())
      waiting.push(drawing.get('Resources'))
    }
  }
}
