/** Which sheet of a spreadsheet becomes a table, and that others are not omitted silently. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as library from '@e965/xlsx'
import { describe, expect, test } from 'vitest'
import convertSpreadsheet from '../../../tools/files/convert-spreadsheet.ts'
import csvExcel from '../../../tools/files/csv-excel.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

type Sheets = readonly (readonly [name: string, rows: unknown[][]])[]

async function book(type: 'xlsx' | 'xls' | 'ods', sheets: Sheets): Promise<string> {
  const made = library.utils.book_new()
  for (const [name, rows] of sheets) library.utils.book_append_sheet(made, library.utils.aoa_to_sheet(rows), name)
  const path = join(folder, `book.${type === 'ods' ? 'xlsx' : type}`)
  const bookType = type === 'xls' ? 'xls' : 'xlsx'
  writeFileSync(path, library.write(made, { type: 'buffer', bookType }) as Uint8Array)
  // The library's own ODS does not state its type in its first bytes.
  return type === 'ods' ? (await run(convertSpreadsheet, folder, [path], { format: 'ods' })).paths[0]! : path
}

const SHEETS: Sheets = [
  ['Data', [['a'], [1]]],
  ['Prices 2', [['b'], [2]]],
  ['3', [['c'], [3]]],
  ['Empty', []],
]
const convert = (path: string, settings = {}) => run(convertSpreadsheet, folder, [path], { format: 'csv', ...settings })
const read = (path: string | undefined) => readFileSync(path!, 'utf8')

describe.each(['xlsx', 'xls', 'ods'] as const)('%s', (type) => {
  test('the first sheet, and a warning that names other non-empty ones', async () => {
    const { paths, warnings } = await convert(await book(type, SHEETS))
    expect(read(paths[0])).toBe('a\r\n1')
    expect(warnings).toEqual([
      `book.${type} has 2 more sheets than Data, the first, which is the only one used (--sheet selects another, files/convert-spreadsheet/sheets converts all): Prices 2, 3`,
    ])
    expect(
      (
        await convert(
          await book(type, [
            ['Data', [['a']]],
            ['Empty', []],
            ['Empty 2', []],
          ]),
        )
      ).warnings,
    ).toEqual([])
  })

  test('one by its name, in any case, or its number; a name takes precedence', async () => {
    const path = await book(type, SHEETS)
    for (const [sheet, text] of Object.entries({ 'PRICES 2': 'b\r\n2', 2: 'b\r\n2', 3: 'c\r\n3', 1: 'a\r\n1' })) {
      const { paths, warnings } = await convert(path, { sheet })
      expect([sheet, read(paths[0]), warnings]).toEqual([sheet, text, []])
    }
    await expect(convert(path, { sheet: 'Nothing' })).rejects.toMatchObject({
      ...{ code: 'PROCESSING_FAILED', hint: 'The sheets are: Data, Prices 2, 3, Empty' },
    })
    await expect(convert(path, { sheet: '5' })).rejects.toMatchObject({
      message: expect.stringContaining('has 4 sheets'),
    })
  })

  test('all of them as a set', async () => {
    const path = await book(type, [...SHEETS, ['a|b', [['d']]], ['A_B', [['e']]]])
    const { names, paths, set, warnings } = await run(convertSpreadsheet, folder, [path], {}, { action: 'sheets' })
    expect(set).toBe('book_sheets')
    expect(names).toEqual(['Data.csv', 'Prices 2.csv', '3.csv', 'a_b.csv', 'A_B-1.csv'])
    expect(paths.map(read)).toEqual(['a\r\n1', 'b\r\n2', 'c\r\n3', 'd', 'e'])
    expect(warnings).toEqual([])
  })
})

test('nothing in any sheet', async () => {
  const empty = run(
    convertSpreadsheet,
    folder,
    [
      await book('xlsx', [
        ['One', []],
        ['Two', []],
      ]),
    ],
    {},
    { action: 'sheets' },
  )
  await expect(empty).rejects.toMatchObject({ code: 'PROCESSING_FAILED' })
})

test('csv-excel: a warning if no sheet was named', async () => {
  const path = await book('xlsx', SHEETS)
  expect((await run(csvExcel, folder, [path])).warnings).toEqual([expect.stringContaining('2 more sheets than Data')])
  const { paths, warnings } = await run(csvExcel, folder, [path], { sheet: 1 })
  expect([read(paths[0]), warnings]).toEqual(['a\r\n1', []])
  expect(read((await run(csvExcel, folder, [path], { sheet: 3 })).paths[0])).toBe('c\r\n3')
})
