import { zip } from '../../../src/lists.ts'
import type { RecordBatch } from '../../../src/media/delimited.ts'

/** Streams a table as JSON Lines: one object per row, each on a line. Every value is a string. */
export async function* recordsAsLines(batches: AsyncIterable<RecordBatch>): AsyncGenerator<string> {
  for await (const { columns, rows } of batches) {
    const keys = columns.map((name) => `${JSON.stringify(name)}:`)
    yield rows
      .map(
        (row) =>
          `{${zip(keys, row)
            .map(([key, cell]) => key + JSON.stringify(cell))
            .join(',')}}\n`,
      )
      .join('')
  }
}

/** Streams a table as a JSON array of objects, one per row. Every value is a string, as tables have no other types. */
export async function* recordsAsJson(batches: AsyncIterable<RecordBatch>, pretty: boolean): AsyncGenerator<string> {
  const [line, field, record, colon] = pretty ? ['\n', '\n    ', '\n  ', ': '] : ['', '', '', ':']
  let between = '['
  for await (const { columns, rows } of batches) {
    const keys = columns.map((name) => field + JSON.stringify(name) + colon)
    const parts: string[] = []
    for (const row of rows) {
      let fields = ''
      for (const [index, cell] of row.entries())
        fields += `${index > 0 ? ',' : ''}${keys[index]}${JSON.stringify(cell)}`
      parts.push(`${between}${record}{${fields}${record}}`)
      between = ','
    }
    yield parts.join('')
  }
  yield between === '[' ? '[]' : `${line}]`
}
