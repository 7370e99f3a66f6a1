import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as library from '@e965/xlsx'
import { describe, expect, test, vi } from 'vitest'
import convertSpreadsheet from '../../../tools/files/convert-spreadsheet.ts'
import { rawZip, readZip } from '../../helpers/raw-zip.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

async function convert(name: string, content: Uint8Array | string, format: string, settings = {}) {
  const path = join(mkdtempSync(join(folder, 'in-')), name)
  writeFileSync(path, content)
  const { paths, names, warnings } = await run(convertSpreadsheet, folder, [path], { format, ...settings })
  return { name: names[0]!, bytes: readFileSync(paths[0]!), warnings }
}

const open = (bytes: Uint8Array) => library.read(bytes, { type: 'buffer', cellNF: true })

/** Two sheets with numbers, text that looks like numbers, a formula with its result, dates and foreign letters. */
function workbook(bookType: 'xlsx' | 'ods' | 'xls'): Uint8Array {
  const date = (value: string, z: string) => ({ t: 'd' as const, v: new Date(value), z })
  const first: library.WorkSheet = {
    '!ref': 'A1:D3',
    A1: { t: 's', v: 'Größe, 日本' },
    B1: { t: 's', v: '007' },
    C1: { t: 'n', v: 1234.5, z: '#,##0.00' },
    D1: { t: 'b', v: true },
    A2: { t: 'n', v: 2, f: 'B2+1' },
    B2: { t: 'n', v: 1 },
    C2: date('2024-02-29T00:00:00Z', 'yyyy-mm-dd'),
    D2: { t: 's', v: 'two\nlines "quoted"' },
    A3: { t: 's', v: '' },
    D3: { t: 's', v: 'end' },
  }
  const book = library.utils.book_new()
  library.utils.book_append_sheet(book, first, 'First')
  library.utils.book_append_sheet(book, library.utils.aoa_to_sheet([['second', 2]]), 'Zweite Seite')
  return library.write(book, { type: 'buffer', bookType, compression: true, bookSST: true }) as Uint8Array
}

/** That workbook with some parts changed. */
async function changed(parts: Record<string, (text: string) => string>): Promise<Buffer> {
  const path = join(folder, 'plain.xlsx')
  writeFileSync(path, workbook('xlsx'))
  const entries = await readZip(path)
  return rawZip(entries.map(({ name, data }) => ({ name, data: parts[name]?.(data.toString()) ?? data })))
}

describe('to CSV: the first sheet, as displayed', () => {
  test.each(['xlsx', 'xls'] as const)('%s', async (type) => {
    const { name, bytes } = await convert(`table.${type}`, workbook(type), 'csv')
    expect(name).toBe('table.csv')
    expect(bytes.toString()).toBe(
      ['"Größe, 日本",007,"1,234.50",TRUE', '2,1,2024-02-29,"two\nlines ""quoted"""', ',,,end'].join('\r\n'),
    )
  })

  test('ods', async () => {
    const made = await convert('table.xlsx', workbook('xlsx'), 'ods')
    const { bytes } = await convert('table.ods', made.bytes, 'csv')
    const [first, second] = bytes.toString().split('\r\n')
    expect(first).toMatch(/^"Größe, 日本",007,.*TRUE$/)
    expect(second).toMatch(/^2,1,2024-02-29,/)
  })

  test('dates of the short format have the full year, times their hours', async () => {
    const sheet: library.WorkSheet = {
      '!ref': 'A1:B1',
      A1: { t: 'n', v: 45351, z: 'm/d/yy' },
      B1: { t: 'n', v: 45351.5625, z: 'yyyy-mm-dd hh:mm' },
    }
    const book = library.utils.book_new()
    library.utils.book_append_sheet(book, sheet, 'Dates')
    const xlsx = library.write(book, { type: 'buffer', bookType: 'xlsx' }) as Uint8Array
    expect((await convert('dates.xlsx', xlsx, 'csv')).bytes.toString()).toBe('2024-02-29,2024-02-29 13:30')
  })

  test('an empty sheet', async () => {
    const book = library.utils.book_new()
    library.utils.book_append_sheet(book, library.utils.aoa_to_sheet([]), 'Empty')
    const xlsx = library.write(book, { type: 'buffer', bookType: 'xlsx' }) as Uint8Array
    expect((await convert('empty.xlsx', xlsx, 'csv')).bytes.toString()).toBe('')
  })
})

describe('to CSV: no part of a value is lost', () => {
  type Row = readonly [what: string, cell: Partial<library.CellObject>, text: string]
  const number = (v: number, z?: string): Partial<library.CellObject> => ({ t: 'n', v, ...(z !== undefined && { z }) })
  const DAY = 45_351
  const ROWS: readonly Row[] = [
    ['13 digits', number(1234567890123), '1234567890123'],
    ['16 digits', number(1234567890123456), '1234567890123456'],
    ['a small one', number(0.0000015), '0.0000015'],
    ['17 digits', number(0.1 + 0.2), '0.30000000000000004'],
    ['the noise of a sum under a format', number(0.1 + 0.2, '0.00'), '0.30'],
    ['hidden decimals', number(1234.567, '#,##0.00'), '"1,234.567"'],
    ['a whole percentage', number(0.25, '0%'), '25%'],
    ['a percentage with hidden decimals', number(0.125, '0%'), '12.5%'],
    ['an account', number(-12.5, '_(* #,##0.00_);_(* (#,##0.00)'), '(12.50)'],
    ['a hidden sign', number(-5, '0;0'), '-5'],
    ['leading zeros', number(501, '00000'), '00501'],
    ['scientific', number(1234567890123, '0.00E+00'), '1234567890123'],
    ['a fraction', number(1 / 3, '# ?/?'), '0.3333333333333333'],
    ['millions', number(2_510_000, '0.0,,"M"'), '2510000'],
    ['a date', number(DAY, 'dd.mm.yyyy'), '2024-02-29'],
    ['a month', number(DAY, 'mmm-yy'), '2024-02-29'],
    ['a date and its time', number(DAY + 0.5625, 'm/d/yy h:mm'), '2024-02-29T13:30:00'],
    ['a date that hides its time', number(DAY + 0.5625, 'm/d/yy'), '2024-02-29T13:30:00'],
    ['hidden seconds', number(DAY + 48_645 / 86_400, 'yyyy-mm-dd hh:mm'), '2024-02-29T13:30:45'],
    ['a time', number(0.5625, 'h:mm AM/PM'), '13:30:00'],
    ['a length', number(1.5, '[h]:mm:ss'), '36:00:00'],
    ['a length under a format of times', number(1.5, 'h:mm'), '36:00:00'],
    ['before all dates', number(-3, 'yyyy-mm-dd'), '-3'],
    ['a boolean', { t: 'b', v: false }, 'FALSE'],
    ['an error', { t: 'e', v: 7 }, '#DIV/0!'],
    ['a formula with its result', { t: 'n', v: 3, f: '1+2' }, '3'],
  ]

  function bookOf(cells: readonly Partial<library.CellObject>[], bookType: 'xlsx' | 'xls'): Uint8Array {
    const sheet: library.WorkSheet = { '!ref': `A1:A${cells.length}` }
    for (const [index, cell] of cells.entries()) sheet[`A${index + 1}`] = cell as library.CellObject
    const book = library.utils.book_new()
    library.utils.book_append_sheet(book, sheet, 'Values')
    return library.write(book, { type: 'buffer', bookType, compression: true }) as Uint8Array
  }

  test.each(['xlsx', 'xls'] as const)('%s: numbers, dates, times, booleans, errors', async (type) => {
    const { bytes, warnings } = await convert(
      `values.${type}`,
      bookOf(
        ROWS.map(([, cell]) => cell),
        type,
      ),
      'csv',
    )
    const found = bytes.toString().split('\r\n')
    const named = (texts: readonly string[]) => Object.fromEntries(texts.map((text, index) => [ROWS[index]![0], text]))
    expect(named(found)).toEqual(named(ROWS.map(([, , text]) => text)))
    expect(warnings).toEqual([])
  })

  test('writes a formula without a result as such, with a warning', async () => {
    const bytes = await changed({
      'xl/worksheets/sheet1.xml': (text) => text.replace('</f><v>2</v>', '</f>'),
    })
    const made = await convert('new.xlsx', bytes, 'csv', { sheet: 'First' })
    expect(made.bytes.toString()).toContain('\r\n=B2+1,1,')
    expect(made.warnings).toEqual([expect.stringContaining('new.xlsx holds a formula without a result')])
  })

  test('dates counted from 1904, texts with formats and phonetics', async () => {
    const strings =
      '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><r><t>one </t></r><r><t>text_x0041_</t></r><rPh><t>read</t></rPh></si></sst>'
    const sheet =
      '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row><c t="s"><v>0</v></c><c s="2"><v>1</v></c></row></sheetData></worksheet>'
    const book = { 'xl/sharedStrings.xml': () => strings, 'xl/worksheets/sheet1.xml': () => sheet }
    const bytes = await changed({
      ...book,
      'xl/workbook.xml': (text) => text.replace('<workbookPr', '<workbookPr date1904="1"'),
    })
    const { bytes: csv } = await convert('mac.xlsx', bytes, 'csv')
    expect(csv.toString()).toMatch(/^one textA,1904-01-02/)
  })

  test("does not print the library's messages", async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => {})
    const format = '_(* #,##0.00_);_(* (#,##0.00);_(@_)'
    await convert('values.xlsx', bookOf([number(1, format), number(DAY, 'dd.mm.yyyy')], 'xlsx'), 'ods')
    expect(said).not.toHaveBeenCalled()
    said.mockRestore()
  })
})

describe('between spreadsheets', () => {
  test.each([
    ['xlsx', 'ods'],
    ['xls', 'xlsx'],
    ['xls', 'ods'],
  ] as const)('%s to %s keeps sheets, values, formulas and dates', async (from, to) => {
    const { name, bytes } = await convert(`table.${from}`, workbook(from), to)
    expect(name).toBe(`table.${to}`)
    const book = open(bytes)
    expect(book.SheetNames).toEqual(['First', 'Zweite Seite'])
    const sheet = book.Sheets.First!
    expect([sheet.A1?.v, sheet.B1?.v, sheet.C1?.v, sheet.D1?.v]).toEqual(['Größe, 日本', '007', 1234.5, true])
    // The library writes no formulas into XLS, so the test's own input has none.
    expect([sheet.B1?.t, sheet.A2?.f, sheet.A2?.v]).toEqual(['s', from === 'xls' ? undefined : 'B2+1', 2])
    expect(sheet.C2?.v).toBe(45351)
    expect(book.Sheets['Zweite Seite']!.A1?.v).toBe('second')
  })

  test('ODS states its type in its first bytes', async () => {
    const { bytes } = await convert('table.xlsx', workbook('xlsx'), 'ods')
    expect(bytes.subarray(30, 84).toString()).toBe('mimetypeapplication/vnd.oasis.opendocument.spreadsheet')
  })

  test('back from ODS', async () => {
    const ods = await convert('table.xlsx', workbook('xlsx'), 'ods')
    const sheet = open((await convert('table.ods', ods.bytes, 'xlsx')).bytes).Sheets.First!
    expect([sheet.A1?.v, sheet.B1?.v, sheet.C1?.v, sheet.C2?.v]).toEqual(['Größe, 日本', '007', 1234.5, 45351])
    expect(sheet.A2).toMatchObject({ v: 2, f: 'B2+1' })
  })
})

describe('from CSV', () => {
  test.each(['xlsx', 'ods'] as const)('%s: numbers only if that preserves the text', async (format) => {
    const csv = '\ufeffname;value\r\nÉmilie;1815\r\nzip;007\r\nphone;+49 170\r\nbig;12345678901234567890\r\n-2.5;=1+1'
    const { name, bytes } = await convert('list.csv', csv, format)
    expect(name).toBe(`list.${format}`)
    const book = open(bytes)
    expect(book.SheetNames).toEqual(['list'])
    expect(library.utils.sheet_to_json(book.Sheets.list!, { header: 1 })).toEqual([
      ['name', 'value'],
      ['Émilie', 1815],
      ['zip', '007'],
      ['phone', '+49 170'],
      ['big', '12345678901234567890'],
      [-2.5, '=1+1'],
    ])
    expect(book.Sheets.list!.B6?.f).toBeUndefined()
  })

  test('ods: round-trips lines, consecutive spaces and markup characters', async () => {
    const csv = 'a,b\r\n"two\n  lines"," x  y "\r\n<&>,tab\there\r\n1'
    const { bytes } = await convert('odd.csv', csv, 'ods')
    expect(bytes.subarray(30, 84).toString()).toBe('mimetypeapplication/vnd.oasis.opendocument.spreadsheet')
    expect((await convert('back.ods', bytes, 'csv')).bytes.toString()).toBe(`${csv},`)
    expect(open(bytes).SheetNames).toEqual(['odd'])
  })

  test('an invalid sheet name', async () => {
    const { bytes } = await convert(`a[b]:c*d?e ${'x'.repeat(40)}.csv`, 'a,b\n1,2', 'xlsx')
    expect(open(bytes).SheetNames).toEqual([`a_b__c_d_e ${'x'.repeat(20)}`])
  })

  test('an error in the table', async () => {
    await expect(convert('list.csv', 'a,b\n"1,2', 'xlsx')).rejects.toMatchObject({ code: 'PROCESSING_FAILED' })
  })
})

test.each(['xlsx', 'csv'] as const)('%s to itself: the bytes are unchanged', async (format) => {
  const content = format === 'csv' ? 'a;b\n1;2\n' : workbook('xlsx')
  const { name, bytes } = await convert(`same.${format}`, content, format)
  expect(name).toBe(`same_convert-spreadsheet.${format}`)
  expect(bytes).toEqual(Buffer.from(content as string))
})

describe('invalid input', () => {
  test.each([
    ['empty.xlsx', '', 'EMPTY_FILE'],
    ['text.xlsx', 'just text', 'INVALID_FILE'],
    ['picture.csv', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'UNSUPPORTED_FILE_TYPE'],
    ['cut.xlsx', workbook('xlsx').subarray(0, 900), 'INVALID_FILE'],
  ])('%s', async (name, content, code) => {
    await expect(convert(name, content, 'csv')).rejects.toMatchObject({ code })
  })

  test('no format, an unknown one', async () => {
    await expect(run(convertSpreadsheet, folder, [])).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
    await expect(convert('a.csv', 'a', 'pdf')).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
  })

  test('protected by a password', async () => {
    const container = library.CFB.utils.cfb_new()
    library.CFB.utils.cfb_add(container, '/EncryptedPackage', Buffer.alloc(5000, 7))
    const info = Buffer.concat([Buffer.from([4, 0, 4, 0, 0x40, 0, 0, 0]), Buffer.from('<encryption/>')])
    library.CFB.utils.cfb_add(container, '/EncryptionInfo', info)
    const bytes = Buffer.from(library.CFB.write(container, { type: 'buffer' }) as Uint8Array)
    await expect(convert('secret.xlsx', bytes, 'csv')).rejects.toMatchObject({ code: 'PASSWORD_PROTECTED' })
  })

  test('ignores a declared size of 17 thousand million cells', async () => {
    const bytes = await changed({
      'xl/worksheets/sheet1.xml': (text) => text.replace(/<dimension ref="[^"]*"/, '<dimension ref="A1:XFD1048576"'),
    })
    expect((await convert('wide.xlsx', bytes, 'csv')).bytes.toString()).toMatch(/,,,end$/)
  })

  test('one cell in the farthest corner', async () => {
    const far = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
    const bytes = await changed({
      'xl/worksheets/sheet1.xml': (text) => text.replace('</sheetData>', far),
    })
    await expect(convert('far.xlsx', bytes, 'csv')).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' })
  })

  test('a bomb', async () => {
    const path = join(folder, 'plain.xlsx')
    writeFileSync(path, workbook('xlsx'))
    const entries = (await readZip(path)).map(({ name, data }) => ({ name, data }))
    const bytes = rawZip([...entries, { name: 'xl/bomb.xml', data: 'x', size: 900 * 1024 * 1024 }])
    await expect(convert('bomb.xlsx', bytes, 'csv')).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: expect.stringContaining('unpacks to 900 MiB'),
    })
  })
})
