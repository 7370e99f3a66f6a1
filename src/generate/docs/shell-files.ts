import type { CatalogueEntry } from '../../tool/catalogue.ts'
import { SECTIONS } from '../../tool/contract.ts'
import { completionData } from './completion-data.ts'
import { bashCompletion } from './completions-bash.ts'
import { fishCompletion } from './completions-fish.ts'
import { zshCompletion } from './completions-zsh.ts'
import { programPage } from './man-program.ts'
import { sectionPage } from './man-section.ts'

/** Completion files and man pages: contents by path from the root of the project. */
export function shellFiles(entries: readonly CatalogueEntry[]): Map<string, string> {
  const data = completionData(entries)
  return new Map([
    ['completions/mediaproc.bash', bashCompletion(data)],
    ['completions/_mediaproc', zshCompletion(data)],
    ['completions/mediaproc.fish', fishCompletion(data)],
    ['man/mediaproc.1', programPage()],
    ...SECTIONS.map((section): [string, string] => [
      `man/mediaproc-${section}.1`,
      sectionPage(
        section,
        entries.filter((entry) => entry.section === section),
      ),
    ]),
  ])
}
