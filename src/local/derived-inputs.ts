import { mapConcurrently } from '../concurrency.ts'
import { sourcesOf } from './records/build-record.ts'
import { physicalPath } from './records/record-store.ts'

/** What this needs of an input. */
interface Found {
  /** Of files: absolute. */
  path?: string
  /** A pattern or -r found it. */
  isListed?: true
}

/** How many files are looked up at the same time. */
const LOOKS = 32

/**
 * Leaves out of listings what earlier runs made of other inputs of this one: `-r .` a second time must not make
 * `car_resize_resize.jpg` of `car_resize.jpg`. Outputs whose sources are not here are inputs like any other, so that a
 * folder of results can be worked on; and what a person names is taken.
 */
export async function withoutDerived<Item extends Found>(items: readonly Item[]): Promise<Item[]> {
  if (!items.some(({ isListed }) => isListed)) return [...items]
  const files = items.flatMap(({ path }) => path ?? [])
  const here = new Set(await mapConcurrently(files, LOOKS, physicalPath))
  const isKept = await mapConcurrently(items, LOOKS, async ({ isListed, path }) => {
    const sources = isListed && path !== undefined ? await sourcesOf(path) : undefined
    return !sources?.some((source) => here.has(source))
  })
  const kept = items.filter((_item, index) => isKept[index])
  // Files that were made of each other are all that there is.
  return kept.length > 0 ? kept : [...items]
}
