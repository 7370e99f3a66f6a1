import { rm } from 'node:fs/promises'
import { MediaprocError } from '../../errors.ts'
import type { Turn } from '../../process-lock.ts'
import { findModel } from '../manifest.ts'
import { changeStore } from './change-store.ts'
import { isShipped } from './installed.ts'
import type { StoreRecords } from './records.ts'
import { blobsFolder, partsFolder } from './store-folder.ts'

/** What to remove: a bundle, or a model that was installed by name. */
export type Removal = { bundle: string } | { model: string }

function without(records: StoreRecords, removal: Removal): StoreRecords {
  if ('bundle' in removal) {
    const { [removal.bundle]: gone, ...bundles } = records.bundles
    if (gone) return { ...records, bundles }
    throw new MediaprocError('CONFLICT', `The bundle ${removal.bundle} is not installed`)
  }
  const { model } = removal
  const single = records.single.filter((id) => id !== model)
  if (single.length < records.single.length) return { ...records, single }
  const owner = Object.entries(records.bundles).find(([, { models }]) => models.includes(model))?.[0]
  if (owner !== undefined)
    throw new MediaprocError('CONFLICT', `${model} belongs to the bundle ${owner}, which is installed`, {
      hint: { shell: `mediaproc models remove ${owner}` },
    })
  const known = findModel(model)
  const reason = known && isShipped(known) ? 'comes with the program' : 'is not installed'
  throw new MediaprocError('CONFLICT', `The model ${model} ${reason}`)
}

/**
 * Removes bundles and models. Files that others need stay. Running jobs keep a removed model: open files stay readable,
 * but new jobs no longer find it.
 * @throws MediaprocError CONFLICT if one of them is not installed; nothing is removed then
 */
export async function remove(removals: readonly Removal[], store: string, turn: Turn): Promise<void> {
  await changeStore(store, turn, async ({ records }) => removals.reduce(without, records))
}

/** Removes everything, including partial downloads. */
export async function removeAll(store: string, turn: Turn): Promise<void> {
  await changeStore(store, turn, async ({ records }) => {
    for (const folder of [partsFolder, blobsFolder]) await rm(folder(store), { recursive: true, force: true })
    return { ...records, bundles: {}, single: [] }
  })
}
