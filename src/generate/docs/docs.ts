/**
 * `npm run generate`: runs every tool's examples and writes docs/tools with pictures, docs/errors.md and docs/environment.md.
 * `npm run generate -- image/posterize` runs the examples of that tool only; the other pages are made from the stored results.
 * An example whose engine is absent keeps its stored result.
 */

import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MediaprocError } from '../../errors.ts'
import { required } from '../../lists.ts'
import { ROOT } from '../../root.ts'
import type { CatalogueEntry } from '../../tool/catalogue.ts'
import { catalogue } from '../../tool/registry.ts'
import { contactSheet } from '../assets/contact-sheet.ts'
import { makeSamples } from '../assets/samples.ts'
import { docFiles } from './doc-files.ts'
import {
  type ExampleResult,
  type ExampleResults,
  type PagePicture,
  RESULTS_PATH,
  sampleLine,
} from './example-results.ts'
import { runExample } from './run-example.ts'
import { writeFiles } from './write-files.ts'

// Chromium refuses to sandbox for root, as in a container; the pages of the examples are our own.
process.env.MEDIAPROC_CHROMIUM_SANDBOX ??= 'false'

const MEDIA = new URL('docs/tools/media/', ROOT)

/** Exit code 3 is: something is not installed. */
const NOT_INSTALLED = 3

const stored: ExampleResults = existsSync(new URL(RESULTS_PATH, ROOT))
  ? (JSON.parse(readFileSync(new URL(RESULTS_PATH, ROOT), 'utf8')) as ExampleResults)
  : {}

async function resultOf(
  entry: CatalogueEntry,
  index: number,
  folder: string,
  media: Map<string, Buffer>,
): Promise<ExampleResult> {
  try {
    return await runExample(entry, index + 1, folder, media)
  } catch (error) {
    const line = sampleLine(entry, entry.examples[index]!)
    const before = stored[`${entry.section}/${entry.id}`]?.[index]
    // Models that were not available when the page was generated: show the command and what it needs.
    if (error instanceof MediaprocError && error.code === 'FEATURE_NOT_INSTALLED' && before?.line !== line)
      return { line, files: [], before: [], after: [], warnings: [`Not run for this page: ${error.message}`] }
    if (!(error instanceof MediaprocError) || error.exit !== NOT_INSTALLED || before?.line !== line)
      throw new Error(`the example does not run: ${line}`, { cause: error })
    console.error(`${line}: ${error.message}; the stored result is kept`)
    for (const { file } of [...before.before, ...before.after])
      if (!media.has(file)) media.set(file, await readFile(new URL(file, MEDIA)))
    return before
  }
}

const picturesOf = (results: readonly ExampleResult[] = []): PagePicture[] =>
  results.flatMap(({ before, after }) => [...before, ...after])

/** The pictures of all results, as they are in docs/tools/media. */
async function allMedia(results: ExampleResults): Promise<Map<string, Buffer>> {
  const files = new Set(Object.values(results).flatMap((own) => picturesOf(own).map(({ file }) => file)))
  const media = new Map<string, Buffer>()
  for (const file of files) media.set(file, await readFile(new URL(file, MEDIA)))
  return media
}

/**
 * The tools whose examples are run: those that the command names, or all. A preset has its page's part at its tool.
 * @param names `section/tool` or `section/preset`
 */
function chosenTools(entries: readonly CatalogueEntry[], names: readonly string[]): ReadonlySet<string> {
  const pageOf = new Map(entries.map(({ section, id, base }) => [`${section}/${id}`, `${section}/${base ?? id}`]))
  const unknown = names.filter((name) => !pageOf.has(name))
  if (unknown.length > 0)
    throw new Error(`no such tool: ${unknown.join(', ')}; a name is section/tool, as image/resize`)
  return new Set(names.length > 0 ? names.map((name) => required(pageOf, name)) : pageOf.values())
}

const entries = catalogue()
const names = process.argv.slice(2)
const chosen = chosenTools(entries, names)
const folder = await mkdtemp(join(tmpdir(), 'mediaproc-docs-'))
try {
  await makeSamples(join(folder, 'samples'))
  const media = new Map<string, Buffer>()
  const results: Record<string, readonly ExampleResult[]> = {}
  for (const entry of entries.filter(({ base }) => base === undefined)) {
    const name = `${entry.section}/${entry.id}`
    if (!chosen.has(name)) {
      if (stored[name]) results[name] = stored[name]
      continue
    }
    const own: ExampleResult[] = []
    for (const index of entry.examples.keys()) own.push(await resultOf(entry, index, folder, media))
    results[name] = own
  }
  if (names.length === 0) await rm(fileURLToPath(new URL('docs/tools/', ROOT)), { recursive: true, force: true })
  else
    for (const { file } of [...chosen].flatMap((name) => picturesOf(stored[name])))
      await rm(new URL(file, MEDIA), { force: true })
  await writeFiles(new Map([...media].map(([name, picture]) => [`docs/tools/media/${name}`, picture])))
  await writeFiles(docFiles(entries, results))
  await writeFiles(new Map([[RESULTS_PATH, `${JSON.stringify(results, null, 2)}\n`]]))
  await writeFiles(new Map([['docs/media/image-tools.webp', await contactSheet(results, await allMedia(results))]]))
} finally {
  await rm(folder, { recursive: true, force: true })
}
