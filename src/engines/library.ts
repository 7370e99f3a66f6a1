import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { BUILT, builtFile } from '../root.ts'
import { type Engine, type EngineStatus, installCommand } from './engine.ts'
import { type Pack, packWith } from './packs/manifest.ts'
import { isInstalled, LOADER, packFolder } from './packs/store.ts'

const require = createRequire(import.meta.url)

function resolved(from: NodeJS.Require, entry: string): string | undefined {
  try {
    return from.resolve(entry)
  } catch {
    return undefined
  }
}

/** The loader of the installed pack that has a package; undefined if there is none. */
function loaderOf(name: string): string | undefined {
  const pack = packWith(name)
  return pack && isInstalled(pack) ? join(packFolder(pack), LOADER) : undefined
}

/** The module that a package has at `entry`: in our own node_modules, otherwise in an installed engine pack. */
function locate(name: string, entry: string): string | undefined {
  const own = resolved(require, entry)
  if (own !== undefined) return own
  const loader = loaderOf(name)
  return loader === undefined ? undefined : resolved(createRequire(loader), entry)
}

/** Whether the packages of a pack are in our own node_modules, as in a checkout. Some have the name of a module of Node. */
export const isOwn = ({ packages }: Pack): boolean =>
  packages.every(({ name }) => require.resolve.paths(`${name}/`)?.some((folder) => existsSync(join(folder, name))))

/** Whether the packages of a pack can be imported. */
export const isAvailable = (pack: Pack): boolean => isInstalled(pack) || isOwn(pack)

/** The location of an npm package, or undefined if it is not installed. `entry` is a path that its exports allow. */
export function packageFolder(name: string, entry: string = name): string | undefined {
  const module = locate(name, entry)
  if (module === undefined) return undefined
  let folder = dirname(module)
  // Not every package exports its package.json; its root is identified by the folder name.
  while (!folder.replaceAll('\\', '/').endsWith(`node_modules/${name}`)) {
    const parent = dirname(folder)
    if (parent === folder) return undefined
    folder = parent
  }
  return folder
}

let compiledIn: Readonly<Record<string, { version: string }>> | undefined

/** The version of a package that the build compiled into the program; undefined for others. */
function compiledVersion(name: string): string | undefined {
  if (!BUILT) return undefined
  compiledIn ??= JSON.parse(readFileSync(builtFile('packages.json'), 'utf8')) as NonNullable<typeof compiledIn>
  return compiledIn[name]?.version
}

/** The version of an npm package, without importing it; undefined if it is neither installed nor compiled in. */
export function packageVersion(name: string, entry?: string): string | undefined {
  const compiled = compiledVersion(name)
  if (compiled !== undefined) return compiled
  const folder = packageFolder(name, entry)
  if (!folder) return undefined
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
  return version
}

/**
 * Imports an npm package from our own node_modules, otherwise from an installed engine pack. Packages of packs must be
 * imported by this function, or by `requirePackage`. `packageFolder` shows whether it is installed.
 */
export async function importPackage<T>(name: string, entry: string = name): Promise<T> {
  const loader = resolved(require, entry) === undefined ? loaderOf(name) : undefined
  if (loader === undefined) return (await import(entry)) as T
  const { load } = (await import(pathToFileURL(loader).href)) as { load(name: string): Promise<unknown> }
  return (await load(entry)) as T
}

/**
 * `importPackage` for a large package of CommonJS. Node reads such a package twice to import it, once for the names of its
 * exports, which takes as long as to load it.
 */
export function requirePackage<T>(name: string): T {
  return require(locate(name, name) ?? name) as T
}

/** An engine that is an npm package and only needs to be installed. */
export function libraryEngine(
  description: Pick<Engine, 'id' | 'purpose' | 'licence' | 'pack'> & {
    package: string
    entry?: string
    abilities?: string[]
  },
): Engine {
  const { package: name, entry, abilities, ...rest } = description
  return {
    ...rest,
    kind: 'library',
    install: rest.pack ? installCommand(rest.pack) : `npm install ${name}`,
    async probe(): Promise<EngineStatus> {
      const version = packageVersion(name, entry)
      if (version === undefined) return { available: false }
      return { available: true, version, path: name, source: 'package', ...(abilities && { abilities }) }
    },
  }
}
