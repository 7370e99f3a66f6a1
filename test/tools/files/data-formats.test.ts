/** json-xml, xml-to-csv and yaml-json: round trips of data. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Tool } from '../../../src/tool/contract.ts'
import jsonXml from '../../../tools/files/json-xml.ts'
import xmlToCsv from '../../../tools/files/xml-to-csv.ts'
import yamlJson from '../../../tools/files/yaml-json.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

async function made(tool: Tool, name: string, content: string | Buffer, settings = {}) {
  const path = join(folder, name)
  writeFileSync(path, content)
  const { paths, names, report, warnings } = await run(tool, folder, [path], settings)
  return { text: readFileSync(paths[0]!, 'utf8'), name: names[0], report, warnings }
}
const refused = (tool: Tool, name: string, content: string) =>
  made(tool, name, content).then(
    () => 'nothing',
    ({ code, message }) => `${code}: ${message}`,
  )

describe('json-xml', () => {
  const XML =
    '<?xml version="1.0"?><list lang="de"><!-- gone --><item id="1">one &amp; two</item><item id="2">3.5</item><empty/></list>'

  test('XML to JSON: attributes, text next to them, repeated elements, numbers', async () => {
    const { text, name } = await made(jsonXml, 'a.xml', XML)
    expect(name).toBe('a.json')
    expect(JSON.parse(text)).toEqual({
      '?xml': { '@_version': '1.0' },
      list: {
        '@_lang': 'de',
        item: [
          { '#text': 'one & two', '@_id': '1' },
          { '#text': 3.5, '@_id': '2' },
        ],
        empty: '',
      },
    })
    expect(text).toContain('\n  "list"')
    expect((await made(jsonXml, 'a.xml', XML, { pretty: false })).text).not.toContain('\n')
  })

  test('and back', async () => {
    const { text } = await made(jsonXml, 'a.xml', XML)
    const back = await made(jsonXml, 'b.json', text)
    expect(back.name).toBe('b.xml')
    expect(JSON.parse((await made(jsonXml, 'c.xml', back.text)).text)).toEqual(JSON.parse(text))
  })

  test.each([
    ['[1, {"a": 2}]', '<root><item>1</item><item><a>2</a></item></root>'],
    ['{"a": 1, "b": 2}', '<root><a>1</a><b>2</b></root>'],
    ['{"a": [1, 2]}', '<root><a>1</a><a>2</a></root>'],
    ['{"only": {"x": "<&>"}}', '<only><x>&lt;&amp;&gt;</x></only>'],
    ['"text"', '<root>text</root>'],
  ])('%s is one well-formed document', async (json, xml) => {
    expect((await made(jsonXml, 'a.json', json, { pretty: false })).text).toBe(xml)
  })

  test('numbers keep their digits in both directions', async () => {
    const json = '{"n": [12345678901234567890, 1e400, 0.10, -1]}'
    const { text } = await made(jsonXml, 'a.json', json, { pretty: false })
    expect(text).toBe('<root><n>12345678901234567890</n><n>1e400</n><n>0.10</n><n>-1</n></root>')
    const xml = '<a><b>123456789012345678901234567890</b><b>1e-400</b><b>0.1000000000000000055</b><b>2.50</b></a>'
    expect(JSON.parse((await made(jsonXml, 'a.xml', xml)).text)).toEqual({
      a: { b: ['123456789012345678901234567890', '1e-400', '0.1000000000000000055', 2.5] },
    })
  })

  test('uses the encoding that XML declares, and does not copy it', async () => {
    const xml = Buffer.from('<?xml version="1.0" encoding="windows-1251"?><a>____</a>')
    xml.set([0xcf, 0xf0, 0xe8, 0xe2], xml.indexOf('____'))
    const json = await made(jsonXml, 'a.xml', xml)
    expect(JSON.parse(json.text).a).toBe('Прив')
    expect((await made(jsonXml, 'b.json', json.text)).text).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>/)
  })

  test('invalid XML or JSON, and JSON that XML cannot represent', async () => {
    expect(await refused(jsonXml, 'a.json', '{"1a": 2}')).toMatch(/PROCESSING_FAILED: .*no name in XML: "1a"/)
    expect(await refused(jsonXml, 'a.json', '{"a": "\\u0001"}')).toMatch(/PROCESSING_FAILED: .*XML cannot hold/)
    expect(await refused(jsonXml, 'a.json', '{"a": }')).toMatch(/INVALID_FILE: .*not valid JSON/)
    expect(await refused(jsonXml, 'a.xml', '<a><b></a>')).toMatch(/INVALID_FILE: .*not well-formed/)
    expect(await refused(jsonXml, 'a.json', `${'['.repeat(5000)}${']'.repeat(5000)}`)).toMatch(/nested more than/)
  })

  test('loads no external entities, and limits their expansion', async () => {
    const outside = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'
    const answer = await made(jsonXml, 'out.xml', outside).then(
      ({ text }) => text,
      ({ message }) => message as string,
    )
    expect(answer).not.toContain('root:')
    const levels = Array.from({ length: 12 }, (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`).join('')
    const bomb = `<!DOCTYPE a [<!ENTITY e0 "ha">${levels}]><a>&e12;</a>`
    const grown = await made(jsonXml, 'bomb.xml', bomb).then(
      ({ text }) => text.length,
      () => 0,
    )
    expect(grown).toBeLessThan(1_100_000)
  })
})

describe('xml-to-csv', () => {
  test('the first repeated element; attributes lose their prefix, nested values are JSON', async () => {
    const xml =
      '<shop><name>x</name><orders><order id="7"><sum>3.50</sum><to><city>Rome</city></to></order><order id="8"><sum>4</sum><note>a, "b"</note></order></orders></shop>'
    const { text, name, report } = await made(xmlToCsv, 'shop.xml', xml)
    expect(name).toBe('shop.csv')
    expect(report).toEqual({ rows: 2 })
    expect(text).toBe('sum,to,id,note\r\n3.50,"{""city"":""Rome""}",7,\r\n4,,8,"a, ""b"""')
  })

  test('without a repeated element, the first with plain values is a row', async () => {
    const { text } = await made(xmlToCsv, 'one.xml', '<a><b x="1"><c>2</c></b></a>')
    expect(text).toBe('c,x\r\n2,1')
  })

  test('elements with and without attributes are equal rows', async () => {
    const { text, report } = await made(xmlToCsv, 'mixed.xml', '<a><i>plain</i><i x="1">attr</i><i/></a>')
    expect(text).toBe('text,x\r\nplain,\r\nattr,1\r\n,')
    expect(report).toEqual({ rows: 3 })
  })

  test('refuses files without either', async () => {
    expect(await refused(xmlToCsv, 'a.xml', '<a></a>')).toBe('nothing')
    expect(await refused(xmlToCsv, 'a.xml', '<?xml version="1.0"?>')).toMatch(/INVALID_FILE|PROCESSING_FAILED/)
  })
})

describe('yaml-json', () => {
  test('YAML to JSON: order, exact numbers, times, anchors and merge keys', async () => {
    const yaml =
      'base: &base {x: 1, y: [a, b]}\nuse:\n  <<: *base\n  y: 2\n2024: later\nbig: 12345678901234567890\nat: 2024-02-03T04:05:06Z\nnone: ~\nword: "no"\n'
    const { text, name } = await made(yamlJson, 'a.yaml', yaml)
    expect(name).toBe('a.json')
    expect(text).toContain('"big": 12345678901234567890')
    expect(text.indexOf('"2024"')).toBeGreaterThan(text.indexOf('"use"'))
    expect(JSON.parse(text)).toMatchObject({
      ...{ base: { x: 1, y: ['a', 'b'] }, use: { x: 1, y: 2 }, 2024: 'later', at: '2024-02-03T04:05:06Z' },
      ...{ none: null, word: 'no' },
    })
  })

  test('numbers keep their digits; NaN and infinity become null, with a warning', async () => {
    const path = join(folder, 'numbers.yaml')
    writeFileSync(path, 'a: 1e400\nb: 0.12345678901234567890\nc: +1.50\nd: .5\ne: .inf\nf: [.nan, -.inf]\n1.50: x\n')
    const { paths, warnings } = await run(yamlJson, folder, [path])
    const text = readFileSync(paths[0]!, 'utf8')
    expect(text.replace(/\s+/g, '')).toBe(
      '{"a":1e400,"b":0.12345678901234567890,"c":1.50,"d":0.5,"e":null,"f":[null,null],"1.50":"x"}',
    )
    expect(warnings).toEqual([expect.stringContaining('.inf, .nan) 3 times')])
    const back = await made(yamlJson, 'numbers.json', '[1e400, 0.12345678901234567890, 1.50]')
    expect(back.text).toBe('- 1.0e+400\n- 0.12345678901234567890\n- 1.50\n')
  })

  test('an empty document is null', async () => {
    expect((await made(yamlJson, 'empty.yaml', '# nothing\n')).text).toBe('null')
  })

  test('JSON to YAML and back is the same, in block style', async () => {
    const json =
      '{"b": [1, {"2024": "x", "a": []}], "big": 12345678901234567890, "text": "line\\nnext", "no": "no", "t": true, "f": 1.50}'
    const { text, name } = await made(yamlJson, 'a.json', json)
    expect(name).toBe('a.yaml')
    expect(text).toMatch(/^b:\n {2}- 1\n {2}- "?'?2024/)
    const back = await made(yamlJson, 'back.yaml', text)
    expect(JSON.parse(back.text)).toEqual(JSON.parse(json))
    expect(back.text).toContain('12345678901234567890')
  })

  test('refuses several documents, unknown tags, bombs and errors', async () => {
    expect(await refused(yamlJson, 'a.yaml', 'a: 1\n---\nb: 2\n')).toMatch(/has 2 documents/)
    expect(await refused(yamlJson, 'a.yaml', 'a: !python/object x\n')).toMatch(/INVALID_FILE: .*tag/i)
    expect(await refused(yamlJson, 'a.yaml', 'a: [1\n')).toMatch(/INVALID_FILE: .*line/)
    const levels = Array.from({ length: 9 }, (_, n) => `l${n + 1}: &l${n + 1} [${`*l${n},`.repeat(9)}]`).join('\n')
    expect(await refused(yamlJson, 'bomb.yaml', `l0: &l0 [lol]\n${levels}\n`)).toMatch(/INVALID_FILE|LIMIT_EXCEEDED/)
  })
})
