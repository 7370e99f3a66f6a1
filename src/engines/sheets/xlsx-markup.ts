import { limitExceeded } from '../../limit-exceeded.ts'
import { columnLetters, DECLARATION, type SheetMarkup } from './sheet-markup.ts'

/** Maximum number of characters per cell. */
const MAX_TEXT = 32_767

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** Everything except the sheet ([ECMA-376] part 1, 12.3). */
const parts = (sheetName: string): readonly (readonly [name: string, content: string])[] => [
  [
    '[Content_Types].xml',
    `${DECLARATION}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/></Types>`,
  ],
  [
    '_rels/.rels',
    `${DECLARATION}<Relationships xmlns="${RELATIONS}"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  ],
  [
    'xl/workbook.xml',
    `${DECLARATION}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="${escaped(sheetName)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  ],
  [
    'xl/_rels/workbook.xml.rels',
    `${DECLARATION}<Relationships xmlns="${RELATIONS}"><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
  ],
  [
    'xl/styles.xml',
    `${DECLARATION}<styleSheet xmlns="${MAIN}"><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="1"><xf xfId="0"/></cellXfs></styleSheet>`,
  ],
]

/** Sheets of Office Open XML ([ECMA-376] part 1, 18.3.1). */
export const xlsxMarkup: SheetMarkup = {
  label: 'XLSX',
  parts,
  sheetPart: 'xl/worksheets/sheet1.xml',
  begin(widths) {
    const columns = widths.map(
      (width, index) => `<col min="${index + 1}" max="${index + 1}" width="${width + 1}" customWidth="1"/>`,
    )
    const list = columns.length > 0 ? `<cols>${columns.join('')}</cols>` : ''
    return `${DECLARATION}<worksheet xmlns="${MAIN}">${list}<sheetData>`
  },
  row(row, number) {
    let cells = ''
    for (const [column, cell] of row.entries())
      if (cell !== '') cells += cellMarkup(cell, `${columnLetters(column)}${number}`)
    return `<row r="${number}">${cells}</row>`
  },
  end: () => '</sheetData></worksheet>',
}

function cellMarkup(cell: string | number, reference: string): string {
  if (typeof cell === 'number') return `<c r="${reference}"><v>${cell}</v></c>`
  if (cell.length > MAX_TEXT)
    throw limitExceeded(`Cell ${reference} has ${cell.length} characters; XLSX holds ${MAX_TEXT} in one`, {
      hint: 'Shorten the text, or write CSV or ODS.',
    })
  const space = /^\s|\s$|\n/.test(cell) ? ' xml:space="preserve"' : ''
  return `<c r="${reference}" t="inlineStr"><is><t${space}>${escaped(cell)}</t></is></c>`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/**
 * Escapes text for markup; characters that XML does not allow are written as `_x0007_` ([ECMA-376] 22.9.2.19), and so
 * is text that looks like that.
 */
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
