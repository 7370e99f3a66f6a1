/**
 * `npm run engines:manifest`: writes models/engines.json, the engine packs with the packages that package-lock.json pins. The
 * sizes are measured on archives from the npm registry.
 */
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fetchArchive } from '../../engines/npm/archive.ts'
import { readTar } from '../../engines/tar.ts'
import { ROOT } from '../../root.ts'
import { type LockedPackage, lockedPackages, PACKS } from './engine-packs.ts'

const { signal } = new AbortController()
const folder = await mkdtemp(join(tmpdir(), 'mediaproc-engines-'))

async function measured({ name, version, integrity, ...rest }: LockedPackage): Promise<object> {
  const archive = await fetchArchive({ name, version, integrity, most: 1e9 }, folder, { signal })
  let bytes = 0
  await readTar(archive, signal, async (entry) => {
    bytes += entry.bytes
  })
  return { name, version, integrity, archiveBytes: (await stat(archive)).size, bytes, ...rest }
}

const lock = await readFile(new URL('package-lock.json', ROOT), 'utf8')
const packs: Record<string, object> = {}
try {
  for (const [name, { purpose, licence, ...declared }] of Object.entries(PACKS)) {
    const packages: object[] = []
    for (const one of lockedPackages({ purpose, licence, ...declared }, lock)) packages.push(await measured(one))
    packs[name] = { purpose, licence, packages }
  }
} finally {
  await rm(folder, { recursive: true })
}
await writeFile(fileURLToPath(new URL('models/engines.json', ROOT)), `${JSON.stringify(packs, null, 2)}\n`)
