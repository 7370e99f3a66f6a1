/**
 * Build step: modules that are always loaded together become one file, as finding and opening a hundred small files takes
 * longer than reading them. Every module still stands at its path, and gives on what lies in that file, so that a
 * tool, which is loaded by path, gets the same errors and registry as its caller.
 */
import { readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'rolldown'
import { builtFile, ROOT } from '../../root.ts'

const DIST = fileURLToPath(builtFile(''))
/** Where the files lie: in a folder, as `root.ts` looks for the package above `dist/src/`. */
const TOGETHER = 'src/together'

/** What every run of a tool loads, also in the library, on a thread and in a process of the server; and what several files share. */
const STEPS = 'steps'

/** What is loaded at once with these modules is in the file. */
const FILES: Readonly<Record<string, readonly string[]>> = {
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
  documents: ['src/pipeline/run/run-produce.js', 'src/media/pdf/page/merge.js'],
  recordings: ['src/pipeline/run/run-av.js', 'src/media/av/checks.js'],
  pictures: ['src/pipeline/run/run-image.js'],
}

/** Small packages that every command loads; they are CommonJS, of several files. */
const PACKAGES: Readonly<Record<string, string>> = {
  commander: 'command',
  picocolors: 'command',
  'fastest-levenshtein': STEPS,
}

const IMPORT = /^(?:import|export)\s[^'"]*?from\s+['"](\.[^'"]+)['"]|^import\s+['"](\.[^'"]+)['"]/gm

/** A module with all that it loads at once. */
function closureOf(roots: readonly string[]): Set<string> {
  const found = new Set<string>()
  const add = (path: string): void => {
    if (found.has(path)) return
    found.add(path)
    for (const [, from, alone] of readFileSync(path, 'utf8').matchAll(IMPORT))
      add(resolve(dirname(path), (from ?? alone)!))
  }
  for (const root of roots) add(DIST + root)
  return found
}

/** The file of each module. */
function fileOfEach(): Map<string, string> {
  const fileOf = new Map<string, string>()
  for (const [file, roots] of Object.entries(FILES))
    for (const path of closureOf(roots)) fileOf.set(path, fileOf.has(path) ? STEPS : file)
  return fileOf
}

const fileOf = fileOfEach()

/** Leaves out every other module and package. */
const theseOnly: Plugin = {
  name: 'these-only',
  resolveId(id, importer, { kind }) {
    if (importer === undefined || importer.includes('/node_modules/') || Object.hasOwn(PACKAGES, id)) return null
    if (!id.startsWith('.')) return { id, external: true }
    const path = resolve(dirname(importer), id)
    if (fileOf.has(path)) return null
    // rolldown counts a path that is imported later from the file and not from its folder.
    const isLater = kind === 'dynamic-import'
    return { id: isLater ? relative(DIST + TOGETHER, path) : path, external: true }
  },
}

/** The package's name of a path such as `…/node_modules/commander/lib/option.js`. */
const packageOf = (path: string): string => path.split('/node_modules/').at(-1)!.split('/')[0]!

await build({
  input: Object.fromEntries([...fileOf.keys()].map((path) => [relative(DIST, path).replace(/\.js$/, ''), path])),
  cwd: fileURLToPath(ROOT),
  platform: 'node',
  plugins: [theseOnly],
  checks: { ineffectiveDynamicImport: false },
  preserveEntrySignatures: 'allow-extension',
  output: {
    dir: DIST,
    cleanDir: false,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: `${TOGETHER}/[name].js`,
    banner: '/* Licences of packages lie beside them in node_modules. */',
    // They are read at every start.
    comments: { legal: true, annotation: false, jsdoc: false },
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ debugName: 'together', name: (path) => fileOf.get(path) ?? PACKAGES[packageOf(path)] ?? null }],
    },
  },
})
