import { openMediaFile } from '../../media/file.ts'
import type { BlobPlace } from '../../store/blobs.ts'
import type { LibraryItem } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import type { ServerContext } from '../context.ts'
import { invalid } from '../http/answers.ts'
import { playableSteps, thumbnailSteps } from './previews.ts'
import { runOnce } from './run-ephemeral.ts'

/** `<id of the item>-<length of its tool chain>-<bytes>-<kind>`, so that new content of an item gets a new file. */
const DERIVED = /^(([0-9a-f-]{36})-\d+-\d+)-(?:thumbnail|preview)$/

const stemOf = ({ id, toolChain, size }: LibraryItem): string => `${id}-${toolChain.length}-${size}`

/** A preview that is created at the first request. @param make receives a callback for the path of the created file */
export async function madeOnce(
  { previews }: Pick<Store, 'previews'>,
  key: string,
  make: (keep: (made: { path: string }) => Promise<void>) => Promise<void>,
): Promise<BlobPlace> {
  // The created file may be on another disk.
  if (!(await previews.stat(key))) await make(({ path }) => previews.put(key, { path, how: 'copy' }))
  return { blobs: previews, key }
}

/**
 * A cached file derived from a library item: a thumbnail or preview.
 * @throws MediaprocError VALIDATION_ERROR when the file type has no preview
 */
export async function derivedFile(
  context: ServerContext,
  ownerKey: string,
  item: LibraryItem,
  kind: 'thumbnail' | 'preview',
): Promise<BlobPlace> {
  return madeOnce(context.store, `${stemOf(item)}-${kind}`, async (keep) => {
    const { blobs, key } = await context.store.library.content(item.id)
    await blobs.borrow(key, async (path) => {
      const input = { path, name: item.originalName }
      const file = await openMediaFile(input.path, input.name)
      const steps = kind === 'thumbnail' ? thumbnailSteps(file) : await playableSteps(file)
      if (!steps) throw invalid('There is no preview for this type of file')
      await runOnce(context, ownerKey, input, steps, keep)
    })
  })
}

/** Removes previews of content that no longer exists. */
export async function sweepDerived({ previews, library }: Pick<Store, 'previews' | 'library'>): Promise<void> {
  for await (const key of previews.keys()) {
    const [, stem, id] = DERIVED.exec(key) ?? []
    if (id === undefined) continue
    const item = await library.get(id)
    if (!item || stemOf(item) !== stem) await previews.remove(key)
  }
}
