import { numberFormats } from '../documents/xlsx.ts'
import { readMarkup } from './markup.ts'
import type { NumberFormats } from './number-formats.ts'
import type { Package } from './package.ts'
import { SharedStrings } from './shared-strings.ts'

/** The data that the cells of an XLSX file refer to. */
export interface Workbook {
  formats: NumberFormats
  /** Whether dates use the 1904 date system of old Macs. */
  date1904: boolean
  /** The number format of every cell style. */
  styles: (string | undefined)[]
  strings: SharedStrings
  /** The sheets in order, each with its part of the package. */
  sheets: { name: string; part: string }[]
}

/** The part that lists the sheets. */
export async function bookPart(parts: Package): Promise<string> {
  const main = [...(await parts.references('')).values()].find(({ type }) => type === 'officeDocument')
  return main?.part ?? 'xl/workbook.xml'
}

/** Everything except the sheets themselves. @throws Error if it is not a workbook */
export async function openWorkbook(parts: Package): Promise<Workbook> {
  const part = await bookPart(parts)
  const references = await parts.references(part)
  const partOf = (wanted: string): string | undefined =>
    [...references.values()].find(({ type, part }) => type === wanted && parts.has(part))?.part
  const { sheets, date1904 } = await readBook(parts, part)
  return {
    date1904,
    formats: await numberFormats(),
    sheets: sheets.map(({ name, id }) => ({ name, part: references.get(id)?.part ?? '' })),
    styles: await readStyles(parts, partOf('styles')),
    strings: await readStrings(parts, partOf('sharedStrings')),
  }
}

/** The sheets with their relationship ids. */
async function readBook(
  parts: Package,
  part: string,
): Promise<{ sheets: { name: string; id: string }[]; date1904: boolean }> {
  const sheets: { name: string; id: string }[] = []
  let date1904 = false
  await readMarkup(await parts.stream(part), {
    open(name, attributes) {
      if (name === 'workbookPr') date1904 = /^(1|true)$/.test(attributes.date1904 ?? '')
      if (name !== 'sheet') return
      const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1] ?? ''
      sheets.push({ name: attributes.name ?? '', id })
    },
  })
  return { sheets, date1904 }
}

async function readStyles(parts: Package, part: string | undefined): Promise<(string | undefined)[]> {
  if (part === undefined) return []
  const codes = new Map(Object.entries((await numberFormats()).get_table()))
  const styles: string[] = []
  let within = ''
  await readMarkup(await parts.stream(part), {
    open(name, { numFmtId = '0', formatCode = '' }) {
      if (name.endsWith('Xfs') || name === 'dxfs') within = name
      // Differential formats have their own numbering.
      if (name === 'numFmt' && within !== 'dxfs') codes.set(numFmtId, formatCode)
      if (name === 'xf' && within === 'cellXfs') styles.push(numFmtId)
    },
  })
  return styles.map((id) => codes.get(id))
}

async function readStrings(parts: Package, part: string | undefined): Promise<SharedStrings> {
  const strings = new SharedStrings()
  if (part === undefined) return strings
  let text = ''
  let isText = false
  let isSpoken = false
  await readMarkup(await parts.stream(part), {
    open(name) {
      if (name === 'si') text = ''
      // Phonetic text is not part of the string.
      if (name === 'rPh') isSpoken = true
      isText = name === 't' && !isSpoken
    },
    text(piece) {
      if (isText) text += piece
    },
    close(name) {
      isText = false
      if (name === 'rPh') isSpoken = false
      if (name === 'si') strings.add(unescaped(text))
    },
  })
  return strings
}

/** Characters that XML does not allow are written as `_x0007_` ([ECMA-376] 22.9.2.19). */
export function unescaped(text: string): string {
  if (!text.includes('_x')) return text
  return text.replace(/_x([\dA-Fa-f]{4})_/g, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}
