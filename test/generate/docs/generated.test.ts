import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { ENVIRONMENT } from '../../../src/environment.ts'
import { ERRORS, EXIT } from '../../../src/errors.ts'
import { docFiles } from '../../../src/generate/docs/doc-files.ts'
import { type ExampleResults, RESULTS_PATH } from '../../../src/generate/docs/example-results.ts'
import { shellFiles } from '../../../src/generate/docs/shell-files.ts'
import type { CatalogueEntry } from '../../../src/tool/catalogue.ts'
import { PLACEHOLDERS } from '../../../src/tool/names/placeholders.ts'
import { useScannedCatalogue } from '../../../src/tool/registry.ts'

/** Runs no examples: the pages are generated from the stored results, so that no engine is needed. */

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const filesIn = (folder: string, ending: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(ROOT.length))

// As the program reads it: in JSON, "no limit" of a tool with any number of files is still a number.
const entries = JSON.parse(JSON.stringify(await useScannedCatalogue())) as CatalogueEntry[]
const results = JSON.parse(read(RESULTS_PATH)) as ExampleResults
const shell = shellFiles(entries)
const pages = docFiles(entries, results)

describe('npm run generate is up to date', () => {
  test.each([...shell, ...pages])('%s', (path, content) => expect(read(path)).toBe(content))

  test('there are no obsolete pages or completion files', () => {
    const known = [...shell.keys(), ...pages.keys()]
    const there = [
      ...filesIn('docs/tools', '.md'),
      ...filesIn('man', '.1'),
      ...readdirSync(join(ROOT, 'completions')).map((name) => `completions/${name}`),
    ]
    expect(there.filter((path) => !known.includes(path))).toEqual([])
  })

  test('every result belongs to an example, every picture to a page', () => {
    const tools = entries.filter(({ base }) => base === undefined)
    expect(Object.entries(results).map(([name, own]) => [name, own.length])).toEqual(
      tools.map(({ section, id, examples }) => [`${section}/${id}`, examples.length]),
    )
    const shown = [...pages.values()].flatMap((page) =>
      [...page.matchAll(/\]\(\.\.\/media\/([^)]+)\)/g)].map(([, file]) => file!),
    )
    expect(readdirSync(join(ROOT, 'docs/tools/media')).sort()).toEqual([...new Set(shown)].sort())
  })

  test('stored results contain no folder of the machine that generated them', () => {
    expect(read(RESULTS_PATH)).not.toMatch(/\/tmp\/|\/home\/|\/root\/|mediaproc-docs-/)
  })
})

describe('detects a change that is not generated', () => {
  const changed = (change: (entry: CatalogueEntry) => CatalogueEntry): CatalogueEntry[] =>
    entries.map((entry) =>
      entry.section === 'image' && entry.id === 'resize' ? change(structuredClone(entry)) : entry,
    )
  const PAGE = 'docs/tools/image/resize.md'

  test.each<[string, (entry: CatalogueEntry) => CatalogueEntry]>([
    ['a summary', (entry) => ({ ...entry, summary: 'Make it fit' })],
    [
      'a range',
      (entry) => ({ ...entry, settings: { ...entry.settings, width: { ...entry.settings.width!, max: 5 } } }),
    ],
    ['a new setting', (entry) => ({ ...entry, settings: { ...entry.settings, grow: entry.settings.width! } })],
    [
      'the title of an example',
      (entry) => ({ ...entry, examples: [{ ...entry.examples[0]!, title: 'x' }, ...entry.examples.slice(1)] }),
    ],
  ])('%s', (_what, change) => expect(docFiles(changed(change), results).get(PAGE)).not.toBe(read(PAGE)))

  test('an example without a result', () => {
    const other = changed((entry) => ({ ...entry, examples: [{ title: 'x', settings: { width: 801 } }] }))
    expect(() => docFiles(other, results)).toThrow('run npm run generate')
  })

  test('a new value is included in the completion files and the man page', () => {
    const other = changed((entry) => ({
      ...entry,
      settings: { ...entry.settings, fit: { ...entry.settings.fit!, enum: ['cover', 'squeeze'] } },
    }))
    for (const path of [
      'completions/mediaproc.bash',
      'completions/_mediaproc',
      'completions/mediaproc.fish',
      'man/mediaproc-image.1',
    ])
      expect(shellFiles(other).get(path)).toContain('squeeze')
  })
})

describe('reference pages', () => {
  const cells = (page: string, pattern: RegExp): string[] => [...read(page).matchAll(pattern)].map(([, name]) => name!)

  test('errors and their page match in both directions', () => {
    expect(cells('docs/errors.md', /^\| <a id="[\w-]+"><\/a>`([\w-]+)` \|/gm)).toEqual(Object.keys(ERRORS))
    expect(cells('docs/errors.md', /^\| (\d+) \| \w/gm).map(Number)).toEqual(Object.values(EXIT))
    for (const { exit } of Object.values(ERRORS)) expect(Object.values(EXIT)).toContain(exit)
  })

  test('environment variables and their page match in both directions', () => {
    expect(cells('docs/environment.md', /^\| `(\w+)` \|/gm)).toEqual(Object.keys(ENVIRONMENT))
  })

  test('placeholders of output names and their page match in both directions', () => {
    expect(cells('docs/names.md', /^\| <a id="[\w.]+"><\/a>`\{([\w.]+)\}` \|/gm)).toEqual(Object.keys(PLACEHOLDERS))
  })
})
