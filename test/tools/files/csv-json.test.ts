import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import csvJson from '../../../tools/files/csv-json.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

async function convert(name: string, content: string | Uint8Array, settings = {}): Promise<string> {
  const path = join(folder, name)
  writeFileSync(path, content)
  const result = await run(csvJson, folder, [path], settings)
  expect(result.names).toEqual([name.replace(/\.\w+$/, name.endsWith('.json') ? '.csv' : '.json')])
  return readFileSync(result.paths[0]!, 'utf8')
}

const toJson = async (csv: string | Uint8Array, name = 'table.csv'): Promise<unknown> =>
  JSON.parse(await convert(name, csv))
const toCsv = (value: unknown): Promise<string> =>
  convert('data.json', typeof value === 'string' ? value : JSON.stringify(value))

describe('to JSON', () => {
  const expected = [
    { name: 'Ada', born: '1815' },
    { name: 'Émilie', born: '' },
  ]
  test.each([
    ['LF', 'name,born\nAda,1815\nÉmilie,\n'],
    ['CRLF', 'name,born\r\nAda,1815\r\nÉmilie,'],
    ['CR', 'name,born\rAda,1815\rÉmilie,\r'],
    ['semicolons', 'name;born\nAda;1815\nÉmilie;'],
    ['tabs', 'name\tborn\nAda\t1815\nÉmilie\t'],
    ['pipes', 'name|born\nAda|1815\nÉmilie|'],
    ['a byte order mark', '\ufeffname,born\nAda,1815\nÉmilie,'],
    ['empty lines', '\nname,born\n\nAda,1815\n\n\nÉmilie,\n\n'],
    ['quotes', '"name","born"\n"Ada","1815"\n"Émilie",""'],
  ])('%s', async (_what, csv) => {
    expect(await toJson(csv)).toEqual(expected)
  })

  test('UTF-16 and Windows-1252', async () => {
    const text = 'name,born\nAda,1815\nÉmilie,'
    expect(await toJson(Buffer.from(`\ufeff${text}`, 'utf16le'))).toEqual(expected)
    expect(await toJson(Buffer.from(text, 'latin1'))).toEqual(expected)
  })

  test('TSV by its name', async () => {
    expect(await toJson('a\tb\n1,5\t2', 'table.tsv')).toEqual([{ a: '1,5', b: '2' }])
  })

  test('decimal commas between semicolons', async () => {
    expect(await toJson('a;b\n1,5;2,5\n3,5;4,5')).toEqual([
      { a: '1,5', b: '2,5' },
      { a: '3,5', b: '4,5' },
    ])
  })

  test('quotes, delimiters and line ends inside quotes; every value stays text', async () => {
    expect(await toJson('a,b\n"say ""hi"", all","two\r\nlines"\n007,1e5\ntrue, x ')).toEqual([
      { a: 'say "hi", all', b: 'two\r\nlines' },
      { a: '007', b: '1e5' },
      { a: 'true', b: ' x ' },
    ])
  })

  test('repeated headers get an unused number', async () => {
    expect(await toJson('a,a,a_1,a\n1,2,3,4')).toEqual([{ a: '1', a_2: '2', a_1: '3', a_3: '4' }])
  })

  test('keeps the header order, also for numbers and names that JavaScript treats specially', async () => {
    const text = await convert('table.csv', 'name,2024,2023,__proto__\nx,1,2,3', { pretty: false })
    expect(text).toBe('[{"name":"x","2024":"1","2023":"2","__proto__":"3"}]')
  })

  test('one column, a header alone', async () => {
    expect(await toJson('name\nAda\nBob\n')).toEqual([{ name: 'Ada' }, { name: 'Bob' }])
    expect(await toJson('name,born\n')).toEqual([])
  })

  test('pretty like JSON.stringify, or one line', async () => {
    const value = [
      { a: '1', b: '"é"\n' },
      { a: '', b: '2' },
    ]
    const csv = 'a,b\n1,"""é""\n"\n,2'
    expect(await convert('table.csv', csv)).toBe(JSON.stringify(value, null, 2))
    expect(await convert('table.csv', csv, { pretty: false })).toBe(JSON.stringify(value))
    expect(await convert('table.csv', 'a,b\n')).toBe('[]')
  })

  test.each([
    ['an open quote', 'a,b\n"1,2\n3,4'],
    ['a stray quote', 'a,b\n"1"x,2'],
    ['too few fields', 'a,b\n1,2\n3'],
    ['too many fields', 'a,b\n1,2\n3,4,5'],
  ])('refused: %s', async (_what, csv) => {
    await expect(toJson(csv)).rejects.toMatchObject({
      code: 'PROCESSING_FAILED',
      status: 422,
      message: expect.stringContaining('table.csv is not a whole table'),
    })
  })

  test('names the row', async () => {
    await expect(toJson('a,b\n1,2\n3')).rejects.toMatchObject({
      message: 'table.csv is not a whole table: data row 2 has 1 field, and the header 2 fields',
    })
  })
})

describe('to CSV', () => {
  test('all keys in the order of their first appearance; nested values as JSON; no final line break', async () => {
    const value = [
      { b: 1, a: null },
      { c: { x: [1, 'é'] }, b: true },
      { a: 'say "hi"', d: 'x,y', e: ' pad', f: 'two\nlines', g: '=1+1' },
    ]
    expect(await toCsv(value)).toBe(
      [
        'b,a,c,d,e,f,g',
        '1,,,,,,',
        'true,,"{""x"":[1,""é""]}",,,,',
        ',"say ""hi""",,"x,y"," pad","two\nlines",=1+1',
      ].join('\r\n'),
    )
  })

  test('numeric keys keep their position', async () => {
    expect(await toCsv('[{"name":"x","2024":{"b":1,"1":"\\"k\\": 2"},"2023":2}]')).toBe(
      'name,2024,2023\r\nx,"{""b"":1,""1"":""\\""k\\"": 2""}",2',
    )
  })

  test('an object with one array, a flat object', async () => {
    expect(await toCsv({ rows: [{ a: 1 }, { a: 2 }] })).toBe('a\r\n1\r\n2')
    expect(await toCsv({ b: 1, 2: 'x', c: null })).toBe('key,value\r\n2,x\r\nb,1\r\nc,')
    expect(await toCsv('{"b":1,"2":"x"}')).toBe('key,value\r\nb,1\r\n2,x')
  })

  test('rows without any value, no rows', async () => {
    expect(await toCsv([{ a: null, b: '' }])).toBe('a,b\r\n,')
    expect(await toCsv([])).toBe('')
  })

  test('a byte order mark', async () => {
    expect(await toCsv('\ufeff[{"a":1}]')).toBe('a\r\n1')
  })

  test.each([
    '[1,2]',
    '[{"a":1},[2]]',
    '[{"a":1},null]',
    '{"a":[{}],"b":1}',
    '{"a":{"b":1}}',
    '"x"',
    '7',
    'null',
    '{"a":[1]}',
  ])('refused: %s', async (json) => {
    await expect(toCsv(json)).rejects.toMatchObject({ code: 'PROCESSING_FAILED' })
  })

  test('not JSON', async () => {
    await expect(toCsv('{"a":1,}')).rejects.toMatchObject({
      code: 'INVALID_FILE',
      message: 'data.json is not valid JSON',
    })
  })
})

test('round trip', async () => {
  const csv = 'a,b\r\n"1,5","x ""y"""\r\n,"two\r\nlines"'
  expect(await convert('back.json', await convert('there.csv', csv))).toBe(csv)
})

test('a picture, an empty file', async () => {
  await expect(convert('table.csv', '')).rejects.toMatchObject({ code: 'EMPTY_FILE' })
  await expect(convert('table.csv', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'))).rejects.toMatchObject({
    code: 'UNSUPPORTED_FILE_TYPE',
  })
})

describe('larger than a read block', () => {
  /** Blocks of files are 256 KiB. */
  const many = Array.from({ length: 9000 }, (_, index) => index)

  test('CSV to JSON and back: quotes, line ends and letters across block boundaries', async () => {
    const csv = `n,text\r\n${many.map((n) => `${n},"ä ""${n}"",\r\n日本 ${'x'.repeat(n % 29)}"`).join('\r\n')}`
    const json = await convert('large.csv', csv, { pretty: false })
    expect(JSON.parse(json)).toHaveLength(many.length)
    expect(await convert('large.json', json)).toBe(csv)
  })

  test('a column that appears late is empty in all earlier rows', async () => {
    const value = many.map((n) => (n === 8000 ? { n, late: 'x' } : { n, word: `word ${n} of the table` }))
    const [header, first, ...rest] = (await toCsv(value)).split('\r\n')
    expect([header, first]).toEqual(['n,word,late', '0,word 0 of the table,'])
    expect(rest).toHaveLength(many.length - 1)
    expect(rest[7999]).toBe('8000,,x')
  })

  test('reports Windows-1252 at the end of the file, too', async () => {
    const csv = Buffer.concat([Buffer.from(`a\n${'word\n'.repeat(80_000)}`), Buffer.from([0x80, 0x20, 0xfc])])
    expect(((await toJson(csv, 'old.csv')) as { a: string }[]).at(-1)).toEqual({ a: '€ ü' })
  })

  test('names an unclosed quote far from the end', async () => {
    await expect(toJson(`a,b\n1,2\n"3,4\n${'5,6\n'.repeat(80_000)}`)).rejects.toMatchObject({
      message: expect.stringMatching(/quoted field unterminated in row 3$/),
    })
  })
})

test('numbers keep their text', async () => {
  expect(await toCsv('[{"a":12345678901234567890,"b":1e400,"c":1.50,"d":[-0,1E5]}]')).toBe(
    'a,b,c,d\r\n12345678901234567890,1e400,1.50,"[-0,1E5]"',
  )
})

test('JSON with excessive nesting, or that ends too early', async () => {
  await expect(toCsv(`[{"a":${'['.repeat(5000)}`)).rejects.toMatchObject({
    code: 'LIMIT_EXCEEDED',
    hint: expect.not.stringContaining('variable'),
  })
  await expect(toCsv('[{"a":1}')).rejects.toMatchObject({ code: 'INVALID_FILE' })
  await expect(toCsv('[{"a":1}]]')).rejects.toMatchObject({ code: 'INVALID_FILE' })
})

describe('JSON Lines', () => {
  const written = async (name: string, content: string | Uint8Array, settings = {}) => {
    writeFileSync(join(folder, name), content)
    const { paths, names } = await run(csvJson, folder, [join(folder, name)], settings)
    return { name: names[0], text: readFileSync(paths[0]!, 'utf8') }
  }

  test('from a table', async () => {
    expect(await written('people.csv', 'name,"a ""b"""\nAda,1\n"two\nlines",\n', { lines: true })).toEqual({
      name: 'people.jsonl',
      text: '{"name":"Ada","a \\"b\\"":"1"}\n{"name":"two\\nlines","a \\"b\\"":""}\n',
    })
  })

  test.each([
    ['log.jsonl', '{"a":1,"b":"x, y"}\n{"b":null,"c":1.50}\n'],
    ['log.ndjson', '\n{"a":1,"b":"x, y"}\r\n\n  \n{"b":null,"c":1.50}'],
    ['marked.jsonl', '\ufeff{"a":1,"b":"x, y"}\n{"b":null,"c":1.50}\n\n'],
  ])('%s as a table', async (name, content) => {
    const { name: found, text } = await written(name, content)
    expect(found).toBe(name.replace(/\.\w+$/, '.csv'))
    expect(text.split(/\r?\n/).slice(0, 3)).toEqual(['a,b,c', '1,"x, y",', ',,1.50'])
  })

  test('there and back, over many chunks', async () => {
    const rows = Array.from({ length: 40_000 }, (_, index) => `${index},line ${index}`)
    const lines = await written('many.csv', `id,text\n${rows.join('\n')}\n`, { lines: true })
    expect(lines.text.split('\n')).toHaveLength(40_001)
    const { text } = await written('many.jsonl', lines.text)
    expect(text.trim().split(/\r?\n/)).toEqual(['id,text', ...rows])
  })

  test.each(['{"a":1}\n{"a":\n', '{"a":1}\n5\n', '{"a":1} {"a":2}\n'])('%j is refused', async (content) => {
    await expect(written('bad.jsonl', content)).rejects.toMatchObject({ code: expect.any(String) })
  })
})
