import { letOthersRun } from '../concurrency.ts'
import { sourcesOf } from './records/build-record.ts'
import { physicalPath } from './records/record-store.ts'

/** The required fields of an input. */
interface Found {
  /** For files: absolute. */
  path?: string
  /** Found by a pattern or -r. */
  isListed?: true
}

/**
 * Removes from listings the outputs that earlier runs made from other inputs in them: running `-r .` twice must not
 * create `car_resize_resize.jpg` from `car_resize.jpg`. Outputs whose sources are not listed are ordinary inputs, so
 * that a folder of results can be processed; inputs that the user names are always kept.
 */
export async function withoutDerived<Item extends Found>(items: readonly Item[]): Promise<Item[]> {
  if (!items.some(({ isListed }) => isListed)) return [...items]
  const files = items.flatMap(({ path }) => path ?? [])
  const here = new Set(files.map(physicalPath))
  const kept: Item[] = []
  for (const [index, item] of items.entries()) {
    await letOthersRun(index)
    const sources = item.isListed && item.path !== undefined ? sourcesOf(item.path) : undefined
    if (!sources?.some((source) => here.has(source))) kept.push(item)
  }
  // If all files were made from each other, there are no other inputs.
  return kept.length > 0 ? kept : [...items]
}
