import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { readTar, type TarEntry } from '../../engines/tar.ts'
import { MediaprocError } from '../../errors.ts'
import { checkRoom } from '../../free-space.ts'
import { makeFolder } from '../../make-folder.ts'
import type { Turn } from '../../process-lock.ts'
import { packageVersion } from '../../root.ts'
import { assemble } from '../install/assemble.ts'
import { checkLicences, withRequirements } from '../install/install.ts'
import { keepFile } from '../install/sources.ts'
import { allModels, findBundle, findModel, type Model, type ModelFile, RUNTIME } from '../manifest.ts'
import { type ArchiveList, FILES_FOLDER, isArchiveList, LIST_NAME, MOST_BYTES, MOST_ENTRIES } from './archive.ts'
import { changeStore } from './change-store.ts'
import { installedModel } from './installed.ts'
import { blobPath, stagingFolder } from './store-folder.ts'

/** Maximum size of the list. */
const MOST_LIST_BYTES = 1_000_000

export interface Imported {
  list: ArchiveList
  /** What was skipped, and why. */
  warnings: string[]
}

const notOurs = (why: string): MediaprocError =>
  new MediaprocError('INVALID_FILE', `This is not a model archive: ${why}`, {
    hint: { shell: 'mediaproc models export writes one.' },
  })

/** Rejects contents that our archives never have. */
function checkEntry({ path, type }: TarEntry): void {
  if (type !== 'File' && type !== 'Directory') throw notOurs(`it contains an entry that is neither a file nor a folder`)
  const isOutside = /^(?:[/\\]|[A-Za-z]:)/.test(path) || path.split(/[/\\]/).includes('..')
  if (isOutside || path.includes('\0')) throw notOurs('it contains a path outside of the archive')
}

async function readList(entry: TarEntry): Promise<ArchiveList> {
  if (entry.bytes > MOST_LIST_BYTES) throw notOurs(`its ${LIST_NAME} is too long`)
  const parts: Buffer[] = []
  for await (const part of entry.content()) parts.push(part)
  let list: unknown
  try {
    list = JSON.parse(Buffer.concat(parts).toString('utf8'))
  } catch {
    throw notOurs(`its ${LIST_NAME} cannot be read`)
  }
  if (isArchiveList(list)) return list
  throw notOurs(`its ${LIST_NAME} is not of this format`)
}

/** Extracts the files that the manifest lists into the store. */
async function takeFiles(path: string, store: string, signal: AbortSignal): Promise<ArchiveList> {
  const known = new Map(
    allModels().flatMap(({ files }) => files.map((file): [string, ModelFile] => [file.sha256, file])),
  )
  const folder = join(stagingFolder(store), 'import')
  await makeFolder(folder)
  let list: ArchiveList | undefined
  let [entries, bytes] = [0, 0]
  await readTar(path, signal, async (entry) => {
    entries += 1
    bytes += entry.bytes
    if (entries > MOST_ENTRIES) throw notOurs(`it contains more than ${MOST_ENTRIES} entries`)
    if (bytes > MOST_BYTES) throw notOurs(`it contains more than ${MOST_BYTES / 1e9} GB`)
    checkEntry(entry)
    const name = entry.path.replace(/^(?:\.\/)+/, '')
    if (entry.type === 'File' && name === LIST_NAME) list = await readList(entry)
    const [top, sha256 = '', ...rest] = name.split('/')
    const file = top === FILES_FOLDER && rest.length === 0 ? known.get(sha256) : undefined
    if (entry.type !== 'File' || !file || (await stat(blobPath(store, sha256)).catch(() => undefined))) return
    if (!file.approximate && entry.bytes !== file.bytes)
      throw new MediaprocError(
        'MODEL_DAMAGED',
        `${file.name} in the archive has ${entry.bytes} bytes and not ${file.bytes}`,
      )
    await checkRoom(store, entry.bytes)
    await pipeline(entry.content(), createWriteStream(join(folder, sha256)), { signal })
    await keepFile(store, file, join(folder, sha256), signal)
  })
  if (!list) throw notOurs(`it has no ${LIST_NAME}`)
  return list
}

/** The models of an archive that can be used here. */
function usable({ models, version, platform }: ArchiveList): { found: Model[]; warnings: string[] } {
  const found: Model[] = []
  const warnings: string[] = []
  const own = `${process.platform}-${process.arch}`
  for (const [id, files] of Object.entries(models)) {
    const model = findModel(id)
    const isSame = model?.files.every(({ name, sha256 }) => files[name] === sha256)
    if (model && isSame) found.push(model)
    else if (id === RUNTIME && platform !== own)
      warnings.push(`The runtime in the archive is for ${platform} and was skipped`)
    else
      throw new MediaprocError(
        'INVALID_FILE',
        `The archive was written by release ${version} and holds another ${id} than release ${packageVersion()} takes`,
      )
  }
  return { found, warnings }
}

/**
 * Installs from an archive: only files that this release's manifest lists, verified by SHA-256. Nothing else is
 * written.
 * @throws MediaprocError INVALID_FILE, MODEL_DAMAGED, LICENCE_NOT_ACCEPTED, INSUFFICIENT_STORAGE, DISK_FULL, CANCELED
 */
export async function importArchive(
  path: string,
  store: string,
  { acceptLicence, ...turn }: Turn & { acceptLicence: boolean },
): Promise<Imported> {
  let imported: Imported | undefined
  await changeStore(store, turn, async ({ records }) => {
    const list = await takeFiles(path, store, turn.signal)
    const { found, warnings } = usable(list)
    if (list.bundleId !== null && !findBundle(list.bundleId)) throw notOurs(`there is no bundle ${list.bundleId}`)
    const missing: Model[] = []
    for (const model of found) if (!(await installedModel(model.id, store))) missing.push(model)
    if (!acceptLicence) checkLicences(missing.filter(({ licence }) => licence.commercial !== true))
    for (const { id, files } of missing)
      for (const { name, sha256 } of files)
        if (!(await stat(blobPath(store, sha256)).catch(() => undefined))) throw notOurs(`it lacks ${name} of ${id}`)
    for (const model of missing) await assemble(store, model)
    imported = { list, warnings }
    const requirement = { ...(list.bundleId !== null && { bundle: list.bundleId }), tier: list.tier }
    return withRequirements(records, [{ ...requirement, models: found.map(({ id }) => id) }])
  })
  return imported!
}
