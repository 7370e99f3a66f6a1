/**
 * Whether dist/ was built from the present sources. Contents count, not times: a deleted source, a checkout or a change that
 * was undone are detected.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..')
/** What the build reads. npm's note of what is installed stands for the packages that are compiled in. */
const SOURCES = [
  ...[
    '.ci/build.mjs',
    '.ci/keep-modules.mjs',
    '.ci/sources.mjs',
    'models',
    'node_modules/.package-lock.json',
    'package.json',
    'src',
    'tools',
    'tsconfig.json',
    'web',
  ],
  ...['package.json', 'src', 'tsconfig.json'].map((name) => `plugins/formats/${name}`),
]
const BUILT = ['dist', 'plugins/formats/dist']
export const STAMP = join(ROOT, 'dist', '.sources')

const filesBelow = (path) =>
  statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .sort()
    : [path]

/** A checksum of all sources. */
export function sum() {
  const hash = createHash('sha256').update(process.version)
  // The note of npm is missing where the packages were installed otherwise.
  const present = SOURCES.map((name) => join(ROOT, name)).filter((path) => existsSync(path))
  for (const path of present.flatMap(filesBelow))
    hash.update(`\0${path.slice(ROOT.length)}\0`).update(readFileSync(path))
  return hash.digest('hex')
}

/** A later compilation of other sources, as by a test or by hand, makes the stamp worthless. */
export function isCurrent(sources) {
  if (![STAMP, ...BUILT.map((name) => join(ROOT, name))].every(existsSync)) return false
  const builtAt = statSync(STAMP).mtimeMs
  const files = BUILT.flatMap((name) => filesBelow(join(ROOT, name)))
  return (
    readFileSync(STAMP, 'utf8') === `${sources} ${files.length}` &&
    files.every((path) => statSync(path).mtimeMs <= builtAt)
  )
}

/** Notes that dist/ is built from sources with this checksum. */
export function writeStamp(sources) {
  writeFileSync(STAMP, '')
  writeFileSync(STAMP, `${sources} ${BUILT.flatMap((name) => filesBelow(join(ROOT, name))).length}`)
}
