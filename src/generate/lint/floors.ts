/**
 * Lint step: the house has floors, and code imports only downwards (design, section 3). Also: no tool imports another
 * tool, only its own helpers and those of its section; nothing in src names a tool in an import; only the adapter imports its library.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT } from '../../root.ts'

const FOLDER = fileURLToPath(ROOT)

/** Lower floors first; a folder may import its own floor and those below. */
const FLOORS = [
  'ground',
  'engines',
  'media',
  'models',
  'tool',
  'job',
  'pipeline',
  'local',
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
  icodec: 'src/engines/pictures/icodec.ts',
  '@jsquash/oxipng': 'src/engines/pictures/oxipng.ts',
  'libheif-js': 'src/engines/pictures/libheif.ts',
  undici: 'src/engines/http/http.ts',
  tar: 'src/engines/tar.ts',
  'npm-registry-fetch': 'src/engines/npm/registry.ts',
  '@npmcli/config': 'src/engines/npm/configuration.ts',
  'playwright-core': 'src/engines/chromium.ts',
  'zxing-wasm': 'src/engines/pictures/zxing.ts',
  '@neplex/vectorizer': 'src/engines/pictures/vectorizer.ts',
  pino: 'src/server/http/logging.ts',
  'prom-client': 'src/server/instance/metrics.ts',
  ajv: 'src/server/http/app.ts',
  '@e965/xlsx': 'src/engines/documents/xlsx.ts',
  saxes: 'src/engines/saxes.ts',
  jschardet: 'src/engines/documents/jschardet.ts',
  '@streamparser/json': 'src/engines/documents/json.ts',
  '@neslinesli93/qpdf-wasm': 'src/engines/qpdf.ts',
  '@okathira/ghostpdl-wasm': 'src/engines/ghostscript/ghostscript.ts',
  '@otplib/totp': 'src/accounts/credentials/totp.ts',
  'openid-client': 'src/accounts/sso/openid.ts',
  lowdb: 'src/store/file/snapshot.ts',
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

/** The modules of src itself are the ground, but src/index.ts is the library's door into local. */
function floorOf(path: string): number {
  const [top, second] = path.split('/') as [string, string]
  if (top === 'tools') return FLOORS.indexOf('tool')
  if (second === 'index.ts') return FLOORS.indexOf('local')
  if (second.endsWith('.ts')) return FLOORS.indexOf('ground')
  return FLOORS.indexOf(second)
}

/** Several front doors stand on local: it receives its streams, and its caller prints. */
const TERMINAL = /\bprocess\.(?:stdin|stdout|stderr|exit|env)\b|\bconsole\./

const IMPORT = /^\s*(?:import|export)\s+(type\s)?[^'"]*?from\s+['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/gm

const faults: string[] = []
for (const path of [...filesBelow('src'), ...filesBelow('tools')]) {
  const text = readFileSync(join(FOLDER, path), 'utf8')
  if (path.startsWith('src/local/') && TERMINAL.test(text))
    faults.push(`${path}: takes hold of the terminal or the process`)
  for (const [, isType, from, lazily] of text.matchAll(IMPORT)) {
    const target = (from ?? lazily)!
    if (!target.startsWith('.')) {
      const library = target.startsWith('@') ? target.split('/').slice(0, 2).join('/') : target.split('/')[0]!
      const adapter = ADAPTERS[library]
      if (adapter && adapter !== path && !isType) faults.push(`${path}: only ${adapter} imports ${library}`)
      continue
    }
    const to = relative(FOLDER, resolve(FOLDER, dirname(path), target))
    const isTool = /^tools\/\w+\/[\w-]+\.ts$/
    if (isTool.test(to)) faults.push(`${path}: nobody imports a tool (${to})`)
    if (path.startsWith('tools/') && to.startsWith('tools/') && to.split('/')[1] !== path.split('/')[1])
      faults.push(`${path}: imports another section's helper ${to}`)
    // What lies beside a tool is its own; what several use moves to _shared.
    const owner = /^(tools\/\w+\/(?!_shared\/)[\w-]+)\//.exec(to)?.[1]
    if (owner && path !== `${owner}.ts` && !path.startsWith(`${owner}/`))
      faults.push(`${path}: only ${owner}.ts uses ${to}`)
    if (isType) continue
    const [mine, theirs] = [floorOf(path), floorOf(to)]
    if (mine < 0 || theirs < 0) faults.push(`${path}: ${mine < 0 ? path : to} stands on no known floor`)
    else if (theirs > mine) faults.push(`${path}: imports upwards, ${to}`)
  }
}
for (const fault of faults) console.error(fault)
process.exitCode = faults.length > 0 ? 1 : 0
