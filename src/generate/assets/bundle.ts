/**
 * Build step: bundles modules and packages that are always loaded together, because finding and opening hundreds of small
 * files takes longer than reading them. Every module keeps its path, from which it exports what the bundle holds, so that a
 * tool, which is loaded by path, shares errors and registry with its caller.
 *
 * What each saves (median of 15 runs in turn, two cores, warm): `command`, `steps` and the three mediums 22 % of a small
 * resize, `programs` 14 % of writing a video's metadata, `server` 14 % of the start of a server.
 */
import { readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'rolldown'
import { builtFile, ROOT } from '../../root.ts'
import { notePackages, writePackages } from './bundled-packages.ts'

const DIST = fileURLToPath(builtFile(''))
/** A folder in `src`, because `root.ts` looks for the package above `dist/src/`. */
const FOLDER = 'src/bundles'

/** Loaded by every run of a tool, also in the library, on a thread and in a process of the server; and what several bundles share. */
const STEPS = 'steps'
const SERVER = 'server'
const PROGRAMS = 'programs'

/** Each bundle holds these modules and all that they import statically. */
const BUNDLES: Readonly<Record<string, readonly string[]>> = {
  [STEPS]: [
    'src/local/tool-run.js',
    'src/pipeline/isolate/isolated-groups.js',
    'src/pipeline/isolate/run-isolated.js',
    'src/pipeline/run/run-general.js',
    ...['image', 'av', 'pdf'].map((kind) => `src/tool/${kind}-tool.js`),
  ],
  command: [
    'src/cli/start.js',
    'src/cli/commands/tool.js',
    'src/cli/execute.js',
    'src/engines/workers/worker-thread.js',
  ],
  pdf: ['src/pipeline/run/run-produce.js', 'src/media/pdf/page/merge.js'],
  av: ['src/pipeline/run/run-av.js', 'src/media/av/checks.js'],
  image: ['src/pipeline/run/run-image.js'],
  [PROGRAMS]: ['src/engines/process/execa.js'],
  [SERVER]: ['src/server/server.js'],
}

/** Floors that only the server uses. It shares what is below with tools, which are loaded by path. */
const SERVER_FLOORS = ['server', 'accounts', 'store', 'pool'].map((floor) => `${DIST}src/${floor}/`)

/** Small packages that every command loads, by bundle; `programs` and `server` hold all the packages that they import. */
const PACKAGES: Readonly<Record<string, string>> = {
  commander: 'command',
  picocolors: 'command',
  'fastest-levenshtein': STEPS,
}

/** Packages that fastify loads only where a server has none of its own. */
const DEFAULTS_OF_FASTIFY = new Set(['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler'])

const IMPORT = /^(?:import|export)\s[^'"]*?from\s+['"](\.[^'"]+)['"]|^import\s+['"](\.[^'"]+)['"]/gm

/** A module with all that it imports statically, directly or not. */
function closureOf(roots: readonly string[], isInside: (path: string) => boolean): Set<string> {
  const found = new Set<string>()
  const add = (path: string): void => {
    if (found.has(path) || !isInside(path)) return
    found.add(path)
    for (const [, from, alone] of readFileSync(path, 'utf8').matchAll(IMPORT))
      add(resolve(dirname(path), (from ?? alone)!))
  }
  for (const root of roots) add(DIST + root)
  return found
}

const isOfServer = (path: string): boolean => SERVER_FLOORS.some((floor) => path.startsWith(floor))

/** Processes and threads of the server start with these: they must not load the bundle of the server. */
const STARTED_BY_SERVER = [
  'src/pool/worker.js',
  'src/pool/watchdog.js',
  'src/accounts/sso/saml-worker.js',
  'src/accounts/sso/ldap-worker.js',
]
const outsideServer = closureOf(STARTED_BY_SERVER, isOfServer)
const isServerAlone = (path: string): boolean => isOfServer(path) && !outsideServer.has(path)

/** The bundle of each module; one that several bundles import is in `steps`. */
function bundleOfEach(): Map<string, string> {
  const bundleOf = new Map<string, string>()
  for (const [name, roots] of Object.entries(BUNDLES))
    for (const path of closureOf(roots, name === SERVER ? isServerAlone : () => true))
      bundleOf.set(path, bundleOf.has(path) ? STEPS : name)
  return bundleOf
}

const bundleOf = bundleOfEach()
const modules = [...bundleOf.keys()]

const isPackage = (path: string): boolean => path.includes('/node_modules/')

/** The bundle of a package that a module imports, if it is bundled at all. */
function bundleOfPackage(id: string, importer: string): string | undefined {
  const bundle = bundleOf.get(importer)
  return bundle === SERVER || bundle === PROGRAMS ? bundle : PACKAGES[id]
}

/** Leaves every other module and package outside. */
const bundled: Plugin = {
  name: 'bundled',
  async resolveId(id, importer, { kind }) {
    if (importer === undefined || id.startsWith('node:')) return null
    const isLater = kind === 'dynamic-import'
    if (isPackage(importer) || !id.startsWith('.')) {
      const bundle = isPackage(importer) ? bundleOf.get(importer) : bundleOfPackage(id, importer)
      const isOutside = bundle === undefined || DEFAULTS_OF_FASTIFY.has(id) || (isLater && !isPackage(importer))
      if (isOutside) return { id, external: true }
      const found = await this.resolve(id, importer, { kind, skipSelf: true })
      if (found && !found.external && !bundleOf.has(found.id)) bundleOf.set(found.id, bundle)
      return found
    }
    const path = resolve(dirname(importer), id)
    // A module outside is imported from the bundle's folder and not from its importer's.
    return bundleOf.has(path) ? null : { id: relative(DIST + FOLDER, path), external: true }
  },
}

const { output } = await build({
  input: Object.fromEntries(modules.map((path) => [relative(DIST, path).replace(/\.js$/, ''), path])),
  cwd: fileURLToPath(ROOT),
  platform: 'node',
  plugins: [bundled],
  checks: { ineffectiveDynamicImport: false },
  preserveEntrySignatures: 'allow-extension',
  output: {
    dir: DIST,
    cleanDir: false,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: `${FOLDER}/[name].js`,
    banner: '/* The licences of packages are in dist/licences.txt. */',
    // They are read at every start.
    comments: { legal: true, annotation: false, jsdoc: false },
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ debugName: 'bundles', name: (path) => bundleOf.get(path) ?? null }],
    },
  },
})
notePackages(output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : [])))
writePackages()
