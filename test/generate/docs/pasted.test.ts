/**
 * Every command of the documentation runs in a shell as pasted, in a folder created by `npm run samples`, and the outputs of
 * image tools match the reviewed pictures in docs/tools/media. `npm run generate` recreates those; check changes before
 * committing.
 */
import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { exampleLine } from '../../../src/cli/help.ts'
import type { ExampleResult, ExampleResults } from '../../../src/generate/docs/example-results.ts'
import { PROGRAM_EXAMPLES } from '../../../src/generate/docs/man-program.ts'
import { outputPictures, shownText } from '../../../src/generate/docs/run-example.ts'
import { pastedLines } from '../../../src/generate/docs/tool-page.ts'
import { openMediaFile } from '../../../src/media/file.ts'
import { bundlesOf } from '../../../src/tool/bundles.ts'
import { findEntry, useScannedCatalogue } from '../../../src/tool/registry.ts'
import { likeness } from '../../helpers/perceptual.ts'
import { buildProgram, PROGRAM } from '../../helpers/program.ts'
import { documentationSamples } from '../../helpers/shared-samples.ts'
import { temporaryFolder } from '../../helpers/tool.ts'

const ROOT = new URL('../../../', import.meta.url)
const page = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8')
const results = JSON.parse(page('docs/tools/examples.json')) as ExampleResults

/** Commands that need the network, models or a server, by the start of the line. */
const ELSEWHERE = [
  'curl ',
  'mediaproc engines export',
  'mediaproc engines import',
  'mediaproc engines install',
  'mediaproc engines remove',
  'mediaproc image html-to-image --url https://example.com',
  'mediaproc models ',
  'mediaproc serve ',
  'npm ',
  'npx ',
]
/** Pages about installing models or running a server. */
const OTHER_PAGES = ['models.md', 'serve.md', 'sign-in.md']

const tools = temporaryFolder()
const bin = temporaryFolder()

beforeAll(async () => {
  buildProgram()
  await useScannedCatalogue()
  writeFileSync(join(bin, 'mediaproc'), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`, { mode: 0o755 })
  cpSync(await documentationSamples(), tools, { recursive: true })
}, 180_000)

/** `mediaproc watch` ends with Ctrl-C. */
const runsOn = (line: string): boolean => line.startsWith('mediaproc watch ') && !line.includes(' --once')

/** Runs a line in a shell; relative paths, no additions. A watch is interrupted when it has begun. */
function paste(line: string, cwd: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const { MEDIAPROC_CACHE_DIR, MEDIAPROC_CHROMIUM_SANDBOX, MEDIAPROC_MODELS, HOME } = process.env
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME,
    MEDIAPROC_CACHE_DIR,
    MEDIAPROC_CHROMIUM_SANDBOX,
    MEDIAPROC_MODELS,
  }
  // With exec, the signal reaches the program and not the shell.
  const shell = spawn('bash', ['-c', runsOn(line) ? `exec ${line}` : line], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  shell.stdout.on('data', (part: Buffer) => {
    stdout += part.toString()
  })
  shell.stderr.on('data', (part: Buffer) => {
    const before = stderr
    stderr += part.toString()
    if (runsOn(line) && stderr.includes('Ctrl-C ends it') && !before.includes('Ctrl-C ends it')) shell.kill('SIGINT')
  })
  return new Promise((resolve) => shell.on('close', (code) => resolve({ code, stdout, stderr })))
}

/** The tool of a line, if it names one of the program's own. */
const toolOf = (line: string) => /^mediaproc (image|video|audio|pdf|files) ([\w-]+)(?=\s|$)/.exec(line)?.slice(1, 3)

/** Finding what breaks a rule is what a check is for. */
const isFinding = (line: string, code: number | null): boolean => line.startsWith('mediaproc check ') && code === 1

/**
 * Runs a line; a tool that declares models may report that they are not installed.
 * @returns standard output, or undefined if the models are missing
 */
async function expectDone(line: string, cwd: string, warnings?: readonly string[]): Promise<string | undefined> {
  const { code, stdout, stderr } = await paste(line, cwd)
  const [section, id] = toolOf(line) ?? []
  const bundles = id === undefined ? [] : bundlesOf(findEntry(id, section))
  if (bundles.length > 0 && code === 3) {
    expect(stderr).toContain('(FEATURE_NOT_INSTALLED)')
    return undefined
  }
  if (isFinding(line, code)) expect(stderr).toMatch(/files? checked: /)
  else expect(code, `${line}\n${stderr}`).toBe(0)
  if (warnings?.length === 0) expect(stderr, line).toBe('')
  return stdout
}

/** Other versions of libvips and its codecs differ by a little: of 256 bits, and of 255. */
const ALIKE = { bits: 16, colour: 16 }

/** The pictures look as reviewed. */
async function expectReviewed(media: ReadonlyMap<string, Buffer>): Promise<void> {
  for (const [file, picture] of media) {
    const golden = new URL(`docs/tools/media/${file}`, ROOT)
    expect(existsSync(golden), `${file}: run npm run generate`).toBe(true)
    const stored = readFileSync(golden)
    const { width, height } = await sharp(stored).metadata()
    const found = await likeness(stored, picture)
    expect([file, found.width, found.height]).toEqual([file, width, height])
    expect(found.bits, `${file} looks different`).toBeLessThanOrEqual(ALIKE.bits)
    expect(found.colour, `${file} has other colours`).toBeLessThanOrEqual(ALIKE.colour)
  }
}

/** The outputs that a page names exist and are not empty, texts are readable, and pictures look as reviewed. */
async function expectOutputs(name: string, number: number, line: string): Promise<void> {
  const { files, set = '' } = results[name]![number - 1]!
  const [, directory = ''] = / -d (\S+)$/.exec(line) ?? []
  const outputs = await Promise.all(files.map((file) => openMediaFile(join(tools, directory, set, file), file)))
  for (const { path } of outputs) expect(statSync(path).size, path).toBeGreaterThan(0)
  // The bytes of a spreadsheet are nothing for a page.
  const text = (await shownText(outputs)) ?? []
  expect(text.filter((one) => /\p{Cc}|\ufffd/u.test(one.replaceAll('\t', '')))).toEqual([])
  const media = new Map<string, Buffer>()
  if (!name.startsWith('image/')) return
  await outputPictures(outputs, media, `${name.replace('/', '-')}-${number}`)
  await expectReviewed(media)
}

const result = (line: string, files: string[], set?: string): ExampleResult => ({
  ...{ line, files, before: [], after: [], warnings: [] },
  ...(set !== undefined && { set }),
})

test('a line whose output would collide with an earlier one uses its own folder', () => {
  const lines = pastedLines({
    'image/b': [result('three', ['a.jpg']), result('four', ['1.png', '2.png'], 'a_split'), result('five', [])],
    'image/a': [result('one', ['a.jpg']), result('two', ['a.jpg'])],
    'image/c': [result('six', ['1.png'], 'a_split'), result('seven', ['a.jpg'])],
  })
  expect([...lines.values()]).toEqual([
    ['one', 'two -d a-examples'],
    ['three -d b-examples', 'four', 'five'],
    ['six -d c-examples', 'seven -d c-examples-2'],
  ])
})

describe('the pages of all tools, in sequence in one folder', () => {
  test.each([...pastedLines(results)])('%s', { timeout: 300_000 }, async (name, lines) => {
    const text = page(`docs/tools/${name}.md`)
    const shown = [...text.matchAll(/^```sh\n(.*)\n```$/gm)].map(([, line]) => line)
    expect(shown).toEqual(lines)
    const [section, id = ''] = name.split('/')
    const entry = findEntry(id, section)
    for (const [index, line] of lines.entries()) {
      const warnings = bundlesOf(entry).length > 0 ? undefined : results[name]![index]!.warnings
      const stdout = await expectDone(line, tools, warnings)
      if (stdout === undefined) continue
      if (entry.output.kind === 'report') expect(stdout.trim(), line).not.toBe('')
      else expect(results[name]![index]!.files.length).toBeGreaterThan(0)
      await expectOutputs(name, index + 1, line)
    }
  })
})

/**
 * Help does not know what was pasted before: its lines have no folder for their outputs. Each in a fresh folder; what ran
 * above but for that folder is only planned.
 */
test('the lines of --help and of the manual pages', { timeout: 900_000 }, async () => {
  const shown = new Set([...pastedLines(results).values()].flat())
  const ran = new Set([...shown].map((line) => line.replace(/ -d [\w-]+-examples(-\d+)?$/, '')))
  const entries = await useScannedCatalogue()
  const lines = entries.flatMap((entry) => entry.examples.map((example) => exampleLine(entry, example)))
  expect(lines.length).toBeGreaterThan(250)
  for (const line of [...lines, ...PROGRAM_EXAMPLES.map(([, one]) => one)]) {
    if (shown.has(line)) continue
    const folder = temporaryFolder()
    cpSync(await documentationSamples(), folder, { recursive: true })
    await expectDone(ran.has(line) ? `${line} --dry-run` : line, folder)
  }
})

/** The shell lines of a page's code blocks, including continuation lines. */
const linesOf = (text: string): string[] =>
  [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block]) =>
    block!
      .replaceAll(/\\\n\s*/g, ' ')
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.startsWith('#')),
  )

const pages = [
  'README.md',
  ...readdirSync(new URL('docs/', ROOT))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

/** The files that a page shows, by the names in their first lines. */
const shownFiles = (path: string): [string, string][] =>
  [...page(path).matchAll(/^```(?:yaml|js)\n([\s\S]*?)^```$/gm)].flatMap(([, block]): [string, string][] => {
    const name = /^(?:#|\/\/) ((?:[\w-]+\/)*[\w.-]+\.(?:yaml|mjs))\b/m.exec(block!)?.[1]
    return name === undefined ? [] : [[name, block!]]
  })

/** Plugins and configurations, which lines use without their names. */
const isOwn = (name: string): boolean => name.endsWith('.mjs') || name.startsWith('mediaproc.config')

test.each(pages.filter((path) => !OTHER_PAGES.some((name) => path.endsWith(name))))(
  '%s',
  { timeout: 300_000 },
  async (path) => {
    const folder = temporaryFolder()
    cpSync(await documentationSamples(), folder, { recursive: true })
    const lines = linesOf(page(path))
    for (const [name, text] of new Map([
      ...pages.flatMap(shownFiles).filter(([name]) => !isOwn(name)),
      ...shownFiles(path),
    ])) {
      if (!lines.some((line) => line.includes(name)) && !isOwn(name)) continue
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
    for (const [name] of lines.join('\n').matchAll(/[\w-]+\.yaml/g))
      if (!existsSync(join(folder, name)) && existsSync(new URL(`docs/pipelines/${name}`, ROOT)))
        cpSync(new URL(`docs/pipelines/${name}`, ROOT), join(folder, name))
    for (const line of lines) if (!ELSEWHERE.some((start) => line.startsWith(start))) await expectDone(line, folder)
  },
)
