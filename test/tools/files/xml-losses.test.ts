/** json-xml and xml-to-csv: conversions lose nothing without a warning. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Tool } from '../../../src/tool/contract.ts'
import jsonXml from '../../../tools/files/json-xml.ts'
import xmlToCsv from '../../../tools/files/xml-to-csv.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

async function made(tool: Tool, name: string, content: string, settings = { pretty: false }) {
  const path = join(folder, name)
  writeFileSync(path, content)
  const { paths, warnings } = await run(tool, folder, [path], tool === jsonXml ? settings : {})
  return { text: readFileSync(paths[0]!, 'utf8'), warnings }
}
const json = async (xml: string) => (await made(jsonXml, 'a.xml', xml)).text
const refused = (tool: Tool, name: string, content: string) =>
  made(tool, name, content).then(
    () => 'nothing',
    ({ code, message, hint }) => `${code}: ${message} ${hint}`,
  )

describe('references', () => {
  test.each([
    ['<a>M&#252;ller</a>', '{"a":"Müller"}'],
    ['<a>M&#xFC;ller &#x1F600;&#128512;</a>', '{"a":"Müller 😀😀"}'],
    ['<a b="&#252;&#10;&lt;&quot;"/>', '{"a":{"@_b":"ü\\n<\\""}}'],
    ['<a>&amp;#252; &lt;&gt;&quot;&apos;</a>', '{"a":"&#252; <>\\"\'"}'],
    ['<a><![CDATA[&#252; &amp;]]></a>', '{"a":"&#252; &amp;"}'],
    [
      '<!DOCTYPE a [<!ENTITY u "&#252;"><!ENTITY m "M&u;&#38;#252;">]><a b="&m;">&m;</a>',
      '{"a":{"#text":"Müü","@_b":"Müü"}}',
    ],
    ['<!DOCTYPE a [<!-- <!ENTITY x "no"> --><!ENTITY x "yes"><!ENTITY x "later">]><a>&x;</a>', '{"a":"yes"}'],
  ])('%s', async (xml, expected) => {
    expect(await json(xml)).toBe(expected)
  })

  test.each([
    '<a>&#0;</a>',
    '<a>&#xD800;</a>',
    '<a>&#x110000;</a>',
    '<a b="&#xFFFF;"/>',
    '<a>&#12a;</a>',
    '<a>AT & T</a>',
    '<a>&T</a>',
  ])('refused: %s', async (xml) => {
    expect(await refused(jsonXml, 'a.xml', xml)).toMatch(
      /^INVALID_FILE: a.xml is not well-formed XML: .* Look at line 1\.$/,
    )
  })

  test('undefined names stay, with a warning; so do external files and names of JavaScript', async () => {
    const xml =
      '<!DOCTYPE a [<!ENTITY f SYSTEM "file:///etc/passwd"><!ENTITY m "<b/>">]><a b="&nbsp;">&f;&m;&toString;</a>'
    const { text, warnings } = await made(jsonXml, 'a.xml', xml)
    expect(text).toBe('{"a":{"#text":"&f;&m;&toString;","@_b":"&nbsp;"}}')
    expect(warnings).toEqual([
      'a.xml uses entities that it does not define as text, which stay unchanged: &nbsp;, &f;, &m;, &toString;',
    ])
  })

  test('excessive entities', async () => {
    const levels = Array.from({ length: 12 }, (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`).join('')
    const bomb = (text: string) => refused(jsonXml, 'a.xml', `<!DOCTYPE a [<!ENTITY e0 "ha">${levels}]><a>${text}</a>`)
    expect(await bomb('&e12;')).toMatch(/INVALID_FILE: .*more than 10/)
    expect(await bomb('&e3;'.repeat(600))).toMatch(/INVALID_FILE: .*more than 1000000 characters/)
    const circle = '<!DOCTYPE a [<!ENTITY x "&y;"><!ENTITY y "&x;">]><a>&x;</a>'
    expect(await refused(jsonXml, 'a.xml', circle)).toMatch(/INVALID_FILE: .*more than 10 deep/)
  })
})

describe('text that looks like a number', () => {
  const TEXTS = [
    '007',
    '-01',
    '+49170123',
    '1e5',
    '12e4567',
    '0x1F',
    '.5',
    '5.',
    '1_000',
    '1,5',
    'Infinity',
    'TRUE',
    '9007199254740993',
  ]
  const NUMBERS = ['0', '-1.50', '3.5e-7', '6.02E23', '1e+05', '1234567890123456']

  test('stays text if a number would differ', async () => {
    const { text, warnings } = await made(
      jsonXml,
      'a.xml',
      `<a>${[...TEXTS, ...NUMBERS].map((one) => `<n>${one}</n>`).join('')}</a>`,
    )
    expect(text).toBe(`{"a":{"n":[${[...TEXTS.map((one) => JSON.stringify(one)), ...NUMBERS].join(',')}]}}`)
    expect(warnings).toEqual([])
  })

  test('and stays unchanged in a table', async () => {
    const xml = `<a>${[...TEXTS, ...NUMBERS].map((one) => `<r><n>${one}</n></r>`).join('')}</a>`
    const { text } = await made(xmlToCsv, 'a.xml', xml)
    const cells = [...TEXTS, ...NUMBERS].map((one) => (one.includes(',') ? `"${one}"` : one))
    expect(text.split('\r\n').slice(1)).toEqual(cells)
  })
})

describe('data without a place in plain values', () => {
  test('text between elements', async () => {
    const { text, warnings } = await made(jsonXml, 'a.xml', '<d>\n<p>one <b>two</b> three</p>\n<p>x<i/></p></d>')
    expect(text).toBe('{"d":{"p":[{"b":"two","#text":"one three"},{"i":"","#text":"x"}]}}')
    expect(warnings).toEqual([
      'a.xml mixes text with elements in 2 places, the first <p> (line 2): where the text was between them is lost',
    ])
  })

  test('the order of mixed children', async () => {
    const { warnings } = await made(jsonXml, 'a.xml', '<d><a/><b/><a/></d>')
    expect(warnings).toEqual(['a.xml has children of different names by turns in <d> (line 1): their order is lost'])
    expect((await made(jsonXml, 'a.xml', '<d><a/><a/><b/><b/><!-- c --></d>')).warnings).toEqual([])
  })

  test('spaces stay if XML says so; comments do not split text; non-ASCII spaces are text', async () => {
    expect(await json('<d xml:space="preserve"> x </d>')).toBe('{"d":{"#text":" x ","@_xml:space":"preserve"}}')
    expect(await json('<d> one<!-- --> two<![CDATA[ & ]]> </d>')).toBe('{"d":"one two & "}')
    expect(await json('<d>&#160;x&#x3000;</d>')).toBe('{"d":"\u00a0x\u3000"}')
  })

  test('values next to the rows of a table', async () => {
    const xml = '<s xmlns="urn:x" v="2"><t>T</t><r><a>1</a></r><r><a>2</a></r><u><w>1</w><w>2</w></u><e/></s>'
    const { text, warnings } = await made(xmlToCsv, 'a.xml', xml)
    expect(text).toBe('a\r\n1\r\n2')
    expect(warnings).toEqual(['a.xml has 4 values outside the rows, omitted: t, w, v'])
  })
})

describe('JSON to XML', () => {
  test.each([
    ['{"r":{"@_a":"x\\n\\t\\r\\"<&>"}}', '<r a="x&#10;&#9;&#13;&quot;&lt;&amp;&gt;"/>'],
    ['{"r":"x\\r\\n]]>"}', '<r>x&#13;\n]]&gt;</r>'],
    ['{"r":[[1,2],[3]]}', '<root><r><item>1</item><item>2</item></r><r><item>3</item></r></root>'],
    [
      '{"?xml-stylesheet":{"@_href":"a"},"?xml":{"@_version":"1.0"},"r":1}',
      '<?xml version="1.0"?><?xml-stylesheet href="a"?><r>1</r>',
    ],
    ['{"__proto__":{"constructor":"x"}}', '<__proto__><constructor>x</constructor></__proto__>'],
  ])('%s round-trips', async (value, xml) => {
    const { text, warnings } = await made(jsonXml, 'a.json', value)
    expect(text).toBe(xml)
    expect(warnings).toEqual([])
    const again = await made(jsonXml, 'b.json', await json(xml))
    expect(again.text).toBe(xml)
  })

  test('adds line breaks only where there is no text', async () => {
    const { text } = await made(jsonXml, 'a.json', '{"r":{"#text":"t","b":{"c":1,"d":[]}}}', { pretty: true })
    expect(text).toBe('<r>t<b>\n    <c>1</c>\n  </b></r>\n')
  })

  test.each(['{"r":{"@_a":[1]}}', '{"r":{"#text":{"b":1}}}', '{"r":"\\ud800"}', '{"?p":"a?>b","r":1}', '{"ªx":1}'])(
    'refused: %s',
    async (value) => {
      expect(await refused(jsonXml, 'a.json', value)).toMatch(/^PROCESSING_FAILED/)
    },
  )

  test('warns about empty lists and repeated keys', async () => {
    const { warnings } = await made(jsonXml, 'a.json', '{"a":[],"b":1,"b":2,"c":{"d":1,"d":2}}')
    expect(warnings).toEqual([
      'a.json has duplicate keys in an object, of which the last value is used: "b", "d"',
      'a.json has empty lists, which XML has no element for: a',
    ])
  })
})
