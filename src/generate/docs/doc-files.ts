import type { CatalogueEntry } from '../../tool/catalogue.ts'
import { SECTIONS } from '../../tool/contract.ts'
import type { ExampleResults } from './example-results.ts'
import { sectionIndex, toolsIndex } from './index-pages.ts'
import { environmentPage, errorsPage, namesPage } from './reference-pages.ts'
import { pastedLines, toolPage } from './tool-page.ts'

/**
 * All generated pages: contents by path from the root of the project. Nothing is run: what the examples gave is in `results`.
 * @throws Error when a result is missing or belongs to another command
 */
export function docFiles(entries: readonly CatalogueEntry[], results: ExampleResults): Map<string, string> {
  const tools = entries.filter((entry) => entry.base === undefined)
  const pasted = pastedLines(results)
  return new Map([
    ['docs/errors.md', errorsPage()],
    ['docs/environment.md', environmentPage()],
    ['docs/names.md', namesPage()],
    ['docs/tools/README.md', toolsIndex(entries)],
    ...SECTIONS.map((section): [string, string] => [
      `docs/tools/${section}/README.md`,
      sectionIndex(
        section,
        entries.filter((entry) => entry.section === section),
      ),
    ]),
    ...tools.map((entry): [string, string] => [
      `docs/tools/${entry.section}/${entry.id}.md`,
      toolPage(entry, results[`${entry.section}/${entry.id}`] ?? [], pasted.get(`${entry.section}/${entry.id}`) ?? []),
    ]),
  ])
}
