/**
 * Build step: what every start of a command loads, and what is hundreds of small files, becomes one file in the place of the
 * module that leads to them. Finding and opening the files takes longer than reading them.
 */
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'rolldown'
import { builtFile, ROOT } from '../../root.ts'

const pathOf = (name: string): string => fileURLToPath(builtFile(name))

/** Floors that only the server stands on. What lies below is shared with tools, which are loaded by path: it must stay one. */
const OF_THE_SERVER = ['server', 'accounts', 'store', 'pool'].map((floor) => pathOf(`src/${floor}/`))
/** What fastify asks for where nobody gives it another. */
const APART = new Set(['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler'])

/** Leaves out what is loaded later or shared, and gives relative paths to it. */
const serverOnly: Plugin = {
  name: 'server-only',
  resolveId(id, importer, { kind }) {
    if (importer === undefined || id.startsWith('node:')) return null
    if (kind === 'dynamic-import' || APART.has(id)) return { id, external: true }
    const isOwn = importer.startsWith(pathOf('src/'))
    if (!isOwn || !id.startsWith('.')) return null
    const path = resolve(dirname(importer), id)
    return OF_THE_SERVER.some((floor) => path.startsWith(floor)) ? null : { id: path, external: true }
  },
}

interface OneFile {
  /** From the root of the build. */
  file: string
  plugins?: Plugin[]
  what: string
}

const FILES: readonly OneFile[] = [
  { file: 'src/engines/process/execa.js', what: 'execa and its dependencies' },
  { file: 'src/server/server.js', what: 'the server, fastify and its dependencies', plugins: [serverOnly] },
]

for (const { file, what, plugins } of FILES)
  await build({
    input: pathOf(file),
    cwd: fileURLToPath(ROOT),
    platform: 'node',
    ...(plugins && { plugins }),
    output: {
      file: pathOf(file),
      format: 'esm',
      codeSplitting: false,
      banner: `/* ${what}; the licences of packages lie beside them in node_modules. */`,
    },
  })
