/**
 * Build step: compiles packages of pure JavaScript into `dist/src/vendor`. The compiled code imports them from there, so that
 * an install fetches a few packages instead of 400, and only the used build of each. What package.json lists in
 * `dependencies` or `optionalDependencies` and the packages of engine packs stay outside: native code, WebAssembly and data.
 */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { parseAst } from 'rolldown/parseAst'
import { builtFile, ROOT } from '../../root.ts'
import { notePackages, writePackages } from './bundled-packages.ts'
import { OUTSIDE, packageOf } from './outside.ts'

const DIST = fileURLToPath(builtFile(''))
const VENDOR = join(DIST, 'src', 'vendor')
const require = createRequire(import.meta.url)

/** The import of a package: where its quoted name is in the text. */
interface Place {
  start: number
  end: number
  name: string
}

interface Node {
  type: string
  start: number
  end: number
  value?: unknown
  source?: Node | null
  arguments?: readonly Node[]
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

const IMPORTS = new Set(['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration', 'ImportExpression'])

function placesIn(text: string): Place[] {
  const found: Place[] = []
  const visit = (node: Node): void => {
    // The compiler wraps a specifier that it does not resolve, `import('x' as string)`, in a call.
    const source = node.source?.arguments?.[0] ?? node.source
    if (IMPORTS.has(node.type) && typeof source?.value === 'string' && isVendored(source.value))
      found.push({ start: source.start, end: source.end, name: source.value })
    for (const part of Object.values(node)) {
      if (isNode(part)) visit(part)
      else if (Array.isArray(part)) for (const one of part) if (isNode(one)) visit(one)
    }
  }
  visit(parseAst(text) as unknown as Node)
  return found
}

/** Whether a module is compiled in: neither ours, nor Node's, nor in a package that stays outside. */
const isVendored = (name: string): boolean => !/^(?:[./]|node:)/.test(name) && !OUTSIDE.has(packageOf(name))

/** What the package does not have: generators, and the modules of the tests. */
const NOT_PACKED = new Set([join(DIST, 'src', 'generate'), join(DIST, 'modules')])

function modulesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return NOT_PACKED.has(path) ? [] : modulesBelow(path)
    return entry.name.endsWith('.js') ? [path] : []
  })
}

/** `@otplib/totp` becomes `otplib-totp`. */
const fileName = (name: string): string =>
  name
    .replace(/^@/, '')
    .replaceAll('/', '-')
    .replace(/\.m?js$/, '')

/** A module that exports what Node exports from a package, also from CommonJS, whose names a bundler does not know. */
async function entryOf(name: string): Promise<string> {
  const exported = Object.keys((await import(name)) as object).filter((key) => /^[\w$]+$/.test(key))
  const names = exported.filter((key) => key !== 'default' && key !== 'module.exports')
  const listed = [...(exported.includes('default') ? ['default'] : []), ...names]
  return `export { ${listed.join(', ')} } from ${JSON.stringify(name)}\n`
}

/** The pages of the API documentation, which their package reads from its folder. */
function copySwaggerUi(): void {
  const folder = join(dirname(require.resolve('@fastify/swagger-ui/package.json')), 'static')
  cpSync(folder, join(DIST, 'swagger-ui'), { recursive: true, filter: (path) => !/\.map$|es-bundle/.test(path) })
}

/** WebAssembly of packages that are compiled in, which their adapters read. */
function copyWasm(): void {
  for (const name of ['zxing-wasm/reader/zxing_reader.wasm', '@jsquash/oxipng/codec/pkg/squoosh_oxipng_bg.wasm'])
    cpSync(require.resolve(name), join(DIST, 'wasm', basename(name)))
}

const PREFIX = '\0entry:'
const texts = new Map(modulesBelow(DIST).map((path) => [path, readFileSync(path, 'utf8')]))
const places = new Map([...texts].map(([path, text]) => [path, placesIn(text)]))
const names = [...new Set([...places.values()].flat().map(({ name }) => name))].sort()
const entries = new Map(await Promise.all(names.map(async (name) => [name, await entryOf(name)] as const)))

rmSync(VENDOR, { recursive: true, force: true })
const { output } = await build({
  input: Object.fromEntries(names.map((name) => [fileName(name), `${PREFIX}${name}.mjs`])),
  cwd: fileURLToPath(ROOT),
  platform: 'node',
  plugins: [
    {
      name: 'entries',
      resolveId: (id) => (id.startsWith(PREFIX) ? id : null),
      load: (id) => (id.startsWith(PREFIX) ? (entries.get(id.slice(PREFIX.length, -'.mjs'.length)) ?? null) : null),
    },
  ],
  output: {
    dir: VENDOR,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'shared/[name].js',
    minify: true,
    comments: { legal: true, annotation: false, jsdoc: false },
  },
})
notePackages(output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : [])))

for (const [path, found] of places) {
  let text = texts.get(path) ?? ''
  for (const { start, end, name } of found.toReversed()) {
    const target = relative(dirname(path), join(VENDOR, `${fileName(name)}.js`)).replaceAll('\\', '/')
    text = `${text.slice(0, start)}'${target.startsWith('.') ? target : `./${target}`}'${text.slice(end)}`
  }
  if (found.length > 0) writeFileSync(path, text)
}
copySwaggerUi()
copyWasm()
writePackages()
