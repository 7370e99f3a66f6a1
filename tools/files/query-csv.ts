import { delimitedText, readRecords } from '../../src/media/delimited.ts'
import { writeText } from '../../src/media/growing-csv.ts'
import { suffixedName } from '../../src/media/naming.ts'
import { mimeOf } from '../../src/media/type.ts'
import { type Job, oneFile, tool } from '../../src/tool/contract.ts'
import { choice, integer, list, type SettingsOf, text } from '../../src/tool/settings.ts'
import { textEncoding } from '../../src/tool/text-encoding.ts'
import { invalidSettings } from '../../src/tool/validate.ts'
import { columnIndex } from './query-csv/columns.ts'
import { readCondition, rowTest } from './query-csv/conditions.ts'
import { type Joined, joinedRows, readJoined, readKeys } from './query-csv/join.ts'
import { readOrder, rowOrder, SortedRows } from './query-csv/sort.ts'

const NAME = { minLength: 1, maxLength: 500 }
const COLUMNS = { maxLength: 500 }

const SETTINGS = {
  where: list(
    text('a condition', NAME),
    'only rows that meet all conditions: COLUMN = != < <= > >= ~ (contains) !~ VALUE',
    {
      ...COLUMNS,
      example: ['born>=1900', 'city~o'],
    },
  ),
  select: list(text('a column', NAME), 'only these columns, in this order; NEW=OLD renames one', {
    ...COLUMNS,
    example: ['name', 'year=born'],
  }),
  sort: list(
    text('a column', NAME),
    'order by columns; "COLUMN desc" reverses one. Numbers, then text, then empty cells',
    {
      ...COLUMNS,
      example: ['born desc', 'name'],
    },
  ),
  limit: integer('at most so many rows', { min: 0, max: 1_000_000_000, example: 10 }),
  on: text('with a second table: the column that both have, or OWN=OTHER', { ...NAME, example: 'name' }),
  join: choice(['left', 'inner'], 'left keeps rows without a match in the second table, inner drops them', {
    default: 'left',
  }),
  encoding: textEncoding('each table'),
}

/** Sorted rows that are written at once. */
const BATCH = 10_000

type Settings = SettingsOf<typeof SETTINGS>

export default tool({
  section: 'files',
  id: 'query-csv',
  summary: 'Filter, select, sort and join the rows of tables',
  input: {
    ...oneFile('csv', 'tsv', 'txt'),
    secondary: { with: { required: false, what: 'a second table to join', accept: ['csv', 'tsv', 'txt'] } },
  },
  settings: SETTINGS,
  output: { kind: 'file', type: { byInput: { csv: 'csv', tsv: 'tsv', txt: 'csv' } } },
  naming: { suffix: 'query' },
  timeoutS: 300,
  examples: [
    {
      title: 'some rows, the youngest first',
      inputs: ['people.csv'],
      settings: { where: ['born>=1900'], sort: ['born desc'] },
    },
    { title: 'two columns, one renamed', inputs: ['people.csv'], settings: { select: ['name', 'year=born'] } },
  ],
  check({ where, sort, on }) {
    for (const condition of where ?? []) readCondition(condition)
    for (const order of sort ?? []) readOrder(order)
    if (on !== undefined) readKeys(on)
  },
  async run(job, settings) {
    const [file, other] = [job.inputs[0], job.secondary.with]
    if ((other === undefined) !== (settings.on === undefined))
      throw invalidSettings(
        other ? 'on is missing: the column that both tables have' : 'on needs a second table',
        'For example: --with cities.csv --on city',
      )
    const extension = file.type.id === 'tsv' ? 'tsv' : 'csv'
    const name = suffixedName(file, 'query', extension)
    const path = await job.output(name)
    const format = { delimiter: extension === 'tsv' ? '\t' : ',' }
    await writeText(
      path,
      delimitedText(selected(job, settings, format), () => format.delimiter),
      job.signal,
    )
    return { files: [{ path, name, mime: mimeOf(extension) }] }
  },
})

/** Yields the header, then the rows of the result; reports the table's delimiter. */
async function* selected(job: Job, settings: Settings, format: { delimiter: string }): AsyncGenerator<string[][]> {
  const { sort = [], limit = Number.POSITIVE_INFINITY } = settings
  let left = limit
  let columns: readonly string[] | undefined
  const sorted = new SortedRows()
  for await (const batch of filtered(job, settings, format)) {
    if (!columns) {
      columns = batch.columns
      // A column that does not exist is an error before any row is read.
      rowOrder(sort, columns)
      yield [outputOf(settings.select, columns).header]
    }
    if (sort.length > 0) sorted.add(batch.rows)
    else {
      const rows = batch.rows.slice(0, left)
      left -= rows.length
      yield rows.map(outputOf(settings.select, columns).row)
      if (left === 0) return
    }
  }
  if (!columns || sort.length === 0) return
  const rows = sorted.inOrder(rowOrder(sort, columns)).slice(0, limit)
  const { row } = outputOf(settings.select, columns)
  for (let at = 0; at < rows.length; at += BATCH) yield rows.slice(at, at + BATCH).map(row)
}

/** The header of the result, and the cells of a row in its order. */
function outputOf(select: readonly string[] | undefined, columns: readonly string[]) {
  if (!select) return { header: [...columns], row: (row: string[]) => row }
  const chosen = select.map((written) => {
    // A column whose own name has an equals sign is not renamed.
    const [, to = written, from = written] = columns.includes(written) ? [] : (/^(.+?)=(.+)$/s.exec(written) ?? [])
    return { to: to.trim(), index: columnIndex(columns, from.trim(), 'select') }
  })
  return { header: chosen.map(({ to }) => to), row: (row: string[]) => chosen.map(({ index }) => row[index] ?? '') }
}

/** The rows that meet the conditions, with the columns of the joined table. */
async function* filtered(job: Job, { where = [], on, join, encoding }: Settings, format: { delimiter: string }) {
  const reading = { signal: job.signal, encoding, warn: job.warn }
  const onRead = (fraction: number): void => job.progress(fraction, 'reading')
  let joined: Joined | undefined
  let columns: readonly string[] = []
  let meets: ((row: readonly string[]) => boolean) | undefined
  for await (const batch of readRecords(job.inputs[0], { ...reading, onRead })) {
    if (!meets) {
      format.delimiter = batch.delimiter
      const other = job.secondary.with
      if (other && on !== undefined) joined = await readJoined(other, { on, columns: batch.columns }, reading)
      columns = [...batch.columns, ...(joined?.columns ?? [])]
      meets = rowTest(where, columns)
    }
    const place = batch.columns.indexOf(joined?.key ?? '')
    const parts = joined ? joinedRows(batch.rows, { ...joined, place, keepsAll: join === 'left' }) : [batch.rows]
    for (const rows of parts) yield { columns, rows: rows.filter(meets) }
  }
}
