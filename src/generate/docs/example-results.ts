import { exampleLine } from '../../cli/help.ts'
import { SAMPLE_NAMES } from '../../cli/sample-names.ts'
import { firstOf } from '../../lists.ts'
import type { CatalogueEntry } from '../../tool/catalogue.ts'

/** A picture on a page: what it shows, and its file in docs/tools/media. */
export interface PagePicture {
  name: string
  file: string
}

/** What running an example gave, as it is stored in docs/tools/examples.json. Pages are made from this, without running anything. */
export interface ExampleResult {
  /** The command; a stored result with another command is stale. */
  line: string
  /** Names of the outputs. */
  files: string[]
  /** For several files that belong together: the name of their folder. */
  set?: string
  before: PagePicture[]
  after: PagePicture[]
  report?: unknown
  /** The first lines of an output that is text. */
  text?: string[]
  /** Warnings of the run. */
  warnings: string[]
}

/** By `section/tool`: one result per example, in the order of the declaration. */
export type ExampleResults = Readonly<Record<string, readonly ExampleResult[]>>

export const RESULTS_PATH = 'docs/tools/examples.json'

type Example = CatalogueEntry['examples'][number]

/** The sample files that an example runs on. */
export function exampleInputs(entry: CatalogueEntry, example: Example): readonly string[] {
  if (entry.input.files === 'none') return []
  const sample = SAMPLE_NAMES[firstOf(entry.input.accept)]
  if (!example.inputs && !sample)
    throw new Error(`${entry.section}/${entry.id}: "${example.title}" names no inputs, and no sample is the default`)
  return example.inputs ?? [sample!]
}

/** The command of an example on its sample files. */
export function sampleLine(entry: CatalogueEntry, example: Example): string {
  return exampleLine(entry, { ...example, inputs: exampleInputs(entry, example) })
}
