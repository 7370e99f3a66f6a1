/** Which settings of a tool can be drawn on its file: found by the names, units and grammars of its rows. */
import type { SettingRow, ToolForm } from '../api/types.ts'
import { shownRows, type Values } from '../forms/values.ts'

type Sides = 'left' | 'top' | 'width' | 'height'

/** A rectangle whose sides are settings, or fields of a setting. */
export interface RectangleDrawing {
  kind: 'rectangle'
  /** The row of the object that has the fields. */
  inside: SettingRow | undefined
  rows: Readonly<Record<Sides, SettingRow>>
  /** The setting that selects pixels or percent. */
  unit: SettingRow | undefined
}

/** A text, or a list of texts, in a grammar. */
export interface TextDrawing {
  kind: 'areas' | 'corners' | 'pages' | 'moments'
  row: SettingRow
}

/** A part of a media file, by its start and its end or length. */
export interface ClipDrawing {
  kind: 'clip'
  start: SettingRow
  end: SettingRow
  isLength: boolean
}

/** A point of a picture, in percent or as shares. */
export interface PointDrawing {
  kind: 'point'
  x: SettingRow
  y: SettingRow
  /** Value of the right and the bottom edge. */
  most: number
}

/** A second file that selects pixels of the picture: white ones. */
export interface MaskDrawing {
  kind: 'mask'
  name: string
}

export type Drawing = RectangleDrawing | TextDrawing | ClipDrawing | PointDrawing | MaskDrawing

type Rows = readonly SettingRow[]

const isNumber = ({ type }: SettingRow): boolean => type === 'number' || type === 'integer'

const named = (rows: Rows, ...names: string[]): SettingRow | undefined =>
  rows.find((row) => names.includes(row.name) && isNumber(row))

/** Units of a rectangle: those of a setting, or pixels. */
const isUnit = ({ name, enum: words = [] }: SettingRow): boolean =>
  name === 'unit' && words.includes('px') && words.includes('percent')

function rectangleOf(rows: Rows, inside?: SettingRow): RectangleDrawing | undefined {
  const sides = {
    ...{ left: named(rows, 'left', 'x'), top: named(rows, 'top', 'y') },
    ...{ width: named(rows, 'width'), height: named(rows, 'height') },
  }
  const { left, top, width, height } = sides
  const unit = rows.find(isUnit)
  if (!left || !top || !width || !height) return undefined
  if (!unit && [left, top, width, height].some((row) => row.unit !== 'px')) return undefined
  return { kind: 'rectangle', inside, rows: { left, top, width, height }, unit }
}

function clipOf(rows: Rows): ClipDrawing | undefined {
  const start = named(rows, 'startS')
  const end = named(rows, 'endS')
  const length = named(rows, 'durationS')
  if (!start || !(end ?? length)) return undefined
  return { kind: 'clip', start, end: (end ?? length) as SettingRow, isLength: end === undefined }
}

const GRAMMARS: Readonly<Record<NonNullable<SettingRow['grammar']>, TextDrawing['kind']>> = {
  ...{ 'page-range': 'pages', 'page-list': 'pages', 'page-numbers': 'pages' },
  ...{ 'page-area': 'areas', corners: 'corners', seconds: 'moments' },
}

/** `focusX` and `focusY`, from 0 to 1 or to 100 %. */
function pointsOf(rows: Rows): PointDrawing[] {
  return rows.flatMap((x) => {
    const y = x.name.endsWith('X') ? rows.find(({ name }) => name === `${x.name.slice(0, -1)}Y`) : undefined
    const isShare = (row: SettingRow): boolean =>
      isNumber(row) && row.min === 0 && (row.max === 1 || (row.max === 100 && row.unit === '%'))
    return y && isShare(x) && isShare(y) && x.max === y.max ? [{ kind: 'point', x, y, most: x.max ?? 1 }] : []
  })
}

/** Images that are placed on pages, by shares of the page. */
function isPlaced({ type, items }: SettingRow): boolean {
  const fields = items?.fields ?? []
  return (
    type === 'array' &&
    ['page', 'x', 'y', 'w', 'h'].every((name) => {
      const field = named(fields, name)
      return field && field.unit === undefined
    })
  )
}

/** The drawings of a tool, for the rows that its form shows. */
export function drawingsOf(tool: Pick<ToolForm, 'settings' | 'inputs'>, values: Values): Drawing[] {
  const rows = shownRows(tool.settings, values)
  const groups = rows.flatMap((row) => (row.type === 'object' ? [rectangleOf(row.fields ?? [], row)] : []))
  const texts = rows.flatMap((row): TextDrawing[] => {
    if (isPlaced(row)) return [{ kind: 'areas', row }]
    const grammar = row.grammar ?? row.items?.grammar
    return grammar ? [{ kind: GRAMMARS[grammar], row }] : []
  })
  const masks = tool.inputs.files.filter(({ name }) => name === 'mask').map(({ name }) => ({ kind: 'mask', name }))
  const all = [rectangleOf(rows), ...groups, clipOf(rows), ...texts, ...pointsOf(rows), ...masks]
  return all.filter((drawing) => drawing !== undefined) as Drawing[]
}
