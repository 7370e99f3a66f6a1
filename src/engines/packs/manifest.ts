import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { environmentText } from '../../environment.ts'
import { MediaprocError } from '../../errors.ts'
import { ROOT } from '../../root.ts'

/** An npm package of a pack, pinned. */
export interface PackPackage {
  name: string
  version: string
  /** Its place in the pack: `node_modules/icodec`. */
  path: string
  /** SHA-512 of the archive (Subresource Integrity). */
  integrity: string
  /** Size of the archive in bytes. */
  archiveBytes: number
  /** Unpacked size in bytes. */
  bytes: number
  /** Only for these machines, as in package.json. */
  os?: readonly string[]
  cpu?: readonly string[]
  libc?: readonly string[]
}

/** npm packages that are installed together, when a tool first needs one of them. */
export interface Pack {
  name: string
  /** Its purpose, in half a sentence. */
  purpose: string
  licence: string
  packages: readonly PackPackage[]
}

interface Header {
  glibcVersionRuntime?: string
}

/** The C library on Linux, in npm's words. */
const libc = (): string =>
  (process.report.getReport() as unknown as { header: Header }).header.glibcVersionRuntime ? 'glibc' : 'musl'

/** Whether a list of package.json, such as `linux` or `!win32`, includes a machine. */
function includes(list: readonly string[] | undefined, machine: string): boolean {
  if (list === undefined || list.includes(machine)) return true
  return !list.includes(`!${machine}`) && list.every((one) => one.startsWith('!'))
}

/** Whether a package is for this machine. */
const isForHere = ({ os, cpu, libc: libraries }: PackPackage): boolean =>
  includes(os, process.platform) &&
  includes(cpu, process.arch) &&
  (libraries === undefined || process.platform !== 'linux' || includes(libraries, libc()))

const read = new Map<string, readonly Pack[]>()

/** The packs of this release that exist for this machine, with its packages. MEDIAPROC_MANIFESTS can replace models/engines.json. */
export function allPacks(): readonly Pack[] {
  const given = environmentText('MEDIAPROC_MANIFESTS')
  const known = read.get(given)
  if (known) return known
  const own = given === '' ? undefined : new URL('engines.json', pathToFileURL(`${resolve(given)}/`))
  const path = own && existsSync(own) ? own : new URL('models/engines.json', ROOT)
  const listed = JSON.parse(readFileSync(path, 'utf8')) as Record<string, Omit<Pack, 'name'>>
  const packs = Object.entries(listed)
    .map(([name, pack]) => ({ name, ...pack, packages: pack.packages.filter(isForHere) }))
    .filter(({ packages }) => packages.length > 0)
  read.set(given, packs)
  return packs
}

/** @throws MediaprocError USAGE if this release has no such pack */
export function packNamed(name: string): Pack {
  const pack = allPacks().find((one) => one.name === name)
  if (pack) return pack
  const names = allPacks().map((one) => one.name)
  throw new MediaprocError('USAGE', `There is no engine pack ${name} for this machine`, {
    hint: `The packs are ${names.join(', ')}.`,
  })
}

/** The pack that contains an npm package, if any. */
export const packWith = (npmPackage: string): Pack | undefined =>
  allPacks().find(({ packages }) => packages.some(({ name }) => name === npmPackage))

/** Identifies the exact contents of a pack, so that a release never uses the packages of another. */
export function packKey({ name, packages }: Pack): string {
  const content = JSON.stringify(packages.map(({ path, integrity }) => [path, integrity]))
  return `${name}@${createHash('sha256').update(content).digest('hex').slice(0, 16)}`
}

/** The cost of packs: bytes to download, and bytes on disk. */
export function packSize(packs: readonly Pack[]): { fetched: number; kept: number } {
  const all = packs.flatMap(({ packages }) => packages)
  const sum = (key: 'archiveBytes' | 'bytes'): number => all.reduce((total, one) => total + one[key], 0)
  return { fetched: sum('archiveBytes'), kept: sum('bytes') }
}
