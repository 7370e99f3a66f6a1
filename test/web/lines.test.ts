/** The lines that the console offers to copy, read by a shell, a YAML parser and our own command line. */
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { COMMON_OPTIONS } from '../../src/cli/input/common-options.ts'
import { toolFlags } from '../../src/cli/input/flags.ts'
import { parseArguments } from '../../src/cli/input/parse.ts'
import { findTool } from '../../src/pipeline/read/find-tool.ts'
import { inspectSettings } from '../../src/tool/validate.ts'
import { commandLine, type LineParts } from '../../web/src/lines/command.ts'
import { type CurlParts, curlLine, curlLines } from '../../web/src/lines/curl.ts'
import { pipelineText } from '../../web/src/lines/pipeline.ts'

/** The words that a shell passes to a program. */
function words(line: string, variables: Record<string, string> = {}): string[] {
  const [, ...rest] = /^(\S+) ([\s\S]*)$/.exec(line)!
  const script = `set -- ${rest[1]}\nprintf '%s\\0' "$@"`
  const out = execFileSync('/bin/sh', ['-c', script], { env: variables, encoding: 'utf8', stdio: 'pipe' })
  return out.split('\0').slice(0, -1)
}

const HOSTILE = [
  'plain',
  "it's",
  '$HOME `id` $(id) "quoted" \\',
  'a;type=text/html & | > < *',
  'two\nlines',
  '--flag',
  '-n',
  '© näïve 日本',
  '@file',
  '=',
  '!history #comment ~',
]

const parts = (settings: Record<string, unknown>, files: string[] = ['photo.jpg']): LineParts => ({
  ...{ section: 'image', id: 'watermark-text', files, secondary: {}, settings, secrets: new Set(['password']) },
})

test.each(HOSTILE)('the command passes %j to the program as it is', (text) => {
  const given = { text, tile: false, preciseCut: true, fontSize: 12.5, items: [text, 2], box: { text } }
  const [section, id, file, ...flags] = words(commandLine(parts(given, [text])))
  expect([section, id]).toEqual(['image', 'watermark-text'])
  expect(file).toBe(text.startsWith('-') ? `./${text}` : text)
  expect(flags).toEqual([
    `--text=${text}`,
    '--no-tile',
    '--precise-cut',
    '--font-size=12.5',
    `--items=${JSON.stringify([text, 2])}`,
    `--box=${JSON.stringify({ text })}`,
  ])
})

/** The settings and files that our command line reads from a line. */
function parsedByProgram(line: string, variables: Record<string, string> = {}) {
  const [section, id, ...args] = words(line, variables)
  const { entry } = findTool(id!, section)
  const flags = toolFlags(entry.settings, entry.input.secondary ?? {}, COMMON_OPTIONS)
  const { operands, settings, secondary } = parseArguments(args, entry.settings, flags, '')
  const { values, issues } = inspectSettings(entry.settings, settings)
  return {
    operands,
    secondary,
    issues,
    settings: Object.fromEntries(Object.keys(settings).map((name) => [name, values[name]])),
  }
}

test.each(HOSTILE)('the program reads %j from the command as the form has it', (text) => {
  const settings = { text, opacity: 40, position: 'tiled' }
  const read = parsedByProgram(commandLine({ ...parts(settings, [text, 'b.png']), secondary: {} }))
  expect(read).toEqual({
    ...{ operands: [text.startsWith('-') ? `./${text}` : text, 'b.png'], secondary: {}, issues: [], settings },
  })
  const terms = [text, 'a,b']
  const redacted = { ...parts({ terms }, ['a.pdf']), section: 'pdf', id: 'redact-pdf' }
  expect(parsedByProgram(commandLine(redacted)).settings.terms).toEqual(terms)
  // The list is a secret of this tool, which the console leaves to a variable.
  const secret = commandLine({ ...redacted, secrets: new Set(['terms']) })
  expect(parsedByProgram(secret, { TERMS: JSON.stringify(terms) }).settings.terms).toEqual(terms)
})

/** What curl would get as standard input, and its arguments; undefined if the shell stops before. */
function sentBy(line: string, variables: Record<string, string>): { input: string; args: string[] } | undefined {
  const script = `curl() { cat; printf '\\0%s' "$@"; }\n${line}\n`
  try {
    const env = { KEY: 'si_1', PATH: process.env.PATH!, ...variables }
    const out = execFileSync('/bin/sh', ['-c', script], { env, encoding: 'utf8', stdio: 'pipe' })
    const [input = '', ...args] = out.split('\0')
    return { input, args }
  } catch {
    return undefined
  }
}

test.each(HOSTILE.filter((text) => !text.includes('\n')))('curl gets the secret %j from variables only', (text) => {
  const secret: CurlParts = {
    ...{
      address: 'http://h/x',
      files: [{ field: 'file', name: 'a.pdf' }],
      secrets: new Set(['userPassword', 'terms']),
    },
    settings: { method: "it's $1", userPassword: 'hunter2', terms: ['hunter3'], pages: '1' },
  }
  const line = curlLine(secret)
  expect(line).not.toMatch(/hunter/)
  const sent = sentBy(line, { USER_PASSWORD: text, TERMS: JSON.stringify([text]) })!
  expect(JSON.parse(sent.input)).toEqual({ method: "it's $1", userPassword: text, terms: [text], pages: '1' })
  expect(sent.args.slice(2)).toEqual(['-F', 'file=@a.pdf', '-F', 'settings=<-', 'http://h/x'])
  const json = sentBy(curlLine({ ...secret, isJson: true }), { USER_PASSWORD: text, TERMS: '[]' })!
  expect([JSON.parse(json.input).userPassword, ...json.args.slice(2)]).toEqual([text, '--json', '@-', 'http://h/x'])
  for (const variables of [{}, { USER_PASSWORD: text }, { TERMS: '[]' }, { USER_PASSWORD: '', TERMS: '[]' }])
    expect(sentBy(line, variables as Record<string, string>)).toBeUndefined()
})

test('a tool of one file is called for each file, with the other files; a tool that joins them once', () => {
  const names = ['a.png', "b's.png"]
  const files = [...names.map((name) => ({ field: 'file', name })), { field: 'watermark', name: 'w.png' }]
  const parts = { address: 'http://h/x', files, settings: {}, secrets: new Set<string>() }
  const calls = curlLines(parts, false).split('\n')
  expect(calls.map((line) => words(line).slice(2))).toEqual(
    names.map((name) => [
      ...['-F', name === 'a.png' ? `file=@${name}` : `file=@"${name}"`],
      ...['-F', 'watermark=@w.png', 'http://h/x'],
    ]),
  )
  expect(curlLines(parts, true)).toBe(curlLine(parts))
})

test('a secret is a variable in every line', () => {
  const secret = { password: 'hunter2' }
  const line = commandLine(parts(secret))
  expect(line).not.toContain('hunter2')
  expect(words(line, { PASSWORD: "it's $1" })).toContain("--password=it's $1")
  // Without the variable the program does not run: an empty password would be accepted.
  expect(() => words(line)).toThrow(/PASSWORD/)
  expect(parse(pipelineText(parts(secret)))).toEqual({
    steps: [{ 'image/watermark-text': { password: '$' + '{PASSWORD}' } }],
  })
})

test.each(HOSTILE)('the pipeline holds %j, with a doubled dollar sign', (text) => {
  const settings = { text, box: { items: [text, true, 3] } }
  const doubled = text.replaceAll('$', () => '$$')
  expect(parse(pipelineText({ ...parts(settings), secondary: { watermark: text } }))).toEqual({
    steps: [{ 'image/watermark-text': { text: doubled, box: { items: [doubled, true, 3] }, watermark: doubled } }],
  })
})

test('a pipeline without settings is one word', () => {
  expect(parse(pipelineText(parts({})))).toEqual({ steps: ['image/watermark-text'] })
})

test.each(HOSTILE)('curl sends %j as it is', (text) => {
  const settings = { text }
  const files = [{ field: 'file', name: text }]
  const line = curlLine({ address: 'http://h/api/v1/tools/image/x', files, settings, secrets: new Set() })
  const sent = words(line, { KEY: 'si_1' })
  expect(sent.slice(0, 2)).toEqual(['-H', 'Authorization: Bearer si_1'])
  expect(sent.slice(4)).toEqual([
    '--form-string',
    `settings=${JSON.stringify(settings)}`,
    'http://h/api/v1/tools/image/x',
  ])
  const [flag, file] = sent.slice(2, 4)
  expect(flag).toBe('-F')
  // curl removes quotes and backslashes of a quoted file name.
  const name = /^file=@(?:"([\s\S]*)"|([\s\S]*))$/.exec(file!)!
  expect(name[2] ?? name[1]!.replace(/\\(.)/g, '$1')).toBe(text)
})

test('a tool without files gets JSON', () => {
  const settings = { data: "it's" }
  const line = curlLine({ address: 'http://h/x', files: [], settings, secrets: new Set(), isJson: true })
  expect(words(line).slice(2)).toEqual(['--json', JSON.stringify(settings), 'http://h/x'])
})
