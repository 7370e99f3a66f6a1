/**
 * Build step: writes `dist/.npmignore`, so that the package has only modules that something imports, and only the type
 * declarations that users of the library reach. Without it, an install would unpack 1,500 more files, most of them modules that
 * are in a bundle as well; npm unpacks a package three times where it is a file.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { builtFile, ROOT } from '../../root.ts'

const DIST = fileURLToPath(builtFile(''))
/** Relative names in quotes, in imports of any form. */
const IMPORT = /["'`](\.{1,2}\/[^"'`\n]+)["'`]/g
/** Modules that are started by path: `builtFile('src/pool/worker.js')`. */
const STARTED = /["'`]((?:src|tools)\/[\w./-]+\.js)["'`]/g

const files = readdirSync(DIST, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'))
const modules = files.filter((name) => name.endsWith('.js') && /^(?!src\/generate\/)(?:src|tools)\//.test(name))
const declarations = files.filter((name) => name.endsWith('.d.ts'))

/** Everything that some files import, directly or not. */
function reachedFrom(roots: readonly string[], nameOf: (target: string) => string, references: readonly RegExp[]) {
  const reached = new Set<string>()
  const visit = (path: string): void => {
    if (reached.has(path) || !existsSync(path)) return
    reached.add(path)
    const text = readFileSync(path, 'utf8')
    for (const [, target = ''] of text.matchAll(IMPORT)) visit(resolve(dirname(path), nameOf(target)))
    for (const reference of references)
      for (const [, target = ''] of text.matchAll(reference)) visit(join(DIST, target))
  }
  for (const root of roots) visit(root)
  return reached
}

const { exports } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as {
  exports: Record<string, string | { types?: string; default?: string }>
}
const exported = (key: 'types' | 'default'): string[] =>
  Object.values(exports).flatMap((entry) => {
    const path = typeof entry === 'string' ? entry : entry[key]
    return path === undefined ? [] : resolve(fileURLToPath(ROOT), path)
  })

/** The registry loads tools by path. */
const tools = modules.filter((name) => name.startsWith('tools/') && !name.includes('/_shared/'))
const code = reachedFrom(
  [join(DIST, 'src', 'cli', 'start.js'), ...exported('default'), ...tools.map((name) => join(DIST, name))],
  (target) => target,
  [STARTED],
)
const types = reachedFrom(exported('types'), (target) => target.replace(/\.[jt]s$/, '.d.ts'), [])
const unused = [
  ...modules.filter((name) => !code.has(join(DIST, name))),
  ...declarations.filter((name) => !types.has(join(DIST, name))),
]
const lines = unused.map((name) => `/${name}\n`)
writeFileSync(join(DIST, '.npmignore'), lines.sort().join(''))
