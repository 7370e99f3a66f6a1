import { DECLARATION, type SheetMarkup } from './sheet-markup.ts'

const TYPE = 'application/vnd.oasis.opendocument.spreadsheet'
const NAMESPACES = ['office', 'table', 'text', 'style']
  .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .join(' ')
const VERSION = 'office:version="1.3"'

/** Centimetres per character of the default font size. */
const CHARACTER = 0.2

/** Sheets of OpenDocument 1.3 (part 3, 9). */
export const odsMarkup: SheetMarkup = {
  label: 'ODS',
  parts: () => [
    ['mimetype', TYPE],
    [
      'META-INF/manifest.xml',
      `${DECLARATION}<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.3"><manifest:file-entry manifest:full-path="/" manifest:version="1.3" manifest:media-type="${TYPE}"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/><manifest:file-entry manifest:full-path="styles.xml" manifest:media-type="text/xml"/></manifest:manifest>`,
    ],
    // Required by some readers.
    [
      'styles.xml',
      `${DECLARATION}<office:document-styles ${NAMESPACES} ${VERSION}><office:styles/></office:document-styles>`,
    ],
  ],
  sheetPart: 'content.xml',
  begin(widths, sheetName) {
    const styles = widths.map(
      (width, index) =>
        `<style:style style:name="c${index}" style:family="table-column"><style:table-column-properties style:column-width="${(width * CHARACTER + 0.3).toFixed(2)}cm"/></style:style>`,
    )
    const columns = widths.map((_width, index) => `<table:table-column table:style-name="c${index}"/>`)
    // A table must have at least one column.
    const list = columns.length > 0 ? columns.join('') : '<table:table-column/>'
    return `${DECLARATION}<office:document-content ${NAMESPACES} ${VERSION}><office:automatic-styles>${styles.join('')}</office:automatic-styles><office:body><office:spreadsheet><table:table table:name="${escapedText(sheetName)}">${list}`
  },
  row: (row) => `<table:table-row>${row.map(cellMarkup).join('') || '<table:table-cell/>'}</table:table-row>`,
  end: () => '</table:table></office:spreadsheet></office:body></office:document-content>',
}

function cellMarkup(cell: string | number): string {
  if (cell === '') return '<table:table-cell/>'
  if (typeof cell === 'number')
    return `<table:table-cell office:value-type="float" office:value="${cell}"><text:p>${cell}</text:p></table:table-cell>`
  return `<table:table-cell office:value-type="string">${paragraphs(cell)}</table:table-cell>`
}

/** The lines of a text, as elements. */
export const paragraphs = (text: string): string =>
  text
    .split('\n')
    .map((line) => `<text:p>${spaced(escapedText(line))}</text:p>`)
    .join('')

/** Consecutive, leading and trailing spaces, and tabs, are elements (part 3, 6.1.2). */
function spaced(text: string): string {
  if (!/^ | $| {2}|\t/.test(text)) return text
  return text
    .replace(/^ +| +$| {2,}/g, (spaces) => `<text:s text:c="${spaces.length}"/>`)
    .replaceAll('\t', '<text:tab/>')
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Escapes text for markup; characters that XML does not allow become the replacement character. */
export function escapedText(text: string): string {
  if (!/[&<>"\u0000-\u0008\u000b-\u001f\ufffe\uffff]/.test(text)) return text
  return text
    .replace(/[&<>"]/g, (character) => ENTITIES[character]!)
    .replace(/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g, '\ufffd')
}
