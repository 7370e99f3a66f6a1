import { constants } from 'node:fs'
import { access, chmod, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import { type EnvironmentName, environmentText } from '../../environment.ts'
import { MediaprocError } from '../../errors.ts'
import { noteConsulted } from '../consulted.ts'

/** Locations to search for a program, in this order. */
export interface ProgramSearch {
  /** The environment variable that names it: a path, or a name to look up in PATH. */
  environment: EnvironmentName
  /** The file that an npm package ships, or undefined. */
  fromPackage?: () => Promise<string | undefined>
  /** Its names in PATH, best first, without `.exe`. */
  names: readonly string[]
  /** As `fromPackage`, for a build that is only taken when nothing else is there. */
  fallbackPackage?: () => Promise<string | undefined>
}

export interface FoundProgram {
  /** Absolute path. */
  path: string
  source: 'environment' | 'package' | 'path'
  /** It was found through `fallbackPackage`. */
  fallback: boolean
}

const remembered = new Map<string, Promise<FoundProgram | undefined>>()

/**
 * Finds a program: environment variable, npm package, PATH, fallback package. Cached per process and setting.
 * @throws MediaprocError INVALID_CONFIG when the environment variable names something that cannot be run: another build
 *   is never used silently instead
 */
export function findProgram(search: ProgramSearch): Promise<FoundProgram | undefined> {
  noteConsulted(`program ${search.environment}`)
  const given = environmentText(search.environment)
  const key = JSON.stringify([search.environment, given, search.names, searchPath()])
  let found = remembered.get(key)
  if (!found) {
    found = look(search, given)
    remembered.set(key, found)
  }
  return found
}

/**
 * The program that an npm package ships, when the package is installed and has a build for this platform.
 * @param name the package; its default export is the path of the program, or an object that has it as `path`
 */
export async function packagedProgram(name: string): Promise<string | undefined> {
  try {
    const loaded = (await import(name)) as { default?: unknown }
    const answer = loaded.default
    if (typeof answer === 'string') return answer
    const path = (answer as { path?: unknown } | null | undefined)?.path
    return typeof path === 'string' ? path : undefined
  } catch {
    // Not installed, or no build for this platform (some packages throw on import): continue with the next location.
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
  // A relative folder in PATH would mean another program in every working folder.
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

/** The program of a package; the execute bit is set where the package's install script did not run. */
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
