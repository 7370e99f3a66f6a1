import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { MediaprocError } from '../../errors.ts'

/** The most that a sheet holds. */
const MAX_ROWS = 1_048_576
const MAX_COLUMNS = 16_384
/** The most characters of a cell. */
const MAX_TEXT = 32_767

/** Characters of markup that are written at once. */
const PIECE = 1 << 16

const ENTRY_TIME = new Date(1980, 0, 1)
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** Everything but the sheet ([ECMA-376] part 1, 12.3). */
const parts = (sheetName: string): readonly (readonly [name: string, content: string])[] => [
  [
    '[Content_Types].xml',
    `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/></Types>`,
  ],
  [
    '_rels/.rels',
    `<Relationships xmlns="${RELATIONS}"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  ],
  [
    'xl/workbook.xml',
    `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="${escaped(sheetName)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  ],
  [
    'xl/_rels/workbook.xml.rels',
    `<Relationships xmlns="${RELATIONS}"><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
  ],
  [
    'xl/styles.xml',
    `<styleSheet xmlns="${MAIN}"><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="1"><xf xfId="0"/></cellXfs></styleSheet>`,
  ],
]

/**
 * Writes rows as an XLSX file with one sheet, without holding them in memory. Texts are texts: nothing becomes a number, a
 * date or a formula.
 * @throws LIMIT_EXCEEDED for more rows, columns or characters in a cell than the format holds
 */
export async function writeXlsx(
  path: string,
  batches: AsyncIterable<readonly (readonly (string | number)[])[]>,
  { sheetName, signal }: { sheetName: string; signal: AbortSignal },
): Promise<void> {
  const { ZipFile } = await import('yazl')
  const archive = new ZipFile()
  const options = { mtime: ENTRY_TIME, mode: 0o100644, forceDosTimestamp: true }
  for (const [name, content] of parts(sheetName)) archive.addBuffer(Buffer.from(DECLARATION + content), name, options)
  const sheet = Readable.from(sheetMarkup(batches), { objectMode: false })
  const output = archive.outputStream as Readable
  sheet.once('error', (error) => output.destroy(error))
  archive.addReadStream(sheet, 'xl/worksheets/sheet1.xml', options)
  archive.end()
  await pipeline(output, createWriteStream(path), { signal })
}

async function* sheetMarkup(batches: AsyncIterable<readonly (readonly (string | number)[])[]>): AsyncGenerator<Buffer> {
  const letters: string[] = []
  let count = 0
  let widest = 0
  let isBegun = false
  for await (const rows of batches) {
    let text = isBegun ? '' : beginning(rows)
    isBegun = true
    for (const row of rows) {
      count += 1
      widest = Math.max(widest, row.length)
      // What does not fit is counted to the end, so that the message can say how much it is.
      if (count > MAX_ROWS || widest > MAX_COLUMNS) continue
      while (letters.length < row.length) letters.push(columnLetters(letters.length))
      let cells = ''
      for (const [column, cell] of row.entries())
        if (cell !== '') cells += cellMarkup(cell, `${letters[column]}${count}`)
      text += `<row r="${count}">${cells}</row>`
      // Long texts that are put together piece by piece keep the collector of garbage busy.
      if (text.length < PIECE) continue
      yield Buffer.from(text)
      text = ''
    }
    if (text !== '') yield Buffer.from(text)
  }
  if (count > MAX_ROWS || widest > MAX_COLUMNS)
    throw new MediaprocError(
      'LIMIT_EXCEEDED',
      `The table has ${count} rows and ${widest} columns; XLSX holds ${MAX_ROWS} rows and ${MAX_COLUMNS} columns`,
      { hint: 'Split the table first.' },
    )
  yield Buffer.from(`${isBegun ? '' : beginning([])}</sheetData></worksheet>`)
}

/** The narrowest and the widest column that is made for its content, in characters. */
const COLUMN_WIDTH = { min: 8, max: 60 }

/** What stands before the rows: columns as wide as what is seen of their content, so that nothing is shown as ###. */
function beginning(rows: readonly (readonly (string | number)[])[]): string {
  const widths: number[] = []
  for (const row of rows)
    for (const [column, cell] of row.entries())
      widths[column] = Math.max(widths[column] ?? COLUMN_WIDTH.min, Math.min(String(cell).length, COLUMN_WIDTH.max))
  const columns = widths
    .slice(0, MAX_COLUMNS)
    .map((width, index) => `<col min="${index + 1}" max="${index + 1}" width="${width + 1}" customWidth="1"/>`)
  const list = columns.length > 0 ? `<cols>${columns.join('')}</cols>` : ''
  return `${DECLARATION}<worksheet xmlns="${MAIN}">${list}<sheetData>`
}

function cellMarkup(cell: string | number, reference: string): string {
  if (typeof cell === 'number') return `<c r="${reference}"><v>${cell}</v></c>`
  if (cell.length > MAX_TEXT)
    throw new MediaprocError(
      'LIMIT_EXCEEDED',
      `Cell ${reference} has ${cell.length} characters; XLSX holds ${MAX_TEXT} in one`,
    )
  const space = /^\s|\s$|\n/.test(cell) ? ' xml:space="preserve"' : ''
  return `<c r="${reference}" t="inlineStr"><is><t${space}>${escaped(cell)}</t></is></c>`
}

/** A, B … Z, AA … */
function columnLetters(column: number): string {
  const rest = column < 26 ? '' : columnLetters(Math.floor(column / 26) - 1)
  return rest + String.fromCharCode(65 + (column % 26))
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Text within markup; what XML cannot hold is written as `_x0007_` ([ECMA-376] 22.9.2.19), and so is what looks like that. */
function escaped(text: string): string {
  if (!/[&<>"\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_x/.test(text)) return text
  return text
    .replace(/_(?=x[\dA-Fa-f]{4}_)/g, '_x005F_')
    .replace(/[&<>"]/g, (character) => ENTITIES[character]!)
    .replace(
      /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g,
      (character) => `_x${character.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}_`,
    )
}
