import { link, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { writeTar } from '../../engines/tar.ts'
import { MediaprocError } from '../../errors.ts'
import { required } from '../../lists.ts'
import { packageVersion } from '../../root.ts'
import { modelOf, RUNTIME, type Tier } from '../manifest.ts'
import { needsRuntime } from '../runtime-need.ts'
import { type ArchiveList, FILES_FOLDER, LIST_NAME } from './archive.ts'
import { installedModel, isShipped } from './installed.ts'

/**
 * Exports an installed bundle, or models, to an archive for offline machines, with this machine's runtime if it is in
 * the store.
 * @throws MediaprocError FEATURE_NOT_INSTALLED, DISK_FULL, CANCELED
 */
export async function exportArchive(
  what: { bundle?: string; tier: Tier; models: readonly string[] },
  target: string,
  store: string,
  signal: AbortSignal,
): Promise<ArchiveList> {
  const withRuntime = needsRuntime(what.models) && (await installedModel(RUNTIME, store)) ? [RUNTIME] : []
  const ids = [...withRuntime, ...what.models].filter((id) => !isShipped(modelOf(id)))
  const path = resolve(target)
  const folder = await mkdtemp(join(dirname(path), `.${basename(path)}-`))
  try {
    await mkdir(join(folder, FILES_FOLDER))
    const models: Record<string, Record<string, string>> = {}
    const names = new Set<string>()
    for (const id of new Set(ids)) {
      const installed = await installedModel(id, store)
      if (!installed)
        throw new MediaprocError('FEATURE_NOT_INSTALLED', `${id} is not installed`, {
          hint: { shell: `mediaproc models install ${what.bundle ?? id}` },
        })
      models[id] = {}
      for (const { name, sha256 } of modelOf(id).files) {
        models[id][name] = sha256
        const place = `${FILES_FOLDER}/${sha256}`
        if (names.has(place)) continue
        names.add(place)
        const source = required(installed.files, name)
        await link(source, join(folder, place)).catch(() => symlink(source, join(folder, place)))
      }
    }
    const list: ArchiveList = {
      ...{ format: 1, bundleId: what.bundle ?? null, tier: what.tier, version: packageVersion() },
      ...{ platform: `${process.platform}-${process.arch}`, models },
    }
    await writeFile(join(folder, LIST_NAME), `${JSON.stringify(list, null, 2)}\n`)
    const temporary = join(folder, 'archive.tar.gz')
    await writeTar(folder, [LIST_NAME, ...names], temporary, signal)
    await rename(temporary, path)
    return list
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
