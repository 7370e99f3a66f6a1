import { constants } from 'node:fs'
import { access, chmod, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import { type EnvironmentName, environmentText } from '../../environment.ts'
import { MediaprocError } from '../../errors.ts'
import { noteConsulted } from '../consulted.ts'

/** Search locations for a program, in this order. */
export interface ProgramSearch {
  /** The environment variable that names it: a path, or a name to look up in PATH. */
  environment: EnvironmentName
  /** The binary bundled with an npm package, or undefined. */
  fromPackage?: () => Promise<string | undefined>
  /** Its names in PATH, preferred first, without `.exe`. */
  names: readonly string[]
  /** Like `fromPackage`, for a build that is used only as a fallback. */
  fallbackPackage?: () => Promise<string | undefined>
}

export interface FoundProgram {
  /** Absolute path. */
  path: string
  source: 'environment' | 'package' | 'path'
  /** Whether it came from `fallbackPackage`. */
  fallback: boolean
}

const remembered = new Map<string, Promise<FoundProgram | undefined>>()

/**
 * Finds a program: environment variable, npm package, PATH, fallback package. Searches once per process and setting.
 * @throws MediaprocError INVALID_CONFIG when the environment variable names something that cannot be run: another build
 * than the requested one is never used silently
 */
export function findProgram(search: ProgramSearch): Promise<FoundProgram | undefined> {
  noteConsulted(`program ${search.environment}`)
  const given = environmentText(search.environment)
  const key = JSON.stringify([search.environment, given, search.names, searchPath()])
  let found = remembered.get(key)
  if (!found) {
    found = look(search, given)
    remembered.set(key, found)
    // It may be installed while this process runs.
    const forget = (): boolean => remembered.delete(key)
    found.then((program) => program ?? forget(), forget)
  }
  return found
}

/**
 * The binary bundled with an npm package, if the package is installed and has a build for this platform.
 * @param name the package; its default export is the path of the binary, or an object with the path as `path`
 */
export async function packagedProgram(name: string): Promise<string | undefined> {
  try {
    const loaded = (await import(name)) as { default?: unknown }
    const answer = loaded.default
    if (typeof answer === 'string') return answer
    const path = (answer as { path?: unknown } | null | undefined)?.path
    return typeof path === 'string' ? path : undefined
  } catch {
    // Not installed, or no build for this platform (some packages throw on import): the search continues.
    return undefined
  }
}

async function look(search: ProgramSearch, given: string): Promise<FoundProgram | undefined> {
  if (given.trim() !== '') {
    const named = /[/\\]/.test(given) ? await executable(resolve(given)) : await inPath([given])
    if (named) return { path: named, source: 'environment', fallback: false }
    throw new MediaprocError('INVALID_CONFIG', `${search.environment} is set to ${given}, which is not a program`, {
      hint: `Point ${search.environment} to an executable file, or unset it.`,
    })
  }
  const packaged = await shipped(search.fromPackage)
  if (packaged) return { path: packaged, source: 'package', fallback: false }
  const installed = await inPath(search.names)
  if (installed) return { path: installed, source: 'path', fallback: false }
  const fallback = await shipped(search.fallbackPackage)
  return fallback ? { path: fallback, source: 'package', fallback: true } : undefined
}

function searchPath(): string {
  return process.env.PATH ?? ''
}

async function inPath(names: readonly string[]): Promise<string | undefined> {
  const endings = process.platform === 'win32' ? ['.exe', ''] : ['']
  // A relative folder in PATH would refer to another program in every working folder.
  const folders = searchPath().split(delimiter).filter(isAbsolute)
  for (const name of names) {
    for (const folder of folders) {
      for (const ending of endings) {
        const found = await executable(join(folder, name + ending))
        if (found) return found
      }
    }
  }
  return undefined
}

/** The binary of a package; sets the execute bit if the package's install script did not run. */
async function shipped(locate: (() => Promise<string | undefined>) | undefined): Promise<string | undefined> {
  const path = await locate?.()
  if (!path) return undefined
  const ready = await executable(path)
  if (ready) return ready
  try {
    await chmod(path, 0o755)
  } catch {
    return undefined
  }
  return executable(path)
}

async function executable(path: string): Promise<string | undefined> {
  try {
    if (!(await stat(path)).isFile()) return undefined
    await access(path, constants.X_OK)
    return path
  } catch {
    return undefined
  }
}
