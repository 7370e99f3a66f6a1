/** Lint step: environment variables are documented where they are read, every page that is named exists, and hints for HTTP name no command. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT } from '../../root.ts'
import { hintFaults } from './hints.ts'
import { referenceFaults } from './references.ts'
import { type Sources, variableFaults } from './variables.ts'
import { wordFaults } from './words.ts'

const FOLDER = fileURLToPath(ROOT)

function filesBelow(folders: readonly string[], ending: RegExp): Sources {
  const paths = folders.flatMap((folder) =>
    readdirSync(join(FOLDER, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  const files = paths.filter((path) => ending.test(path))
  return new Map(files.map((path) => [path, readFileSync(join(FOLDER, path), 'utf8')]))
}

const program = filesBelow(['bin', 'src', 'tools'], /\.[jt]s$/)
const plugins = readdirSync(join(FOLDER, 'plugins')).map((name) => join('plugins', name))
const pluginCode = plugins.flatMap((home) => ['src', 'test'].map((part) => join(home, part)))
const others = filesBelow(['bench', 'test', ...pluginCode], /\.(ts|mjs)$/)
const topPages = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.md'))
  .map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')] as const)
const pluginPages = plugins.map((home) => join(home, 'README.md'))
const pages = new Map([
  ...topPages,
  ...pluginPages.map((path) => [path, readFileSync(join(FOLDER, path), 'utf8')] as const),
  ...filesBelow(['bench', 'docs'], /\.md$/),
])
/** The list of words itself. */
const UNCHECKED = new Set(['src/generate/lint/words.ts'])
const written = new Map([...program, ...others, ...pages].filter(([path]) => !UNCHECKED.has(path)))
const faults = [
  ...variableFaults(program),
  ...hintFaults(program),
  ...wordFaults(written),
  ...referenceFaults(new Map([...program, ...others]), pages, (path) => existsSync(join(FOLDER, path))),
]
for (const fault of faults) console.error(fault)
process.exitCode = faults.length > 0 ? 1 : 0
