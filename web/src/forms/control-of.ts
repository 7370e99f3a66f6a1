/** Which control fits a row. */
import type { SettingRow } from '../api/types.ts'

export type Control =
  | {
      kind:
        | 'switch'
        | 'color'
        | 'secret'
        | 'line'
        | 'lines'
        | 'number'
        | 'select'
        | 'segments'
        | 'list'
        | 'group'
        | 'words'
    }
  | { kind: 'slider'; min: number; max: number; step: number }
  | { kind: 'grid'; cells: ReadonlyMap<string, number>; others: readonly string[] }

/** Cells of a 3 × 3 grid by the words that tools use for them. */
const CELLS: Readonly<Record<string, number>> = {
  ...{
    tl: 0,
    'top-left': 0,
    northwest: 0,
    tc: 1,
    top: 1,
    'top-center': 1,
    north: 1,
    tr: 2,
    'top-right': 2,
    northeast: 2,
  },
  ...{ l: 3, left: 3, west: 3, c: 4, center: 4, centre: 4, r: 5, right: 5, east: 5 },
  ...{ bl: 6, 'bottom-left': 6, southwest: 6, bc: 7, bottom: 7, 'bottom-center': 7, south: 7, br: 8 },
  ...{ 'bottom-right': 8, southeast: 8 },
}

/** Fewest positions for a grid: `top, center, bottom` is a list of words. */
const MIN_CELLS = 5

/** Most words, and letters in all of them, that are shown side by side. */
const MAX_SEGMENTS = 4
const MAX_SEGMENT_LETTERS = 28

/** Text of this length does not fit on a line. */
const LINE_LENGTH = 300

const words = (row: SettingRow): string[] => (row.enum ?? []).map(String)

function choiceControl(row: SettingRow): Control {
  const all = words(row)
  const placed = all.flatMap((word) => (CELLS[word] === undefined ? [] : [[word, CELLS[word]] as const]))
  if (placed.length >= MIN_CELLS)
    return { kind: 'grid', cells: new Map(placed), others: all.filter((word) => CELLS[word] === undefined) }
  const isShort = all.length <= MAX_SEGMENTS && all.join('').length <= MAX_SEGMENT_LETTERS
  return { kind: isShort && row.default !== undefined && !row.filledByTool ? 'segments' : 'select' }
}

/** Most steps of a slider: a finer one cannot be set with a pointer. */
const MAX_STEPS = 1000

function numberControl(row: SettingRow): Control {
  const { type, min, max, exclusiveMin, default: initial } = row
  const from = min ?? exclusiveMin
  if (from === undefined || max === undefined || initial === undefined || row.filledByTool) return { kind: 'number' }
  const range = max - from
  const step = type === 'integer' ? 1 : range <= 5 ? 0.01 : range <= 50 ? 0.1 : 1
  if (range / step > MAX_STEPS) return { kind: 'number' }
  return { kind: 'slider', min: min ?? from + step, max, step }
}

/** The control of a row. */
export function controlOf(row: SettingRow): Control {
  if (row.enum) return choiceControl(row)
  switch (row.type) {
    case 'boolean':
      return { kind: 'switch' }
    case 'color':
      return { kind: 'color' }
    case 'integer':
    case 'number':
      return numberControl(row)
    case 'array':
      return { kind: row.items?.enum ? 'words' : 'list' }
    case 'object':
      return { kind: 'group' }
    default:
      if (row.secret) return { kind: 'secret' }
      return { kind: (row.maxLength ?? 0) > LINE_LENGTH ? 'lines' : 'line' }
  }
}

/** `bottom-left` and `targetSize` as words: `bottom left`, `target size`. */
export const inWords = (word: string | number): string =>
  String(word)
    .replace(/([a-z]{2})([A-Z])(?=[a-z])/g, (_, before: string, next: string) => `${before} ${next.toLowerCase()}`)
    .replaceAll('-', ' ')
