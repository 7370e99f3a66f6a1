/** yaml-json: JSON text is the same for every YAML reader, and dates are unchanged in both directions. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import yamlJson from '../../../tools/files/yaml-json.ts'
import { seededRandom } from '../../helpers/random.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

async function converted(name: string, content: string) {
  const path = join(folder, name)
  writeFileSync(path, content)
  const { paths, warnings } = await run(yamlJson, folder, [path])
  return { text: readFileSync(paths[0]!, 'utf8'), warnings }
}

const WORDS =
  'y Y n N yes Yes NO no on On OFF off true True FALSE null Null NULL ~ = << 12:30:45 1:30 1_000 -1_0 0o7 017 0x1F 0b11 +12 ' +
  '.inf -.Inf .NaN 1e5 1e+5 1.5e3 .5 5. 1. 1.2.3 1,234 2024-02-03 2024-2-3 2024-02-03T04:05:06Z 2001-12-14t21:59:43.10-05:00 007 08 -0 ' +
  '+.5 0. - -- --- ... ? : # & * ! | > % @ ` [] {} [a, b] !!str'
const TEXTS = [
  ...WORDS.split(' '),
  ...[
    '',
    ' ',
    '  x',
    'x ',
    '\n',
    'a\n',
    'a\n\n',
    '\n a',
    ' \nb',
    ' \n',
    '  \n\n ',
    'a: b',
    'a #b',
    '- x',
    '? x',
    "it's",
    '"q"',
    '\t',
    'a\tb',
    '\r\n',
  ],
  ...[
    '2001-12-14 21:59:43.10 -5',
    'a\u0085b',
    'a\u2028b',
    '\ufeffx',
    '\u0000',
    '\u001b[0m',
    '\u007f',
    '\u009f',
    '😀',
    'ü',
    '\ud800',
  ],
]

/** What a reader of that version gets; numbers and dates as such. */
const readBy = (version: '1.1' | '1.2', yaml: string): unknown =>
  parse(yaml, version === '1.1' ? { version, merge: true } : { customTags: ['timestamp', 'merge'] })

test('quotes texts that a reader could misread, as keys and as values', async () => {
  const value = [TEXTS, Object.fromEntries(TEXTS.map((text) => [text, text]))]
  const { text, warnings } = await converted('words.json', JSON.stringify(value))
  expect(readBy('1.1', text)).toEqual(value)
  expect(readBy('1.2', text)).toEqual(value)
  expect(JSON.parse((await converted('back.yaml', text)).text)).toEqual(value)
  expect(warnings).toEqual([])
  // Line breaks of other readers, and what they refuse.
  expect(text).not.toMatch(/[\u0085\u2028\ufeff\u0000\u001b\u007f\u009f]/)
  for (const word of ['no', 'on', 'y', '12:30:45', '1_000', '=', '<<', '0o7', '017', '.inf', '~', '2024-02-03'])
    expect(text).toContain(`- ${JSON.stringify(word)}\n`)
  expect((await converted('plain.json', '["word", "a b", "10 km", "x=1"]')).text).toBe(
    '- word\n- a b\n- 10 km\n- x=1\n',
  )
})

test('any JSON round-trips', async () => {
  const random = seededRandom()
  const pick = <T>(list: readonly T[]): T => list[random.between(0, list.length - 1)]!
  const ALPHABET = [...'aynoT0179._-+:,# \n\t\'"\\&*[]{}|>%@`!?~=<eExob\u0085\u00fc😀']
  const text = (): string =>
    random.next() < 0.5 ? pick(TEXTS) : Array.from({ length: random.between(0, 12) }, () => pick(ALPHABET)).join('')
  const value = (depth: number): unknown => {
    const kind = random.between(0, depth > 4 ? 3 : 6)
    if (kind === 4) return Array.from({ length: random.between(0, 4) }, () => value(depth + 1))
    if (kind >= 5)
      return Object.fromEntries(
        Array.from({ length: random.between(0, 4) }, () => [
          `${text()}k`.slice(random.between(0, 1)),
          value(depth + 1),
        ]),
      )
    return [text(), text(), pick([0, -1, 1.5, 1e21, 1e-7, 123456789012, -0.25]), pick([true, false, null])][kind]
  }
  const json = JSON.stringify(Array.from({ length: 300 }, () => value(0)))
  const { text: yaml } = await converted('random.json', json)
  expect(JSON.parse((await converted('random.yaml', yaml)).text)).toEqual(JSON.parse(json))
  for (const version of ['1.1', '1.2'] as const) expect(readBy(version, yaml)).toEqual(JSON.parse(json))
})

test('numbers with an exponent are numbers in YAML 1.1, too', async () => {
  const { text } = await converted('numbers.json', '[1e5, -1.5E3, 2e-7, 1.0e+2]')
  expect(text).toBe('- 1.0e+5\n- -1.5e+3\n- 2.0e-7\n- 1.0e+2\n')
  // The type of a float in YAML 1.1 (https://yaml.org/type/float.html), base 10.
  for (const line of text.trim().split('\n'))
    expect(line.slice(2)).toMatch(/^[-+]?([0-9][0-9_]*)?\.[0-9.]*([eE][-+][0-9]+)?$/)
})

test('dates of YAML stay unchanged', async () => {
  const { text, warnings } = await converted(
    'dates.yaml',
    'a: 2024-02-03\nb: 2001-12-14t21:59:43.10-05:00\nc: 2001-12-14 21:59:43.10 -5\nd: 2024-13-45\n2024-02-03: e\nf: !!timestamp 2024-02-03\n',
  )
  expect(JSON.parse(text)).toEqual({
    ...{ a: '2024-02-03', b: '2001-12-14t21:59:43.10-05:00', c: '2001-12-14 21:59:43.10 -5', d: '2024-13-45' },
    ...{ '2024-02-03': 'e', f: '2024-02-03' },
  })
  expect(warnings).toEqual([])
  expect(JSON.parse((await converted('old.yaml', '%YAML 1.1\n---\na: 2024-02-03\nb: no\nc: 017\n')).text)).toEqual({
    ...{ a: '2024-02-03', b: false, c: 15 },
  })
})

test('numbers with leading zeros stay text, with a warning', async () => {
  const { text, warnings } = await converted('zeros.yaml', 'zip: 01234\nmode: 0644\nf: 00.5\nn: [0, 0.5, -1, "007"]\n')
  expect(text.replace(/\s+/g, '')).toBe('{"zip":"01234","mode":"0644","f":"00.5","n":[0,0.5,-1,"007"]}')
  expect(warnings).toEqual([
    'zeros.yaml has numbers with leading zeros, which YAML 1.1 and 1.2 read differently and which stay text: 01234, 0644, 00.5',
  ])
})

test('keys that are equal in JSON', async () => {
  await expect(converted('keys.yaml', '1: a\n"1": b\n')).rejects.toMatchObject({
    ...{ code: 'PROCESSING_FAILED', message: 'keys.yaml has two keys that are the same in JSON: "1"' },
  })
  expect((await converted('twice.json', '{"a": 1, "a": 2}')).warnings).toEqual([
    'twice.json has duplicate keys in an object, of which the last value is used: "a"',
  ])
})

test('a set keeps its members; refuses plain text with another name', async () => {
  expect(JSON.parse((await converted('set.yaml', 'a: !!set {x, y}\nb: !!omap [p: 1, q: 2]\n')).text)).toEqual({
    ...{ a: { x: null, y: null }, b: { p: 1, q: 2 } },
  })
  for (const name of ['settings.toml', 'notes.txt'])
    await expect(converted(name, 'a = 1\nb = 2\n')).rejects.toMatchObject({ code: 'INVALID_FILE' })
  expect((await converted('word.yaml', 'just text\n')).text).toBe('"just text"')
})
