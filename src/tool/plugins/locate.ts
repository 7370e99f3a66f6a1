import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { MediaprocError } from '../../errors.ts'
import { printableName } from '../../wording.ts'

/** A plugin that was found: a module, or a folder of modules with a tool each. */
export interface PluginPlace {
  /** The name in its ids, before the plugin itself says another. */
  name: string
  /** Absolute path of the folder or module. */
  path: string
  /** The module that exports the plugin; absent for a folder of tools. */
  entry?: string
}

interface PackageFile {
  name?: unknown
  main?: unknown
  exports?: unknown
}

const invalid = (message: string, hint?: string): MediaprocError =>
  new MediaprocError('INVALID_PLUGIN', message, hint === undefined ? {} : { hint })

/** `@acme/mediaproc-plugin-brand` gives `brand`. */
const shortNameOf = (name: string): string =>
  name
    .replace(/^@[^/]*\//, '')
    .replace(/^mediaproc-plugin-/, '')
    .replace(/\.[cm]?js$/, '')

/** A package's own folder in the nearest `node_modules` of a folder or its parents. */
function packageFolder(name: string, folder: string): string {
  for (let here = resolve(folder); ; here = dirname(here)) {
    const path = join(here, 'node_modules', name)
    if (existsSync(path)) return path
    if (here === dirname(here)) break
  }
  throw invalid(
    `The plugin ${printableName(name)} is not installed`,
    `Install it with: npm install ${printableName(name)}`,
  )
}

/** The main module in the words of package.json: its exports for `import`, otherwise `main`. */
function mainOf({ main, exports }: PackageFile): string {
  let entry: unknown = exports
  for (const key of ['.', 'import', 'node', 'default'])
    if (typeof entry === 'object' && entry !== null && key in entry) entry = (entry as Record<string, unknown>)[key]
  if (typeof entry === 'string') return entry
  return typeof main === 'string' ? main : 'index.js'
}

function placeOfFolder(path: string): PluginPlace {
  const file = join(path, 'package.json')
  if (!existsSync(file)) {
    const index = ['index.js', 'index.mjs'].map((name) => join(path, name)).find((one) => existsSync(one))
    return { name: shortNameOf(basename(path)), path, ...(index !== undefined && { entry: index }) }
  }
  try {
    const about = JSON.parse(readFileSync(file, 'utf8')) as PackageFile
    const name = typeof about.name === 'string' ? about.name : basename(path)
    return { name: shortNameOf(name), path, entry: join(path, mainOf(about)) }
  } catch (cause) {
    throw new MediaprocError('INVALID_PLUGIN', `${printableName(file)} cannot be read`, { cause })
  }
}

/**
 * Finds a plugin by its path, or by the name of its npm package.
 * @param folder the folder of the configuration that names it: paths are relative to it, packages are looked up from it
 * @throws MediaprocError INVALID_PLUGIN
 */
export function locatePlugin(name: string, folder: string): PluginPlace {
  const isPath = /^(?:\.{0,2}[/\\]|\.{1,2}$|[a-z]:[/\\])/i.test(name)
  const path = isPath ? resolve(folder, name) : packageFolder(name, folder)
  const about = statSync(path, { throwIfNoEntry: false })
  if (!about)
    throw invalid(`The plugin ${printableName(name)} does not exist`, `It was looked for at ${printableName(path)}.`)
  if (about.isDirectory()) return placeOfFolder(path)
  return { name: shortNameOf(basename(path)), path, entry: path }
}
