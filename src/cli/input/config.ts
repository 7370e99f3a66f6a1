import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { environmentNumber, environmentText } from '../../environment.ts'
import { ERRORS, MediaprocError, toMediaprocError } from '../../errors.ts'
import { lastOf } from '../../lists.ts'
import { extensionOf, printableName } from '../../media/file.ts'
import { parseData } from '../../syntax-faults.ts'
import { findEntry } from '../../tool/registry.ts'
import {
  boolean,
  choice,
  group,
  integer,
  list,
  number,
  type Setting,
  type SettingsTable,
  text,
} from '../../tool/settings.ts'
import { inspectSettings, nearest } from '../../tool/validate.ts'

/** Configurable options, besides `defaults` (settings per tool). */
export const CONFIG_TABLE = {
  jobs: integer('how many inputs are processed at the same time', { min: 1, max: 1024 }),
  force: boolean('replace outputs that are already there', { default: false }),
  outputDir: text('folder for outputs; in a file: relative to that file', { minLength: 1 }),
  name: text("pattern of output names, such as '{stem}_{tool}.{ext}'", { minLength: 1 }),
  quiet: boolean('print only errors', { default: false }),
  timeout: number('time limit of one job; 0 for none', { min: 0, unit: 's' }),
  newer: choice(
    ['time', 'hash'],
    'what --newer compares: contents where sizes and times of this machine do not suffice (time), or always (hash)',
    { default: 'time' },
  ),
  plugins: list(
    text('a folder or package', { minLength: 1, maxLength: 1000 }),
    'folders, modules or npm packages with more tools; in a file: relative to that file',
    { maxLength: 50, default: [] },
  ),
  server: text('address of a mediaproc server that runs the jobs; in a file: after mediaproc login', {
    minLength: 1,
    maxLength: 2000,
  }),
  records: choice(['cache', 'beside'], 'where records for --newer are kept: in the cache, or beside outputs as well', {
    default: 'cache',
  }),
}

export interface Config {
  jobs?: number
  force: boolean
  outputDir?: string
  name?: string
  quiet: boolean
  timeout?: number
  server?: string
  newer: 'time' | 'hash'
  records: 'cache' | 'beside'
  plugins: readonly string[]
  /** Settings per tool: `{ "image/compress": { quality: 70 } }`. */
  defaults: Record<string, Record<string, unknown>>
  /** The source of each value: a path, an environment variable, or 'default'. */
  sources: Record<string, string>
}

/** Names of configuration files. Data only: code in a parent folder may be untrusted. */
export const FILE_NAMES = [
  'mediaproc.config.json',
  'mediaproc.config.yaml',
  'mediaproc.config.yml',
  '.mediaprocrc',
  '.mediaprocrc.json',
  '.mediaprocrc.yaml',
  '.mediaprocrc.yml',
]

function hasOwnKey(packageFile: string): boolean {
  try {
    return Object.hasOwn(JSON.parse(readFileSync(packageFile, 'utf8')) as object, 'mediaproc')
  } catch {
    // An unreadable package.json is ignored.
    return false
  }
}

/** The folders to search for a configuration: up to the root of the repository or the home folder, else only this one. */
function configFolders(folder: string): string[] {
  const folders = [resolve(folder)]
  for (;;) {
    const here = lastOf(folders)
    if (here === homedir() || existsSync(join(here, '.git'))) return folders
    // Neither: parent folders, such as the temporary folder, may belong to other users.
    if (here === dirname(here)) return folders.slice(0, 1)
    folders.push(dirname(here))
  }
}

/** The nearest configuration file from `folder` upwards. Needs no library. */
export function findConfigFile(folder: string): string | undefined {
  for (const here of configFolders(folder)) {
    const name = FILE_NAMES.find((one) => existsSync(join(here, one)))
    if (name) return join(here, name)
    const packageFile = join(here, 'package.json')
    if (existsSync(packageFile) && hasOwnKey(packageFile)) return packageFile
  }
  return undefined
}

/** JavaScript that other programs would use as configuration; it only runs when --config names it. */
export function findConfigProgram(folder: string): string | undefined {
  const paths = configFolders(folder).flatMap((here) => PROGRAM_NAMES.map((name) => join(here, name)))
  return paths.find((path) => existsSync(path))
}

const PROGRAM_NAMES = ['js', 'mjs', 'cjs'].flatMap((extension) => [
  `mediaproc.config.${extension}`,
  `.mediaprocrc.${extension}`,
])

/**
 * Loads a file; JavaScript runs through the loader of cosmiconfig. Its search is not used, because it first loads
 * `.config/config.js` of the current folder for its own settings.
 */
async function loadFile(path: string): Promise<unknown> {
  const extension = extensionOf(path)
  if (/^[cm]?js$/.test(extension)) return (await import('cosmiconfig')).defaultLoaders['.js'](path, '')
  const text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
  if (text.trim() === '') return undefined
  const parsed = await parseData(text, extension !== 'json')
  if ('fault' in parsed) {
    const { line, column, message } = parsed.fault
    throw new MediaprocError('INVALID_CONFIG', `${printableName(path)}:${line}:${column}: ${message}`)
  }
  const loaded = parsed.value
  return basename(path) === 'package.json' ? (loaded as { mediaproc?: unknown }).mediaproc : loaded
}

async function readConfigFile(path: string): Promise<Record<string, unknown>> {
  let loaded: unknown
  try {
    loaded = await loadFile(path)
  } catch (error) {
    if (error instanceof MediaprocError) throw error
    const { code } = toMediaprocError(error, 'INVALID_CONFIG')
    const reason = code === 'INVALID_CONFIG' ? '' : `: ${ERRORS[code].message}`
    throw new MediaprocError('INVALID_CONFIG', `${printableName(path)} cannot be read as a configuration${reason}`, {
      detail: (error as Error).message,
      cause: error,
    })
  }
  if (loaded === undefined || loaded === null) return {}
  if (typeof loaded === 'object' && !Array.isArray(loaded)) return loaded as Record<string, unknown>
  throw new MediaprocError('INVALID_CONFIG', `${printableName(path)} must hold an object with named values`)
}

function invalid(where: string, issues: readonly { message: string; hint?: string }[]): MediaprocError {
  const hint = issues.find((issue) => issue.hint)?.hint
  return new MediaprocError(
    'INVALID_CONFIG',
    `${printableName(where)}: ${issues.map((issue) => issue.message).join('; ')}`,
    {
      ...(hint && { hint }),
    },
  )
}

/** Checks settings of tools in a configuration. */
function checkDefaults(given: unknown, where: string): Config['defaults'] {
  if (given === undefined) return {}
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw invalid(where, [{ message: 'Expected an object of tools for defaults' }])
  for (const [name, settings] of Object.entries(given)) {
    const [section, id = '', actionId] = name.split('/')
    try {
      const entry = findEntry(id, section)
      const table: SettingsTable | undefined = actionId
        ? entry.actions.find((one) => one.id === actionId)?.settings
        : entry.settings
      if (!table) throw new MediaprocError('UNKNOWN_TOOL', `There is no tool ${name}`)
      const row = group(withoutRequired(table), '')
      const { issues } = inspectSettings({ [name]: row }, { [name]: settings })
      if (issues.length > 0) throw invalid(where, issues)
    } catch (error) {
      if (!(error instanceof MediaprocError) || error.code === 'INVALID_CONFIG') throw error
      throw invalid(where, [{ message: error.message, hint: error.hint }])
    }
  }
  return given as Config['defaults']
}

/** Defaults may omit required settings. */
function withoutRequired(table: SettingsTable): SettingsTable {
  return Object.fromEntries(
    Object.entries(table).map(([name, row]): [string, Setting] => [name, { ...row, required: false }]),
  )
}

/** The plugins that the configuration names, and its path. Reads no file that does not mention them. */
export async function configuredPlugins(
  folder: string,
  named?: string,
): Promise<{ path: string | undefined; plugins: readonly string[] }> {
  const path = named === undefined ? findConfigFile(folder) : resolve(named)
  if (path === undefined || !existsSync(path)) return { path: undefined, plugins: [] }
  const isProgram = /^[cm]?js$/.test(extensionOf(path))
  if (!isProgram && !readFileSync(path, 'utf8').includes('plugins')) return { path, plugins: [] }
  const { plugins = [] } = await readConfigFile(path)
  const { issues } = inspectSettings({ plugins: CONFIG_TABLE.plugins }, { plugins })
  if (issues.length > 0) throw invalid(path, issues)
  return { path, plugins: plugins as readonly string[] }
}

function fromEnvironment(): { values: Record<string, unknown>; sources: Record<string, string> } {
  const rows = {
    jobs: ['MEDIAPROC_JOBS', environmentNumber('MEDIAPROC_JOBS') || undefined],
    force: ['MEDIAPROC_FORCE', environmentText('MEDIAPROC_FORCE') || undefined],
    outputDir: ['MEDIAPROC_OUTPUT_DIR', environmentText('MEDIAPROC_OUTPUT_DIR') || undefined],
    name: ['MEDIAPROC_NAME', environmentText('MEDIAPROC_NAME') || undefined],
    quiet: ['MEDIAPROC_QUIET', environmentText('MEDIAPROC_QUIET') || undefined],
    timeout: ['MEDIAPROC_TIMEOUT', environmentNumber('MEDIAPROC_TIMEOUT') || undefined],
    newer: ['MEDIAPROC_NEWER', environmentText('MEDIAPROC_NEWER') || undefined],
    server: ['MEDIAPROC_SERVER', environmentText('MEDIAPROC_SERVER') || undefined],
    records: ['MEDIAPROC_RECORDS', environmentText('MEDIAPROC_RECORDS') || undefined],
  } as const
  const set = Object.entries(rows).filter(([, [, value]]) => value !== undefined)
  return {
    values: Object.fromEntries(set.map(([name, [, value]]) => [name, value])),
    sources: Object.fromEntries(set.map(([name, [variable]]) => [name, variable])),
  }
}

/**
 * The effective configuration: defaults, then the nearest file, then the environment; the command line overrides it.
 * @param named file given with --config: replaces the nearest one, and may be JavaScript
 * @throws MediaprocError INVALID_CONFIG with the location and the nearest known key
 */
export async function loadConfig(folder: string, named?: string): Promise<Config> {
  const path = named === undefined ? findConfigFile(folder) : resolve(named)
  const { defaults, ...fromFile } = path ? await readConfigFile(path) : {}
  if (path) {
    const { issues, unknown } = inspectSettings(CONFIG_TABLE, fromFile)
    // `defaults` has no row, so the suggestion for a typo is made here.
    const slip = unknown.find((key) => nearest(key, ['defaults', ...Object.keys(CONFIG_TABLE)]) === 'defaults')
    if (issues.length > 0)
      throw invalid(path, slip ? [{ message: `There is no setting ${slip}`, hint: 'Did you mean defaults?' }] : issues)
    if (typeof fromFile.outputDir === 'string') fromFile.outputDir = resolve(dirname(path), fromFile.outputDir)
  }
  const environment = fromEnvironment()
  const { values, issues } = inspectSettings(CONFIG_TABLE, { ...fromFile, ...environment.values })
  if (issues.length > 0) throw invalid('the environment', issues)
  const sources = Object.fromEntries(
    [...Object.keys(CONFIG_TABLE), 'defaults'].map((name) => {
      const inFile = name === 'defaults' ? defaults !== undefined : fromFile[name] !== undefined
      return [name, environment.sources[name] ?? (inFile ? path! : 'default')]
    }),
  )
  return { ...(values as Omit<Config, 'defaults' | 'sources'>), defaults: checkDefaults(defaults, path ?? ''), sources }
}
