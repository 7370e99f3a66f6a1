import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { builtFile } from '../../root.ts'

const LIST = fileURLToPath(builtFile('packages.json'))

interface Bundled {
  version: string
  licence: string
}

/** The folder of a package from the path of a module in it. */
const FOLDER = /^\0?(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/@]+)[\\/]/

const folders = new Set<string>()

/** Notes the packages of modules that a build step compiled in. */
export function notePackages(modules: readonly string[]): void {
  for (const path of modules) {
    const folder = FOLDER.exec(path)?.[1]
    if (folder !== undefined) folders.add(folder)
  }
}

/** The licence texts of a package, with their file names. */
function licencesOf(folder: string): string {
  const files = readdirSync(folder).filter((name) => /^(?:licen[cs]e|copying|notice)(?:[.-]|$)/i.test(name))
  return files.map((name) => readFileSync(join(folder, name), 'utf8').trim()).join('\n\n')
}

/** Adds the noted packages to `dist/packages.json`, and their licences to `dist/licences.txt`. */
export function writePackages(): void {
  const list = existsSync(LIST) ? (JSON.parse(readFileSync(LIST, 'utf8')) as Record<string, Bundled>) : {}
  const texts = fileURLToPath(builtFile('licences.txt'))
  let all = existsSync(texts) ? readFileSync(texts, 'utf8') : ''
  for (const folder of [...folders].sort()) {
    const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>
    const [name, version, licence] = [
      String(about.name),
      String(about.version),
      String(about.license ?? 'see its text'),
    ]
    if (list[name]?.version === version) continue
    list[name] = { version, licence }
    all += `${'='.repeat(80)}\n${name} ${version} (${licence})\n${'='.repeat(80)}\n\n${licencesOf(folder)}\n\n`
  }
  const sorted = Object.entries(list).sort(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(LIST, `${JSON.stringify(Object.fromEntries(sorted), null, 1)}\n`)
  writeFileSync(texts, all)
}
