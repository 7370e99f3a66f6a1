import type { Cell, Sheet } from '../../../../src/media/pdf/page/impose.ts'

/** A4, in points. */
const SHORT = 595.28
const LONG = 841.89

/** The content of a cell; a number beyond the last page is a blank. */
interface Content {
  page: number
  turn: Cell['turn']
}

/**
 * The sides of the sheets, front, back, front …: printed on both sides, flipped on the left edge, cut between rows
 * (folded, if the lower row is rotated), nested and folded down the middle, they form a booklet.
 */
export function bookletSheets(pageCount: number, perSheet: 2 | 4 | 6 | 8): Sheet[] {
  const total = Math.ceil(pageCount / (2 * perSheet)) * 2 * perSheet
  const [width, height] = perSheet === 2 ? [LONG, SHORT] : [SHORT, LONG]
  const rows = perSheet / 2
  const sheets: Sheet[] = []
  for (let first = 0; first < total / 2; first += perSheet) {
    for (const side of ['front', 'back'] as const) {
      const contents = sideOf(side, first, total, perSheet)
      const cells = contents.map(({ page, turn }, index) => ({
        page: page <= pageCount ? page : undefined,
        turn,
        left: ((index % 2) * width) / 2,
        bottom: height - ((Math.floor(index / 2) + 1) * height) / rows,
        width: width / 2,
        height: height / rows,
      }))
      sheets.push({ width, height, cells })
    }
  }
  return sheets
}

/** One side, row by row; `before` pages at the front of the booklet are on earlier sheets. */
function sideOf(side: 'front' | 'back', before: number, total: number, perSheet: number): Content[] {
  if (perSheet === 4) return upright(block(side, before, total))
  if (perSheet === 8) return [0, 4].flatMap((start) => turned(side, block(side, before + start, total)))
  return Array.from({ length: perSheet / 2 }, (_, row) => {
    const inner = before + 2 * row
    return side === 'front' ? [total - inner, inner + 1] : [inner + 2, total - inner - 1]
  })
    .flat()
    .map((page) => ({ page, turn: 0 }))
}

/** Four pages with the lower row upside down, so that all are upright after folding the sheet across. */
function block(side: 'front' | 'back', before: number, total: number): [number, number, number, number] {
  return side === 'front'
    ? [total - before, before + 1, before + 3, total - before - 2]
    : [before + 2, total - before - 1, total - before - 3, before + 4]
}

function upright(pages: readonly number[]): Content[] {
  return pages.map((page, index) => ({ page, turn: index < 2 ? 0 : 180 }))
}

/** A block rotated by a quarter turn: left on the front and right on the back, so that both align through the paper. */
function turned(side: 'front' | 'back', [a, b, c, d]: [number, number, number, number]): Content[] {
  const [first, second, third, fourth] = side === 'front' ? [b, d, a, c] : [c, a, d, b]
  return [
    { page: first, turn: 90 },
    { page: second, turn: 270 },
    { page: third, turn: 90 },
    { page: fourth, turn: 270 },
  ]
}
