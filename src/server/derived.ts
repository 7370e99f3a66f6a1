import { randomUUID } from 'node:crypto'
import { copyFile, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { openMediaFile } from '../media/file.ts'
import { storageFailure } from '../store/durable.ts'
import type { LibraryItem } from '../store/records.ts'
import { invalid } from './answer.ts'
import type { ServerConfig } from './config.ts'
import type { ServerContext } from './context.ts'
import { runOnce } from './once.ts'
import { playableSteps, thumbnailSteps } from './previews.ts'

/** `<id of the item>-<length of its tool chain>-<bytes>-<kind>`, so that other bytes of an item get another file. */
const DERIVED = /^(([0-9a-f-]{36})-\d+-\d+)-(?:thumbnail|preview)(\.[0-9a-f-]{36}\.part)?$/

const stemOf = ({ id, toolChain, size }: LibraryItem): string => `${id}-${toolChain.length}-${size}`

/** Files that are being made. */
const unfinished = new Set<string>()

const folderOf = ({ dataFolder }: ServerConfig): string => join(dataFolder, 'previews')

/** Puts a file in its place in one step; the two may be on different disks. */
export async function placeDerived(from: string, to: string): Promise<void> {
  const temporary = `${to}.${randomUUID()}.part`
  unfinished.add(temporary)
  try {
    await copyFile(from, temporary)
    await rename(temporary, to)
  } catch (error) {
    await rm(temporary, { force: true })
    throw storageFailure(error)
  } finally {
    unfinished.delete(temporary)
  }
}

/**
 * A file made from a library item once and kept: a thumbnail or preview.
 * @throws MediaprocError VALIDATION_ERROR when there is none for the type of file
 */
export async function derivedFile(
  context: ServerContext,
  ownerKey: string,
  item: LibraryItem,
  kind: 'thumbnail' | 'preview',
): Promise<string> {
  const folder = folderOf(context.config)
  const path = join(folder, `${stemOf(item)}-${kind}`)
  if (await stat(path).catch(() => undefined)) return path
  const input = { path: context.store.library.contentPath(item.id), name: item.originalName }
  const file = await openMediaFile(input.path, input.name)
  const steps = kind === 'thumbnail' ? thumbnailSteps(file) : await playableSteps(file)
  if (!steps) throw invalid('There is no preview for this type of file')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await runOnce(context, ownerKey, input, steps, (made) => placeDerived(made.path, path))
  return path
}

/** Removes what was made from bytes that are gone, and what a killed run left half made. */
export async function sweepDerived({ config, store }: Pick<ServerContext, 'config' | 'store'>): Promise<void> {
  const folder = folderOf(config)
  for (const name of await readdir(folder).catch(() => [])) {
    const [, stem, id, part] = DERIVED.exec(name) ?? []
    if (id === undefined || unfinished.has(join(folder, name))) continue
    const item = store.library.get(id)
    if (part !== undefined || !item || stemOf(item) !== stem) await rm(join(folder, name), { force: true })
  }
}
