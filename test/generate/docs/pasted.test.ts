/** Every command of the documentation runs in a shell as pasted, in a folder created by `npm run samples`. */
import { spawn } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { exampleLine } from '../../../src/cli/help.ts'
import type { ExampleResult, ExampleResults } from '../../../src/generate/docs/example-results.ts'
import { PROGRAM_EXAMPLES } from '../../../src/generate/docs/man-program.ts'
import { pastedLines } from '../../../src/generate/docs/tool-page.ts'
import { bundlesOf } from '../../../src/tool/bundles.ts'
import { findEntry, useScannedCatalogue } from '../../../src/tool/registry.ts'
import { buildProgram, PROGRAM } from '../../helpers/program.ts'
import { documentationSamples } from '../../helpers/shared-samples.ts'
import { temporaryFolder } from '../../helpers/tool.ts'

const ROOT = new URL('../../../', import.meta.url)
const page = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8')
const results = JSON.parse(page('docs/tools/examples.json')) as ExampleResults

/** Commands that need the network, models or a server, by the start of the line. */
const ELSEWHERE = [
  'curl ',
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

/** Runs a line in a shell; relative paths, no additions. */
function paste(line: string, cwd: string): Promise<{ code: number | null; stderr: string }> {
  const { MEDIAPROC_CACHE_DIR, MEDIAPROC_CHROMIUM_SANDBOX, MEDIAPROC_MODELS, HOME } = process.env
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME,
    MEDIAPROC_CACHE_DIR,
    MEDIAPROC_CHROMIUM_SANDBOX,
    MEDIAPROC_MODELS,
  }
  const shell = spawn('bash', ['-c', line], { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  shell.stderr.on('data', (part: Buffer) => {
    stderr += part.toString()
  })
  return new Promise((resolve) => shell.on('close', (code) => resolve({ code, stderr })))
}

/** The tool of a line, if it names one. */
const toolOf = (line: string) => /^mediaproc (image|video|audio|pdf|files) ([\w-]+)/.exec(line)?.slice(1, 3)

/** Runs a line; a tool that declares models may report that they are not installed. */
async function expectDone(line: string, cwd: string, warnings?: readonly string[]): Promise<void> {
  const { code, stderr } = await paste(line, cwd)
  const [section, id] = toolOf(line) ?? []
  const bundles = id === undefined ? [] : bundlesOf(findEntry(id, section))
  if (bundles.length > 0 && code === 3) return expect(stderr).toContain('(FEATURE_NOT_INSTALLED)')
  expect({ line, code, stderr }).toMatchObject({ code: 0, ...(warnings?.length === 0 && { stderr: '' }) })
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
    for (const [index, line] of lines.entries())
      await expectDone(line, tools, bundlesOf(findEntry(name)).length > 0 ? undefined : results[name]![index]!.warnings)
  })
})

/** Lines that differ from those of the pages, because help does not know what was pasted before: each in a fresh folder. */
test('the lines of --help and of the manual pages', { timeout: 900_000 }, async () => {
  const shown = new Set([...pastedLines(results).values()].flat())
  const entries = await useScannedCatalogue()
  const lines = entries.flatMap((entry) => entry.examples.map((example) => exampleLine(entry, example)))
  expect(lines.length).toBeGreaterThan(250)
  for (const line of [...lines, ...PROGRAM_EXAMPLES.map(([, one]) => one)]) {
    if (shown.has(line)) continue
    const folder = temporaryFolder()
    cpSync(await documentationSamples(), folder, { recursive: true })
    await expectDone(line, folder)
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

test.each(pages.filter((path) => !OTHER_PAGES.some((name) => path.endsWith(name))))(
  '%s',
  { timeout: 300_000 },
  async (path) => {
    const folder = temporaryFolder()
    cpSync(await documentationSamples(), folder, { recursive: true })
    // Files that the page shows, by the name in their first lines.
    for (const [, block] of page(path).matchAll(/^```yaml\n([\s\S]*?)^```$/gm)) {
      const name = /^# ([\w-]+\.yaml)$/m.exec(block!)?.[1]
      if (name !== undefined) writeFileSync(join(folder, name), block!)
    }
    for (const line of linesOf(page(path)))
      if (!ELSEWHERE.some((start) => line.startsWith(start))) await expectDone(line, folder)
  },
)
