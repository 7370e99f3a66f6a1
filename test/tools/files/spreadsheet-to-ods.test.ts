/** convert-spreadsheet to ODS: dates, formulas, errors, currencies and hidden parts stay correct. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as library from '@e965/xlsx'
import { describe, expect, test } from 'vitest'
import { odsFormula } from '../../../src/engines/sheets/ods-formula.ts'
import { numberStyle } from '../../../src/engines/sheets/ods-number-style.ts'
import convertSpreadsheet from '../../../tools/files/convert-spreadsheet.ts'
import { rawZip, readZip } from '../../helpers/raw-zip.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
type Cell = Partial<library.CellObject>
const number = (v: number, z?: string, f?: string): Cell => ({
  t: 'n',
  v,
  ...(z !== undefined && { z }),
  ...(f !== undefined && { f }),
})

async function converted(cells: Record<string, Cell>, change: (book: library.WorkBook) => void = () => {}) {
  const sheet = { '!ref': 'A1:Z99', ...cells } as library.WorkSheet
  const book = library.utils.book_new()
  library.utils.book_append_sheet(book, sheet, 'First')
  library.utils.book_append_sheet(book, library.utils.aoa_to_sheet([['x', 1]]), 'Two words')
  change(book)
  const path = join(folder, 'book.xlsx')
  writeFileSync(path, library.write(book, { type: 'buffer', bookType: 'xlsx' }) as Uint8Array)
  const { paths, warnings } = await run(convertSpreadsheet, folder, [path], { format: 'ods' })
  const content = (await readZip(paths[0]!)).find(({ name }) => name === 'content.xml')!.data.toString()
  const back = library.read(readFileSync(paths[0]!), { type: 'buffer', cellNF: true, sheetStubs: true })
  return { content, first: back.Sheets.First!, back, warnings, path: paths[0]! }
}

/** The start tag of the cell with a text. */
const cellOf = (content: string, text: string): string =>
  new RegExp(`<table:table-cell([^>]*)><text:p>${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}</text:p>`).exec(
    content,
  )?.[1] ?? 'none'

test('dates in formats of any case are dates, times are times', async () => {
  const DAY = 45_351
  const { content, first, warnings } = await converted({
    ...{
      A1: number(DAY, 'YYYY-MM-DD'),
      A2: number(DAY + 0.5625, 'YYYY-MM-DD HH:MM:SS'),
      A3: number(DAY, 'dd.mm.yyyy'),
    },
    ...{
      A4: number(0.5625, 'h:mm'),
      A5: number(1.5, '[h]:mm:ss'),
      A6: number(60, 'yyyy-mm-dd'),
      A7: number(DAY + 0.1234, 'yyyy'),
    },
  })
  const values = [...content.matchAll(/office:(?:date|time)-value="([^"]*)"/g)].map(([, value]) => value)
  expect(values).toEqual([
    '2024-02-29',
    '2024-02-29T13:30:00',
    '2024-02-29',
    'PT13H30M00S',
    'PT36H00M00S',
    '2024-02-29T02:57:41.760',
  ])
  expect(['A1', 'A2', 'A3', 'A4', 'A5', 'A6'].map((at) => first[at].v)).toEqual([
    DAY,
    DAY + 0.5625,
    DAY,
    0.5625,
    1.5,
    60,
  ])
  expect([first.A1.w, first.A2.w, first.A5.w]).toEqual(['2024-02-29', '2024-02-29 13:30:00', '36:00:00'])
  expect(warnings).toEqual([])
})

test('dates counted from 1904 are the same days', async () => {
  const { content } = await converted({ A1: number(43_889, 'YYYY-MM-DD') }, (book) => {
    book.Workbook = { WBProps: { date1904: true } }
  })
  expect(content).toContain('office:date-value="2024-02-29"')
})

test('formulas: with and without a result, to other sheets, with errors', async () => {
  const { content, first, warnings, path } = await converted({
    ...{ A1: number(2), A2: { t: 'z', f: 'SUM(A1:A1)+LOG10(100)' }, A3: number(1, undefined, "'Two words'!$B$1") },
    ...{
      A4: { t: 'e', v: 7, w: '#DIV/0!', f: '1/0' },
      A5: { t: 'e', v: 42, w: '#N/A' },
      A6: number(9, undefined, '[1]Other!A1'),
    },
  })
  expect(content).toContain('<table:table-cell table:formula="of:=SUM([.A1:.A1])+LOG10(100)"></table:table-cell>')
  expect(cellOf(content, '1')).toContain(`table:formula="of:=[$'Two words'.$B$1]"`)
  expect(cellOf(content, '#DIV/0!')).toMatch(/table:formula="of:=1\/0".*calcext:value-type="error"/)
  expect(cellOf(content, '#N/A')).toMatch(/table:formula="of:=#N\/A".*calcext:value-type="error"/)
  expect(cellOf(content, '9')).toBe(' office:value-type="float" office:value="9"')
  expect([first.A4.t, first.A4.w, first.A5.t, first.A5.w, first.A2.f]).toEqual([
    'e',
    '#DIV/0!',
    'e',
    '#N/A',
    'SUM(A1:A1)+LOG10(100)',
  ])
  expect(warnings).toEqual([
    'book.xlsx has 1 formula that OpenDocument cannot say, such as references to other files: the results stay',
    'book.xlsx has 1 formula without a result, which the next program that opens it computes',
  ])
  const again = await run(convertSpreadsheet, folder, [path], { format: 'xlsx' })
  const sheet = library.read(readFileSync(again.paths[0]!), { type: 'buffer' }).Sheets.First!
  expect(sheet.A3.f).toMatch(/^'Two words'!\$?B\$1$/)
})

test('currencies, percentages, colours and sections', async () => {
  const { content } = await converted({
    ...{ A1: number(-1.5, '"$"#,##0.00'), A2: number(2.5, '#,##0.00 [$€-407]'), A3: number(0.125, '0.0%') },
    A4: number(-5, '"$"#,##0_);[Red]("$"#,##0)'),
  })
  expect(content).toContain('office:value-type="currency" office:currency="USD" office:value="-1.5"')
  expect(content).toContain('office:value-type="currency" office:currency="EUR" office:value="2.5"')
  expect(content).toContain('office:value-type="percentage" office:value="0.125"')
  expect(content).toContain('<number:currency-symbol>€</number:currency-symbol>')
  expect(content).toMatch(
    /fo:color="#ff0000".*<style:map style:condition="value\(\)&gt;=0" style:apply-style-name="Nce3P0"\/>/,
  )
})

test('hidden rows, columns and sheets stay hidden; keeps merged cells and notes', async () => {
  const { content, first } = await converted(
    { A1: { t: 's', v: 'a', c: [{ t: 'note' }] }, B2: number(1), D4: { t: 's', v: 'm' } },
    (book) => {
      const sheet = book.Sheets.First!
      sheet['!cols'] = [{}, { hidden: true }]
      sheet['!rows'] = [{}, { hidden: true }]
      sheet['!merges'] = [{ s: { r: 3, c: 3 }, e: { r: 4, c: 4 } }]
      book.Workbook = { Sheets: [{ Hidden: 0 }, { Hidden: 1 }] }
    },
  )
  const [one, two] = content.split('</table:table>')
  expect(one!.match(/<table:table-column[^>]*>/g)!.map((column) => column.includes('visibility="collapse"'))).toEqual([
    false,
    true,
    false,
    false,
    false,
  ])
  expect(one!.match(/<table:table-row[^>]*>/g)!.map((row) => row.includes('visibility="collapse"'))).toEqual([
    false,
    true,
    false,
    false,
    false,
  ])
  expect([one!.includes('table:style-name="shown"'), two!.includes('table:style-name="hidden"')]).toEqual([true, true])
  expect(first['!merges']).toEqual([{ s: { r: 3, c: 3 }, e: { r: 4, c: 4 } }])
  expect(content).toContain('<office:annotation><text:p>note</text:p></office:annotation>')
})

test('and back as text: the displayed text if it is complete, else the number', async () => {
  const accounts = '_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)'
  const { path } = await converted({
    ...{
      A1: number(-12.5, accounts),
      A2: number(0, accounts),
      A3: number(2_510_000, '0.0,,"M"'),
      A4: number(501, '00000'),
    },
    ...{ A5: number(1500, '[>=1000]#,##0,"k";0'), A6: number(0.125, '0%'), A7: number(45_351, 'DD.MM.YYYY') },
  })
  const { paths } = await run(convertSpreadsheet, folder, [path], { format: 'csv', sheet: '1' })
  expect(readFileSync(paths[0]!, 'utf8').split('\r\n')).toEqual([
    '(12.50)',
    '0',
    '2510000',
    '00501',
    '1500',
    '0.125',
    '2024-02-29',
  ])
})

test('warns about lost styles and rules', async () => {
  const { path: plain } = await converted({ A1: number(1) })
  const { paths } = await run(convertSpreadsheet, folder, [plain], { format: 'xlsx' })
  const entries = (await readZip(paths[0]!)).map(({ name, data }) => {
    const text = data.toString()
    if (name === 'xl/styles.xml')
      return { name, data: text.replace(/(<cellXfs[^>]*>)/, '$1<xf fontId="1" fillId="0"/>') }
    if (name !== 'xl/worksheets/sheet1.xml') return { name, data }
    return { name, data: text.replace('</sheetData>', '</sheetData><conditionalFormatting sqref="A1"/>') }
  })
  const path = join(folder, 'looks.xlsx')
  writeFileSync(path, rawZip(entries))
  const { warnings } = await run(convertSpreadsheet, folder, [path], { format: 'ods' })
  expect(warnings).toEqual([
    'looks.xlsx has content that is not converted: fonts, colours and borders, conditional formats',
  ])
})

test('warns about lost charts and pictures', async () => {
  const { path: plain } = await converted({ A1: number(1) })
  const { paths } = await run(convertSpreadsheet, folder, [plain], { format: 'xlsx' })
  const entries = (await readZip(paths[0]!)).map(({ name, data }) => ({ name, data }))
  const path = join(folder, 'drawn.xlsx')
  writeFileSync(
    path,
    rawZip([...entries, { name: 'xl/charts/chart1.xml', data: '<c/>' }, { name: 'xl/media/image1.png', data: 'x' }]),
  )
  const { warnings } = await run(convertSpreadsheet, folder, [path], { format: 'ods' })
  expect(warnings).toEqual(['drawn.xlsx has content that is not converted: charts, pictures'])
})

describe('formulas of OpenFormula', () => {
  test.each([
    ['SUM(A1:B2,$C$3)', 'SUM([.A1:.B2];[.$C$3])'],
    ['IF(A1="x;y,""z""",1,2)', 'IF([.A1]="x;y,""z""";1;2)'],
    ["Sheet2!A1+'It''s'!B2:C3", "[$'Sheet2'.A1]+[$'It''s'.B2:.C3]"],
    ['SUM({1,2;3,4})', 'SUM({1;2|3;4})'],
    ['SUM(A:A)+SUM(1:3)', 'SUM([.A:.A])+SUM([.1:.3])'],
    ['LOG10(5)+ATAN2(1,2)', 'LOG10(5)+ATAN2(1;2)'],
    [
      '_xlfn.IFS(TRUE,1)+STDEV.S(A1:A3)+_xlfn.XOR(TRUE)',
      'COM.MICROSOFT.IFS(TRUE;1)+COM.MICROSOFT.STDEV.S([.A1:.A3])+XOR(TRUE)',
    ],
    ['Rate*1.5E+3%', 'Rate*1.5E+3%'],
  ])('%s', (excel, open) => {
    expect(odsFormula(excel)).toBe(`of:=${open}`)
  })

  test.each(['Table1[Price]', '[1]Sheet1!A1', "'[a.xlsx]S'!A1"])('%s has no equivalent', (formula) => {
    expect(() => odsFormula(formula)).toThrow()
  })
})

test.each([
  [
    '#,##0',
    'float',
    'number:decimal-places="0" number:min-decimal-places="0" number:min-integer-digits="1" number:grouping="true"',
  ],
  [
    '0.0#,,"M"',
    'float',
    'number:decimal-places="2" number:min-decimal-places="1" number:min-integer-digits="1" number:display-factor="1000000"',
  ],
  ['0.00E+00', 'float', 'number:min-exponent-digits="2"'],
  ['# ?/8', 'float', 'number:denominator-value="8"'],
  [
    'mm:ss.00',
    'time',
    '<number:minutes number:style="long"/><number:text>:</number:text><number:seconds number:style="long" number:decimal-places="2"/>',
  ],
  ['[$-407]D. MMMM YYYY', 'date', 'number:language="de" number:country="DE"'],
  ['h:mm AM/PM', 'time', '<number:am-pm/>'],
  ['@', 'text', '<number:text-content/>'],
  ['"no ; section"0', 'float', '<number:text>no ; section</number:text>'],
])('the format %s', (code, kind, markup) => {
  const style = numberStyle(code, 'N1')
  expect(style.kind).toBe(kind)
  expect(style.markup).toContain(markup)
})

test('back in XLSX, hidden sheets are hidden and characters in the texts of formulas stay', async () => {
  const formulas = { A1: 'IF(B1="a;b|c~d","&;""x;""",2)', A2: 'SUM(B1:B2,B4)' }
  const { path } = await converted(
    { A1: { t: 'n', v: 2, f: formulas.A1 }, A2: { t: 'n', v: 5, f: formulas.A2 }, B1: number(1) },
    (book) => {
      book.Workbook = { Sheets: [{ Hidden: 0 }, { Hidden: 1 }] }
    },
  )
  const { paths } = await run(convertSpreadsheet, folder, [path], { format: 'xlsx' })
  const back = library.read(readFileSync(paths[0]!), { type: 'buffer' })
  expect(back.Sheets.First!.A1.f).toBe(formulas.A1)
  expect(back.Sheets.First!.A2.f).toBe(formulas.A2)
  expect(back.Workbook!.Sheets!.map(({ Hidden }) => Hidden)).toEqual([0, 1])
})
