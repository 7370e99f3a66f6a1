import { createWriteStream } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { MediaprocError } from '../../errors.ts'
import { checkRoom } from '../../free-space.ts'
import { required } from '../../lists.ts'
import { packageVersion } from '../../root.ts'
import { hasIntegrity } from '../npm/archive.ts'
import { readTar, writeTar } from '../tar.ts'
import { assemblePack, checkPackRoom, fetcher, type PackOptions } from './install.ts'
import { allPacks, type Pack, type PackPackage } from './manifest.ts'
import { changePacks, isInstalled, stagingFolder } from './store.ts'

/** An archive for offline machines holds the archives of the npm packages, by these names, and a list for people. */
const LIST = 'engines.json'
const nameOf = ({ name, version }: PackPackage): string => `${name.replace('/', '+')}@${version}.tgz`

/**
 * Writes packs to an archive for offline machines of the same platform. Downloads them, whether or not they are installed.
 * @throws MediaprocError as `installPacks`
 */
export async function exportPacks(
  packs: readonly Pack[],
  target: string,
  folder: string,
  options: PackOptions,
): Promise<void> {
  const path = resolve(target)
  const prepared = await mkdtemp(join(dirname(path), `.${basename(path)}-`))
  try {
    await mkdir(join(prepared, 'packages'))
    const names: string[] = []
    await changePacks(folder, options, async () => {
      const archiveOf = fetcher(packs, folder, options)
      for (const source of packs.flatMap(({ packages }) => packages)) {
        const name = `packages/${nameOf(source)}`
        const fetched = await archiveOf(source)
        await copyFile(fetched, join(prepared, name))
        await rm(fetched, { force: true })
        names.push(name)
      }
    })
    const platform = `${process.platform}-${process.arch}`
    const list = { format: 1, version: packageVersion(), platform, packs: packs.map(({ name }) => name) }
    await writeFile(join(prepared, LIST), `${JSON.stringify(list, null, 2)}\n`)
    await writeTar(prepared, [LIST, ...names], join(prepared, 'archive.tar.gz'), options.signal)
    await rename(join(prepared, 'archive.tar.gz'), path)
  } finally {
    await rm(prepared, { recursive: true, force: true })
  }
}

/**
 * Installs packs from an archive: only packages that this release's manifest lists, verified by their checksums.
 * @returns the packs that the archive has
 * @throws MediaprocError INVALID_FILE, MODEL_DAMAGED, INSUFFICIENT_STORAGE, DISK_FULL, CANCELED
 */
export async function importPacks(path: string, folder: string, options: PackOptions): Promise<Pack[]> {
  const { signal } = options
  const known = new Map(allPacks().flatMap(({ packages }) => packages.map((one) => [nameOf(one), one] as const)))
  let complete: Pack[] = []
  await changePacks(folder, options, async () => {
    const found = new Map<PackPackage, string>()
    await readTar(path, signal, async (entry) => {
      const name = entry.path.split('/').at(-1) ?? ''
      const source = known.get(name)
      if (entry.type !== 'File' || !source || found.has(source)) return
      if (entry.bytes > source.archiveBytes * 2) throw damaged(name)
      await checkRoom(folder, entry.bytes)
      const archive = join(stagingFolder(folder), name)
      await pipeline(entry.content(), createWriteStream(archive), { signal })
      if (!(await hasIntegrity(archive, source.integrity, signal))) throw damaged(name)
      found.set(source, archive)
    })
    complete = allPacks().filter(({ packages }) => packages.every((one) => found.has(one)))
    if (complete.length === 0)
      throw new MediaprocError('INVALID_FILE', 'The archive has no engine pack that this release can use here', {
        hint: { shell: 'mediaproc engines export writes one, with the same release on the same platform.' },
      })
    const missing = complete.filter((pack) => !isInstalled(pack, folder))
    await checkPackRoom(missing, folder)
    for (const pack of missing) await assemblePack(pack, folder, async (source) => required(found, source), signal)
  })
  return complete
}

const damaged = (name: string): MediaprocError =>
  new MediaprocError('MODEL_DAMAGED', `${name} in the archive does not have the checksum that this release requires`)
