/**
 * Lint step: the house has floors, and code imports only downwards (design, section 3). Also: no tool imports another
 * tool, only its own helpers and those of its section; nothing in src names a tool in an import; only the adapter imports its library;
 * plugins import only what mediaproc exports.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { firstOf } from '../../lists.ts'
import { ROOT } from '../../root.ts'

const FOLDER = fileURLToPath(ROOT)

/** Lower floors first; a folder may import its own floor and those below. */
const FLOORS = [
  'ground',
  'client',
  'engines',
  'media',
  'models',
  'tool',
  'job',
  'pipeline',
  'local',
  'remote',
  'library',
  'mcp',
  'pool',
  'store',
  'accounts',
  'server',
  'cli',
  'generate',
]

/** Libraries that exactly one adapter may import. Types may be imported by anybody. */
const ADAPTERS: Readonly<Record<string, string>> = {
  sharp: 'src/engines/sharp.ts',
  mupdf: 'src/engines/mupdf.ts',
  execa: 'src/engines/process/execa.ts',
  'bwip-js': 'src/engines/pictures/bwip.ts',
  qrcode: 'src/engines/pictures/qrcode.ts',
  potpack: 'src/engines/pictures/potpack.ts',
  icodec: 'src/engines/pictures/icodec.ts',
  '@jsquash/oxipng': 'src/engines/pictures/oxipng.ts',
  'libheif-js': 'src/engines/pictures/libheif.ts',
  'openapi-fetch': 'src/client/requests.ts',
  undici: 'src/engines/http/http.ts',
  chokidar: 'src/engines/chokidar.ts',
  tar: 'src/engines/tar.ts',
  'npm-registry-fetch': 'src/engines/npm/registry.ts',
  '@npmcli/config': 'src/engines/npm/configuration.ts',
  'playwright-core': 'src/engines/chromium.ts',
  'zxing-wasm': 'src/engines/workers/zxing-worker.ts',
  '@neplex/vectorizer': 'src/engines/pictures/vectorizer.ts',
  pino: 'src/server/http/logging.ts',
  'prom-client': 'src/server/instance/metrics.ts',
  ajv: 'src/server/http/validator.ts',
  '@e965/xlsx': 'src/engines/documents/xlsx.ts',
  saxes: 'src/engines/saxes.ts',
  jschardet: 'src/engines/documents/jschardet.ts',
  '@streamparser/json': 'src/engines/documents/json.ts',
  '@neslinesli93/qpdf-wasm': 'src/engines/qpdf.ts',
  '@okathira/ghostpdl-wasm': 'src/engines/ghostscript/ghostscript.ts',
  '@simplewebauthn/server': 'src/accounts/passkeys/webauthn.ts',
  '@otplib/totp': 'src/accounts/credentials/totp.ts',
  'openid-client': 'src/accounts/sso/openid.ts',
  ldapts: 'src/accounts/sso/ldap.ts',
  jose: 'src/accounts/sso/signed-token.ts',
  lowdb: 'src/store/file/snapshot.ts',
  '@napi-rs/keyring': 'src/engines/keyring.ts',
  '@opentelemetry/sdk-trace-base': 'src/engines/telemetry/packages.ts',
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(FOLDER, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? filesBelow(join(folder, entry.name))
      : entry.name.endsWith('.ts')
        ? [join(folder, entry.name)]
        : [],
  )
}

/** The modules of src itself are the ground, but src/index.ts exports the library. */
function floorOf(path: string): number {
  const [top, second] = path.split('/') as [string, string]
  if (top === 'tools') return FLOORS.indexOf('tool')
  if (second === 'index.ts') return FLOORS.indexOf('library')
  if (second.endsWith('.ts')) return FLOORS.indexOf('ground')
  return FLOORS.indexOf(second)
}

/** Several front doors stand on local: it receives its streams, and its caller prints. */
const TERMINAL = /\bprocess\.(?:stdin|stdout|stderr|exit|env)\b|\bconsole\./

const IMPORT = /^\s*(?:import|export)\s+(type\s)?[^'"]*?from\s+['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/gm

const paths = [...filesBelow('src'), ...filesBelow('tools')]
const present = new Set(paths)

/** The tool, without its extension, whose folder a file is in: `tools/image/geometry/resize`. */
function ownerOf(path: string): string | undefined {
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder))
    if (folder.startsWith('tools/') && present.has(`${folder}.ts`)) return folder
  return undefined
}

/** Whether a file is the module of a tool: in its section or in a subject folder, and not one of a tool's own parts. */
const isTool = (path: string): boolean =>
  /^tools\/\w+\/(?:(?!_)[\w-]+\/)?[\w-]+\.ts$/.test(path) && ownerOf(path) === undefined

/** More files than this in a folder have no order that a reader could see. */
const MAX_FILES = 25

const faults: string[] = []
const perFolder = new Map<string, number>()
for (const path of paths) perFolder.set(dirname(path), (perFolder.get(dirname(path)) ?? 0) + 1)
for (const [folder, files] of perFolder)
  if (files > MAX_FILES) faults.push(`${folder}: ${files} files; group them by subject, at most ${MAX_FILES} a folder`)
for (const path of paths) {
  const text = readFileSync(join(FOLDER, path), 'utf8')
  if (path.startsWith('src/local/') && TERMINAL.test(text))
    faults.push(`${path}: takes hold of the terminal or the process`)
  for (const [, isType, from, lazily] of text.matchAll(IMPORT)) {
    const target = (from ?? lazily)!
    if (!target.startsWith('.')) {
      const library = target.startsWith('@') ? target.split('/').slice(0, 2).join('/') : firstOf(target.split('/'))
      const adapter = ADAPTERS[library]
      if (adapter && adapter !== path && !isType) faults.push(`${path}: only ${adapter} imports ${library}`)
      continue
    }
    const to = relative(FOLDER, resolve(FOLDER, dirname(path), target))
    if (isTool(to)) faults.push(`${path}: no module may import a tool (${to})`)
    if (path.startsWith('tools/') && to.startsWith('tools/') && to.split('/')[1] !== path.split('/')[1])
      faults.push(`${path}: imports another section's helper ${to}`)
    // Files next to a tool belong to it; shared ones move to _shared.
    const owner = ownerOf(to)
    if (owner && path !== `${owner}.ts` && !path.startsWith(`${owner}/`))
      faults.push(`${path}: only ${owner}.ts uses ${to}`)
    if (isType) continue
    const [mine, theirs] = [floorOf(path), floorOf(to)]
    if (mine < 0 || theirs < 0) faults.push(`${path}: ${mine < 0 ? path : to} belongs to no known layer`)
    else if (theirs > mine) faults.push(`${path}: imports upwards, ${to}`)
  }
}

/** Plugins are written only against what mediaproc exports, and against the packages that they declare. */
for (const plugin of readdirSync(join(FOLDER, 'plugins'))) {
  const home = `plugins/${plugin}`
  const { dependencies = {} } = JSON.parse(readFileSync(join(FOLDER, home, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>
  }
  for (const path of filesBelow(`${home}/src`))
    for (const [, , from, lazily] of readFileSync(join(FOLDER, path), 'utf8').matchAll(IMPORT)) {
      const target = from ?? lazily ?? ''
      const isOwn = target.startsWith('.') && resolve(FOLDER, dirname(path), target).startsWith(join(FOLDER, home))
      if (!isOwn && !/^(?:node:|mediaproc\/tool$)/.test(target) && !Object.hasOwn(dependencies, target))
        faults.push(`${path}: a plugin does not import ${target}`)
    }
}
for (const fault of faults) console.error(fault)
process.exitCode = faults.length > 0 ? 1 : 0
