/** A cell for one image: the tracks it spans, from (inclusive) and to (exclusive). */
export interface Cell {
  columns: readonly [number, number]
  rows: readonly [number, number]
}

/** A grid: the weights of columns and rows, and the cells. */
export interface Template {
  columns: readonly number[]
  rows: readonly number[]
  cells: readonly Cell[]
}

const cell = (fromColumn: number, toColumn: number, fromRow: number, toRow: number): Cell => ({
  columns: [fromColumn, toColumn],
  rows: [fromRow, toRow],
})

/** Named layouts (catalogue: collage). */
export const TEMPLATES = {
  '2-h-equal': {
    columns: [1, 1],
    rows: [1],
    cells: [cell(0, 1, 0, 1), cell(1, 2, 0, 1)],
  },
  '2-v-equal': {
    columns: [1],
    rows: [1, 1],
    cells: [cell(0, 1, 0, 1), cell(0, 1, 1, 2)],
  },
  '2-h-left-large': {
    columns: [2, 1],
    rows: [1],
    cells: [cell(0, 1, 0, 1), cell(1, 2, 0, 1)],
  },
  '2-h-right-large': {
    columns: [1, 2],
    rows: [1],
    cells: [cell(0, 1, 0, 1), cell(1, 2, 0, 1)],
  },
  '3-left-large': {
    columns: [2, 1],
    rows: [1, 1],
    cells: [cell(0, 1, 0, 2), cell(1, 2, 0, 1), cell(1, 2, 1, 2)],
  },
  '3-right-large': {
    columns: [1, 2],
    rows: [1, 1],
    cells: [cell(0, 1, 0, 1), cell(0, 1, 1, 2), cell(1, 2, 0, 2)],
  },
  '3-top-large': {
    columns: [1, 1],
    rows: [2, 1],
    cells: [cell(0, 2, 0, 1), cell(0, 1, 1, 2), cell(1, 2, 1, 2)],
  },
  '3-h-equal': {
    columns: [1, 1, 1],
    rows: [1],
    cells: [cell(0, 1, 0, 1), cell(1, 2, 0, 1), cell(2, 3, 0, 1)],
  },
  '3-v-equal': {
    columns: [1],
    rows: [1, 1, 1],
    cells: [cell(0, 1, 0, 1), cell(0, 1, 1, 2), cell(0, 1, 2, 3)],
  },
  '4-grid': {
    columns: [1, 1],
    rows: [1, 1],
    cells: [cell(0, 1, 0, 1), cell(1, 2, 0, 1), cell(0, 1, 1, 2), cell(1, 2, 1, 2)],
  },
  '4-left-large': {
    columns: [2, 1],
    rows: [1, 1, 1],
    cells: [cell(0, 1, 0, 3), cell(1, 2, 0, 1), cell(1, 2, 1, 2), cell(1, 2, 2, 3)],
  },
  '4-top-large': {
    columns: [1, 1, 1],
    rows: [2, 1],
    cells: [cell(0, 3, 0, 1), cell(0, 1, 1, 2), cell(1, 2, 1, 2), cell(2, 3, 1, 2)],
  },
  '4-bottom-large': {
    columns: [1, 1, 1],
    rows: [1, 2],
    cells: [cell(0, 1, 0, 1), cell(1, 2, 0, 1), cell(2, 3, 0, 1), cell(0, 3, 1, 2)],
  },
  '5-top2-bottom3': {
    columns: [1, 1, 1, 1, 1, 1],
    rows: [1, 1],
    cells: [cell(0, 3, 0, 1), cell(3, 6, 0, 1), cell(0, 2, 1, 2), cell(2, 4, 1, 2), cell(4, 6, 1, 2)],
  },
  '5-top3-bottom2': {
    columns: [1, 1, 1, 1, 1, 1],
    rows: [1, 1],
    cells: [cell(0, 2, 0, 1), cell(2, 4, 0, 1), cell(4, 6, 0, 1), cell(0, 3, 1, 2), cell(3, 6, 1, 2)],
  },
  '5-left-large': {
    columns: [2, 1],
    rows: [1, 1, 1, 1],
    cells: [cell(0, 1, 0, 4), cell(1, 2, 0, 1), cell(1, 2, 1, 2), cell(1, 2, 2, 3), cell(1, 2, 3, 4)],
  },
  '5-center-large': {
    columns: [1, 2, 1],
    rows: [1, 1],
    cells: [cell(0, 1, 0, 1), cell(1, 2, 0, 2), cell(2, 3, 0, 1), cell(0, 1, 1, 2), cell(2, 3, 1, 2)],
  },
  '6-grid-2x3': {
    columns: [1, 1],
    rows: [1, 1, 1],
    cells: [cell(0, 1, 0, 1), cell(1, 2, 0, 1), cell(0, 1, 1, 2), cell(1, 2, 1, 2), cell(0, 1, 2, 3), cell(1, 2, 2, 3)],
  },
  '6-grid-3x2': {
    columns: [1, 1, 1],
    rows: [1, 1],
    cells: [cell(0, 1, 0, 1), cell(1, 2, 0, 1), cell(2, 3, 0, 1), cell(0, 1, 1, 2), cell(1, 2, 1, 2), cell(2, 3, 1, 2)],
  },
  '6-top-large': {
    columns: [1, 1, 1, 1, 1],
    rows: [2, 1],
    cells: [cell(0, 5, 0, 1), cell(0, 1, 1, 2), cell(1, 2, 1, 2), cell(2, 3, 1, 2), cell(3, 4, 1, 2), cell(4, 5, 1, 2)],
  },
  '7-mosaic': {
    columns: [1, 1, 1],
    rows: [1, 1, 1],
    cells: [
      cell(0, 2, 0, 1),
      cell(2, 3, 0, 1),
      cell(0, 1, 1, 2),
      cell(1, 2, 1, 2),
      cell(2, 3, 1, 2),
      cell(0, 1, 2, 3),
      cell(1, 3, 2, 3),
    ],
  },
  '8-mosaic': {
    columns: [1, 1, 1, 1],
    rows: [1, 1, 1],
    cells: [
      cell(0, 2, 0, 1),
      cell(2, 3, 0, 1),
      cell(3, 4, 0, 1),
      cell(0, 1, 1, 2),
      cell(1, 2, 1, 2),
      cell(2, 4, 1, 2),
      cell(0, 2, 2, 3),
      cell(2, 4, 2, 3),
    ],
  },
  '9-grid': {
    columns: [1, 1, 1],
    rows: [1, 1, 1],
    cells: [
      cell(0, 1, 0, 1),
      cell(1, 2, 0, 1),
      cell(2, 3, 0, 1),
      cell(0, 1, 1, 2),
      cell(1, 2, 1, 2),
      cell(2, 3, 1, 2),
      cell(0, 1, 2, 3),
      cell(1, 2, 2, 3),
      cell(2, 3, 2, 3),
    ],
  },
  '4-h-equal': {
    columns: [1, 1, 1, 1],
    rows: [1],
    cells: [cell(0, 1, 0, 1), cell(1, 2, 0, 1), cell(2, 3, 0, 1), cell(3, 4, 0, 1)],
  },
  '4-v-equal': {
    columns: [1],
    rows: [1, 1, 1, 1],
    cells: [cell(0, 1, 0, 1), cell(0, 1, 1, 2), cell(0, 1, 2, 3), cell(0, 1, 3, 4)],
  },
  '8-grid-4x2': {
    columns: [1, 1, 1, 1],
    rows: [1, 1],
    cells: [
      cell(0, 1, 0, 1),
      cell(1, 2, 0, 1),
      cell(2, 3, 0, 1),
      cell(3, 4, 0, 1),
      cell(0, 1, 1, 2),
      cell(1, 2, 1, 2),
      cell(2, 3, 1, 2),
      cell(3, 4, 1, 2),
    ],
  },
  '8-grid-2x4': {
    columns: [1, 1],
    rows: [1, 1, 1, 1],
    cells: [
      cell(0, 1, 0, 1),
      cell(1, 2, 0, 1),
      cell(0, 1, 1, 2),
      cell(1, 2, 1, 2),
      cell(0, 1, 2, 3),
      cell(1, 2, 2, 3),
      cell(0, 1, 3, 4),
      cell(1, 2, 3, 4),
    ],
  },
} as const satisfies Record<string, Template>

export type TemplateName = keyof typeof TEMPLATES
