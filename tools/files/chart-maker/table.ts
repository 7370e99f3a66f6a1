import { JsonNumber, type JsonValue, jsonText, parseJson } from '../../../src/engines/documents/json.ts'
import { MediaprocError } from '../../../src/errors.ts'
import { limitExceeded } from '../../../src/limit-exceeded.ts'
import { firstOf } from '../../../src/lists.ts'
import { parseRows } from '../../../src/media/delimited.ts'
import { counted, listed } from '../../../src/wording.ts'
import { type DecimalMark, isGap, numericValue, shownMark, type WrittenNumber, writtenNumber } from './numbers.ts'

export interface Series {
  name: string
  /** One value for each label; undefined is a gap. */
  values: (number | undefined)[]
}

export interface ChartTable {
  labels: string[]
  series: Series[]
  /** The unit of all values; undefined if units differ or are absent. */
  unit: { text: string; isLeading: boolean } | undefined
}

type Warn = (message: string, manner?: 'advice') => void

/** More series could not be distinguished. */
const MAX_POINTS = 100
export const MAX_SERIES = 20

interface Column {
  name: string
  cells: string[]
}

/**
 * Labels in the first column, values in the others; the first row is a header if its second cell is not a number, or if
 * all are years.
 */
export async function tableOfCsv(text: string, name: string, warn: Warn): Promise<ChartTable> {
  const rows = await parseRows(text, name)
  const width = Math.max(2, ...rows.map((row) => row.length))
  const hasHeader = rows.length > 1 && isHeader(firstOf(rows), rows.slice(1))
  const body = hasHeader ? rows.slice(1) : rows
  const columns = Array.from({ length: width - 1 }, (_, index) => ({
    name: (hasHeader ? firstOf(rows)[index + 1]?.trim() : '') || `column ${index + 2}`,
    cells: body.map((row) => row[index + 1] ?? ''),
  }))
  return tableOf(
    body.map(([label = '']) => label),
    // Empty cells after the last delimiter of each row are not a column.
    columns.filter(
      ({ cells }, index) => index === 0 || (hasHeader && firstOf(rows)[index + 1]) || cells.some((cell) => cell !== ''),
    ),
    { name, warn },
  )
}

function isHeader([, ...first]: readonly string[], rest: readonly (readonly string[])[]): boolean {
  if (first[0] === undefined || writtenNumber(first[0]) === undefined) return true
  const areYears = (cells: readonly string[]): boolean => cells.every((cell) => /^(?:19|20)\d\d$/.test(cell.trim()))
  return first.length > 1 && areYears(first) && !rest.every(([, ...cells]) => areYears(cells))
}

/** A list of objects with a label and values, such as `{label, value}`, or an object of values by label. */
export async function tableOfJson(text: string, name: string, warn: Warn): Promise<ChartTable> {
  const data = await parseJson(text, name, warn)
  if (data instanceof Map) {
    const cells = [...data.values()].map(cellOf)
    return tableOf([...data.keys()], [{ name: 'value', cells }], { name, warn })
  }
  const records = Array.isArray(data) ? data.filter((one) => one instanceof Map) : []
  if (!Array.isArray(data) || records.length < data.length)
    throw new MediaprocError(
      'PROCESSING_FAILED',
      `${name} is neither a list of {label, value} nor an object of numbers`,
    )
  const keys = [...new Set(records.flatMap((record) => [...record.keys()]))]
  const label = keys.includes('label') ? 'label' : (keys[0] ?? '')
  const columns = keys
    .filter((key) => key !== label)
    .map((key) => ({ name: key, cells: records.map((record) => cellOf(record.get(key) ?? null)) }))
  return tableOf(
    records.map((record) => cellOf(record.get(label) ?? null)),
    columns,
    { name, warn },
  )
}

function cellOf(value: JsonValue): string {
  if (value === null) return ''
  // The exponent shows that the point is a decimal point.
  if (value instanceof JsonNumber) return /e/i.test(value.text) ? String(Number(value.text)) : `${value.text}e0`
  return typeof value === 'string' ? value : jsonText(value)
}

function tableOf(
  labels: string[],
  columns: readonly Column[],
  { name, warn }: { name: string; warn: Warn },
): ChartTable {
  if (labels.length === 0) throw new MediaprocError('PROCESSING_FAILED', `${name} has no values to draw`)
  if (labels.length > MAX_POINTS)
    throw limitExceeded(`${name} has ${labels.length} values; the limit is ${MAX_POINTS}`, {
      hint: 'Draw a part of the rows, or sums of them.',
    })
  const read = columns.map((column) => ({ ...column, numbers: column.cells.map(writtenNumber) }))
  const mark = decimalMark(
    read.flatMap(({ numbers }) => numbers),
    name,
    warn,
  )
  const series: Series[] = []
  const used: WrittenNumber[] = []
  const others: string[] = []
  for (const column of read) {
    const values = column.numbers.map((number) => number && numericValue(number, shownMark(number) ?? mark))
    const isSeries = values.some((value) => value !== undefined)
    if (isSeries && !column.cells.some((cell, row) => values[row] === undefined && !isGap(cell))) {
      series.push({ name: column.name, values })
      used.push(...column.numbers.filter((number) => number !== undefined))
    } else others.push(column.name)
  }
  if (series.length === 0) throw noNumber(read[0], name)
  if (others.length > 0)
    warn(
      `${name}: ${counted(others.length, 'column')} that ${others.length === 1 ? 'is' : 'are'} not all numbers omitted: ${listed(others)}`,
    )
  const drawn = series.slice(0, MAX_SERIES)
  if (drawn.length < series.length)
    warn(
      `${name}: ${MAX_SERIES} series at most are drawn, omitted: ${listed(series.slice(MAX_SERIES).map((one) => one.name))}`,
    )
  reportGaps(drawn, labels, name, warn)
  return { labels, series: drawn, unit: unitOf(used, name, warn) }
}

function noNumber(column: Column | undefined, name: string): MediaprocError {
  const row = column?.cells.findIndex((cell) => isGap(cell) || writtenNumber(cell) === undefined) ?? 0
  const cell = JSON.stringify((column?.cells[row] ?? '').slice(0, 60))
  return new MediaprocError('PROCESSING_FAILED', `${name}: value ${row + 1} (${cell}) is not a number`, {
    hint: 'The first column holds the labels, the others the values.',
  })
}

/** The decimal separator for ambiguous numbers such as `1,234`. */
function decimalMark(numbers: readonly (WrittenNumber | undefined)[], name: string, warn: Warn): DecimalMark {
  const there = numbers.filter((number) => number !== undefined)
  const marks = new Set(there.flatMap((number) => shownMark(number) ?? []))
  const mark = marks.has(',') && !marks.has('.') ? ',' : '.'
  const open = there.filter((number) => shownMark(number) === undefined && /[.,]/.test(number.digits))
  // A point alone is nearly always a decimal separator; a comma alone is as often a thousands separator.
  const doubtful = open.filter(
    ({ digits, unit }) => marks.size === 2 || (marks.size === 0 && (digits.includes(',') || unit !== '')),
  )
  if (doubtful.length > 0) {
    const [first] = doubtful
    warn(
      `${name}: ${first!.digits} could be ${numericValue(first!, '.')} or ${numericValue(first!, ',')}, and was read as ${numericValue(first!, mark)}; ${counted(doubtful.length, 'value')} could be read in two ways`,
    )
  }
  return mark
}

function unitOf(numbers: readonly WrittenNumber[], name: string, warn: Warn): ChartTable['unit'] {
  const units = new Set(numbers.map(({ unit }) => unit))
  const said = [...units].filter((unit) => unit !== '')
  if (said.length > 1) warn(`${name} mixes ${listed(said)}, which are drawn on one scale`)
  const [first] = numbers
  return units.size === 1 && first && first.unit !== '' ? { text: first.unit, isLeading: first.isLeading } : undefined
}

function reportGaps(series: readonly Series[], labels: readonly string[], name: string, warn: Warn): void {
  const gaps = series.flatMap((one) =>
    one.values.flatMap((value, index) => (value === undefined ? [`${labels[index]} (${one.name})`] : [])),
  )
  if (gaps.length > 0)
    warn(`${name}: ${counted(gaps.length, 'value')} missing, drawn as gaps: ${listed(gaps)}`, 'advice')
}
