import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { BUILT, builtFile } from '../root.ts'
import type { Engine, EngineStatus } from './engine.ts'

const require = createRequire(import.meta.url)

/** The location of an npm package, or undefined if it is not installed. `entry` is a path that its exports allow. */
export function packageFolder(name: string, entry: string = name): string | undefined {
  let folder: string
  try {
    folder = dirname(require.resolve(entry))
  } catch {
    return undefined
  }
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

/** An engine that is an npm package and only needs to be installed. */
export function libraryEngine(
  description: Pick<Engine, 'id' | 'purpose' | 'licence'> & { package: string; entry?: string; abilities?: string[] },
): Engine {
  const { package: name, entry, abilities, ...rest } = description
  return {
    ...rest,
    kind: 'library',
    install: `npm install ${name}`,
    async probe(): Promise<EngineStatus> {
      const version = packageVersion(name, entry)
      if (version === undefined) return { available: false }
      return { available: true, version, path: name, source: 'package', ...(abilities && { abilities }) }
    },
  }
}
