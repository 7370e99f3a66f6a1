/** merge-csvs, split-csv and csv-excel. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sheetText } from '../../../src/engines/documents/xlsx.ts'
import csvExcel from '../../../tools/files/csv-excel.ts'
import mergeCsvs from '../../../tools/files/merge-csvs.ts'
import splitCsv from '../../../tools/files/split-csv.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const put = (name: string, content: string | Buffer): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}
const read = (path: string | undefined): string => readFileSync(path!, 'utf8')

describe('merge-csvs', () => {
  test('rows in the order of the files, columns and delimiter of the first', async () => {
    const inputs = [put('1.csv', 'name;city\r\nAda;London\r\n'), put('2.csv', 'city,name\n"Rome, old",Bo\n')]
    const { paths, names } = await run(mergeCsvs, folder, inputs)
    expect(names).toEqual(['merged.csv'])
    expect(read(paths[0])).toBe('name;city\r\nAda;London\r\nBo;Rome, old')
  })

  test('keeps the names of equal columns', async () => {
    const inputs = [put('1.csv', 'a,a,b\n1,2,3\n'), put('2.csv', 'b,a,a\n6,4,5\n')]
    expect(read((await run(mergeCsvs, folder, inputs)).paths[0])).toBe('a,a,b\r\n1,2,3\r\n4,5,6')
  })

  test('refuses other columns with the name of the file', async () => {
    const inputs = [put('1.csv', 'a,b\n1,2\n'), put('other.csv', 'a,c\n1,2\n')]
    await expect(run(mergeCsvs, folder, inputs)).rejects.toMatchObject({
      code: 'PROCESSING_FAILED',
      message: 'other.csv has different columns: missing: b; additional: c',
    })
    await expect(run(mergeCsvs, folder, [inputs[0]!])).rejects.toMatchObject({ code: 'TOO_FEW_FILES' })
  })
})

describe('split-csv', () => {
  const rows = 'n,word\n1,a\n2,"b\nc"\n3,d\n4,e\n5,f\n'

  test('parts of a number of rows, each with the header', async () => {
    const { paths, names, set } = await run(splitCsv, folder, [put('five.csv', rows)], { rowsPerFile: 2 })
    expect([names, set]).toEqual([['part-1.csv', 'part-2.csv', 'part-3.csv'], 'five_parts'])
    expect(paths.map(read)).toEqual(['n,word\r\n1,a\r\n2,"b\nc"', 'n,word\r\n3,d\r\n4,e', 'n,word\r\n5,f'])
  })

  test('without the header no part has it; keeps tabs', async () => {
    const input = put('five.tsv', rows.replaceAll(',', '\t'))
    const { paths } = await run(splitCsv, folder, [input], { rowsPerFile: 3, keepHeader: false })
    expect(paths.map(read)).toEqual(['1\ta\r\n2\t"b\nc"\r\n3\td', '4\te\r\n5\tf'])
  })

  test('more rows than a read block: every row is in one part', async () => {
    const numbers = Array.from({ length: 30_000 }, (_, index) => `${index},some words of row ${index}`)
    const input = put('many.csv', `n,word\n${numbers.join('\n')}\n`)
    const { paths } = await run(splitCsv, folder, [input], { rowsPerFile: 7000 })
    expect(paths).toHaveLength(5)
    expect(paths.flatMap((path) => read(path).split('\r\n').slice(1))).toEqual(numbers)
    await expect(run(splitCsv, folder, [input], { rowsPerFile: 2 })).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: expect.stringContaining('15000 parts'),
    })
  })

  test('refuses a header alone', async () => {
    await expect(run(splitCsv, folder, [put('head.csv', 'a,b\n')])).rejects.toMatchObject({ code: 'PROCESSING_FAILED' })
  })
})

describe('csv-excel', () => {
  test('every cell is text; a round trip gives the same table', async () => {
    const csv = 'id,code,when\r\n007,1e5,2024-01-02\r\n12345678901234567,=1+1,"a,b"'
    const { paths, names } = await run(csvExcel, folder, [put('codes.csv', csv)])
    expect(names).toEqual(['codes.xlsx'])
    expect(await sheetText(readFileSync(paths[0]!), 'codes.xlsx')).toEqual([
      ['id', 'code', 'when'],
      ['007', '1e5', '2024-01-02'],
      ['12345678901234567', '=1+1', 'a,b'],
    ])
    const back = await run(csvExcel, folder, [paths[0]!])
    expect(read(back.paths[0])).toBe(csv)
  })

  test('round-trips characters that XML does not support, spaces at the ends and rows of any length', async () => {
    const csv = 'a,b,c\r\n" x ",_x0041_,\u001b\u{1f600}\r\n1\r\n"<&>""",,"two\r\nlines"'
    const { paths } = await run(csvExcel, folder, [put('odd.csv', csv)])
    const back = await run(csvExcel, folder, [paths[0]!])
    expect(read(back.paths[0])).toBe(csv.replace('\r\n1\r\n', '\r\n1,,\r\n'))
  })

  test('refuses a missing sheet with the number of sheets', async () => {
    const { paths } = await run(csvExcel, folder, [put('one.csv', 'a\n1\n')])
    await expect(run(csvExcel, folder, [paths[0]!], { sheet: 2 })).rejects.toMatchObject({
      code: 'PROCESSING_FAILED',
      message: expect.stringContaining('has one sheet; there is no sheet 2'),
    })
  })
})
