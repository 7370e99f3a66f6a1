/**
 * Build step: keeps only the type declarations that users of the library reach from the `exports` of package.json. The others,
 * over a thousand files, would triple the time of an install.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { builtFile, ROOT } from '../../root.ts'

const IMPORT = /(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g

const { exports } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as {
  exports: Record<string, string | { types?: string }>
}
const entries = Object.values(exports).flatMap((entry) => (typeof entry === 'object' && entry.types ? entry.types : []))

const reached = new Set<string>()
function reach(path: string): void {
  if (reached.has(path)) return
  reached.add(path)
  for (const [, target = ''] of readFileSync(path, 'utf8').matchAll(IMPORT)) {
    const next = resolve(dirname(path), target.replace(/\.[jt]s$/, '.d.ts'))
    if (existsSync(next)) reach(next)
  }
}
for (const entry of entries) reach(resolve(fileURLToPath(ROOT), entry))

const all = readdirSync(fileURLToPath(builtFile('')), { recursive: true, encoding: 'utf8' })
for (const name of all.filter((name) => name.endsWith('.d.ts'))) {
  const path = join(fileURLToPath(builtFile('')), name)
  if (!reached.has(path)) rmSync(path)
}
