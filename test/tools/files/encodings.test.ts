/** Tables and texts in older encodings: detected, or set explicitly, with a warning for a guess. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Tool } from '../../../src/tool/contract.ts'
import csvExcel from '../../../tools/files/csv-excel.ts'
import csvJson from '../../../tools/files/csv-json.ts'
import markdownToHtml from '../../../tools/files/markdown-to-html.ts'
import mergeCsvs from '../../../tools/files/merge-csvs.ts'
import splitCsv from '../../../tools/files/split-csv.ts'
import { encodeText } from '../../helpers/encode.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

function put(name: string, content: string | Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

async function json(bytes: string | Uint8Array, settings = {}, name = 'table.csv') {
  const { paths, warnings } = await run(csvJson, folder, [put(name, bytes)], { pretty: false, ...settings })
  const rows = JSON.parse(readFileSync(paths[0]!, 'utf8')) as Record<string, string>[]
  return { rows: rows.map((row) => Object.values(row)), keys: Object.keys(rows[0] ?? {}), warnings }
}

const SAMPLES: readonly (readonly [encoding: string, csv: string])[] = [
  ['shift_jis', '名前,都市\n田中,東京\n佐藤,大阪\n'],
  ['shift_jis', '商品,価格\nりんご,100\nみかん,200\n'],
  ['euc-jp', '商品,価格\nりんご,100\nみかん,200\n'],
  ['gb18030', '姓名,城市\n张三,北京\n李四,上海\n'],
  ['big5', '姓名,城市\n張三,台北\n李四,高雄\n'],
  ['euc-kr', '이름,도시\n김철수,서울\n이영희,부산\n'],
  ['windows-1251', 'имя,город\nИван,Москва\nОльга,Казань\n'],
  ['windows-1251', 'id,name\n1,Иванов\n'],
  ['koi8-r', 'имя,город\nИван,Москва\nОльга,Казань\n'],
  ['windows-1253', 'όνομα,πόλη\nΓιώργος,Αθήνα\n'],
  ['windows-1255', 'שם,עיר\nדוד,ירושלים\n'],
  ['windows-1256', 'اسم,مدينة\nمحمد,القاهرة\n'],
  ['windows-1252', 'Name,Stadt\nMüller,Köln\n'],
  ['windows-1252', 'a,b\n“x”,1 – 2\n5 €,20 °C\n'],
]
const rowsOf = (csv: string) =>
  csv
    .trim()
    .split('\n')
    .slice(1)
    .map((row) => row.split(','))

describe('detection', () => {
  test.each(SAMPLES)('%s: %j', async (encoding, csv) => {
    const { rows, warnings } = await json(encodeText(csv, encoding))
    expect(rows).toEqual(rowsOf(csv))
    // Advice, which lets --strict pass.
    expect(warnings).toEqual([
      expect.stringMatching(`^table.csv is not Unicode and was read as ${encoding.replace(/-[ru]$/, '-.')}$`),
    ])
    const strict = run(csvJson, folder, [put('strict.csv', encodeText(csv, encoding))], {}, { strict: true })
    await expect(strict).resolves.toBeDefined()
  })

  test.each([
    ['iso-8859-2', 'jméno,město\nJiří,Plzeň\nŽofie,Děčín\n'],
    ['iso-8859-2', 'imię,miasto\nŁukasz,Łódź\nŚwięta,Gdańsk\n'],
    ['windows-1250', 'imię,miasto\nŁukasz,Łódź\nŚwięta,Gdańsk\n'],
    ['windows-1252', 'cidade,ano\nSão Paulo,1\nBrasília,2\n'],
    ['windows-1254', 'isim,şehir\nİbrahim,İstanbul\nÇağla,Muğla\nIşık,Diyarbakır\n'],
  ])('%s, which is similar to another: %j', async (encoding, csv) => {
    const { rows } = await json(encodeText(csv, encoding))
    expect(rows).toEqual(rowsOf(csv))
  })

  test('warns about an ambiguous guess', async () => {
    const { rows, warnings } = await json(encodeText('nom,ville\nHélène,Orléans\n', 'windows-1252'))
    expect(rows).toEqual([['Hélène', 'Orléans']])
    expect(warnings).toEqual([
      'table.csv is not Unicode and was read as windows-1252, which is a guess: look at the letters, or name the --encoding',
    ])
    // A code page of DOS, which is not supported.
    const dos = await json(Buffer.from('Name,Ort\nM\x81ller,K\x94ln\n', 'latin1'))
    expect(dos.warnings).toEqual([expect.stringContaining('read as windows-1252, which is a guess')])
  })

  test('UTF-8 with a damaged byte stays UTF-8', async () => {
    const whole = Buffer.from('name,city\nJosé Müller,Köln\nŁukasz,Łódź\nЖанна,Москва\n日本,東京\n')
    const { rows, warnings } = await json(Buffer.concat([whole, Buffer.from([0x78, 0x2c, 0xe6, 0x97])]))
    expect(rows).toEqual([...rowsOf(whole.toString()), ['x', '\ufffd']])
    expect(warnings).toEqual([expect.stringContaining('holds bytes that are not UTF-8, which become \ufffd')])
  })

  test('far into a file, and characters across block boundaries', async () => {
    const csv = `n,t\n${'1,word\n'.repeat(50_000)}${'2,日本語テスト表能ソ\n'.repeat(30_000)}`
    const { rows, warnings } = await json(encodeText(csv, 'shift_jis'))
    expect(rows).toHaveLength(80_000)
    expect(new Set(rows.slice(50_000).map(([, text]) => text))).toEqual(new Set(['日本語テスト表能ソ']))
    expect(warnings).toEqual(['table.csv is not Unicode and was read as shift_jis'])
  })

  test('late letters count, too', async () => {
    const csv = `a,b\n${'só,mój\n'.repeat(50_000)}${'Łódź,żółw\n'.repeat(3_000)}`
    const { rows } = await json(encodeText(csv, 'iso-8859-2'))
    expect(rows.at(-1)).toEqual(['Łódź', 'żółw'])
  })

  test('Unicode is never guessed', async () => {
    const csv = 'имя,名前\nИван,東京\n'
    for (const bytes of [
      Buffer.from(csv),
      Buffer.from(`\ufeff${csv}`),
      Buffer.from(`\ufeff${csv}`, 'utf16le'),
      Buffer.from(`\ufeff${csv}`, 'utf16le').swap16(),
    ])
      expect(await json(bytes)).toEqual({ rows: rowsOf(csv), keys: ['имя', '名前'], warnings: [] })
  })
})

describe('by the setting', () => {
  test('other names, and a byte order mark that overrides it', async () => {
    const polish = 'a,b\nŁódź,x\n'
    for (const encoding of ['iso-8859-2', 'latin2', 'LATIN2'])
      expect((await json(encodeText(polish, 'iso-8859-2'), { encoding })).rows).toEqual(rowsOf(polish))
    expect((await json(encodeText('a,b\n表,x\n', 'shift_jis'), { encoding: 'sjis' })).rows).toEqual([['表', 'x']])
    expect((await json(Buffer.from(`\ufeff${polish}`), { encoding: 'cp1251' })).rows).toEqual(rowsOf(polish))
    await expect(json(polish, { encoding: 'klingon' })).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
  })

  test('warns about bytes outside of it', async () => {
    const { rows, warnings } = await json(encodeText('a,b\nü,x\n', 'windows-1252'), { encoding: 'utf-8' })
    expect(rows).toEqual([['\ufffd', 'x']])
    expect(warnings).toEqual(['table.csv holds bytes that are not utf-8, which become \ufffd'])
  })

  test.each<[string, Tool, string, Record<string, unknown>]>([
    ['split-csv', splitCsv, 'd.csv', {}],
    ['markdown-to-html', markdownToHtml, 'd.md', {}],
    ['csv-json', csvJson, 'd.csv', {}],
  ])('%s', async (_id, tool, name, settings) => {
    const path = put(name, encodeText('# Łódź\n\nx\n', 'iso-8859-2'))
    const { paths, warnings } = await run(tool, folder, [path], { encoding: 'iso-8859-2', ...settings })
    expect(paths.map((one) => readFileSync(one, 'utf8')).join()).toContain('Łódź')
    expect(warnings).toEqual([])
  })

  test('joins tables of different encodings', async () => {
    const inputs = [
      put('one.csv', encodeText('товар,цена\nХлеб,1\n', 'windows-1251')),
      put('two.csv', 'товар,цена\nСыр,2\n'),
    ]
    const { paths, warnings } = await run(mergeCsvs, folder, inputs)
    expect(readFileSync(paths[0]!, 'utf8')).toBe('товар,цена\r\nХлеб,1\r\nСыр,2')
    expect(warnings).toEqual(['one.csv is not Unicode and was read as windows-1251'])
  })
})

describe('the line that names the delimiter for Excel', () => {
  test.each([
    ['sep=;\na;b\n1,5;2\n', [['1,5', '2']]],
    ['\ufeffSEP=|\r\na|b\r\n1;5|2\r\n', [['1;5', '2']]],
    ['"sep=;"\r\na;b\r\n1,5;2', [['1,5', '2']]],
    ['sep=\t\ra\tb\r1\t2', [['1', '2']]],
    ['sep=^\na^b\n1,5^2', [['1,5', '2']]],
    ['sep=,\na,b\n"x;\ny",2', [['x;\ny', '2']]],
  ])('%j is applied and not part of the data', async (csv, rows) => {
    expect(await json(csv)).toEqual({ rows, keys: ['a', 'b'], warnings: [] })
  })

  test('in the other tools, and in the number of a row with an error', async () => {
    const path = put('excel.csv', 'sep=;\na;b\n1,5;2\n')
    const { paths } = await run(splitCsv, folder, [path], { rowsPerFile: 1 })
    expect(readFileSync(paths[0]!, 'utf8')).toBe('a;b\r\n1,5;2')
    const book = await run(csvExcel, folder, [path])
    const back = await run(csvExcel, folder, [book.paths[0]!])
    expect(readFileSync(back.paths[0]!, 'utf8')).toBe('a,b\r\n"1,5",2')
    await expect(json('sep=;\na;b\n"1";"2')).rejects.toMatchObject({ message: expect.stringMatching(/ in row 3$/) })
  })

  test('a column of that name is a column', async () => {
    expect((await json('sep=no,b\n1,2\n')).keys).toEqual(['sep=no', 'b'])
  })
})

test('JSON Lines is a table for csv-json alone', async () => {
  const path = put('rows.jsonl', '{"a":1}\n{"a":2}\n')
  const { paths } = await run(csvJson, folder, [path])
  expect(readFileSync(paths[0]!, 'utf8')).toBe('a\r\n1\r\n2')
  for (const tool of [csvExcel, splitCsv])
    await expect(run(tool, folder, [path])).rejects.toMatchObject({ code: 'UNSUPPORTED_FILE_TYPE' })
})
