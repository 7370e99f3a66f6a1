import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { delimitedText, readRows } from './delimited.ts'
import { typeById } from './type.ts'

/** Writes text to a file, chunk by chunk. */
export async function writeText(path: string, text: AsyncIterable<string>, signal: AbortSignal): Promise<void> {
  await pipeline(text, createWriteStream(path), { signal })
}

/**
 * Writes a table whose later rows may be wider than the first ones, without holding it in memory: short rows are padded
 * with empty cells. If the width grows, the file is read once more and padded.
 * @param header returns the final first row, if it is only known at the end
 */
export async function writeGrowingCsv(
  path: string,
  batches: AsyncIterable<string[][]>,
  { signal, header }: { signal: AbortSignal; header?: () => string[] },
): Promise<void> {
  let width = 0
  let hasGrown = false
  async function* even(): AsyncGenerator<string[][]> {
    let isFirst = true
    for await (const rows of batches) {
      const widest = rows.reduce((most, row) => Math.max(most, row.length), width)
      if (!isFirst && widest > width) hasGrown = true
      width = widest
      if (rows.length > 0) isFirst = false
      yield rows.map((row) => filledUp(row, width))
    }
  }
  const draft = `${path}.narrow`
  await writeText(draft, delimitedText(even()), signal)
  if (!hasGrown) return rename(draft, path)
  async function* wide(): AsyncGenerator<string[][]> {
    const { size } = await stat(draft)
    let isFirst = true
    const file = { path: draft, name: draft, bytes: size, type: typeById('csv')! }
    for await (const { rows } of readRows(file, { signal, ownDelimiter: ',' })) {
      if (isFirst && header) rows[0] = header()
      isFirst = false
      yield rows.map((row) => filledUp(row, width))
    }
  }
  await writeText(path, delimitedText(wide()), signal)
  await rm(draft)
}

const filledUp = (row: readonly string[], width: number): string[] =>
  row.length === width ? (row as string[]) : [...row, ...Array<string>(width - row.length).fill('')]
