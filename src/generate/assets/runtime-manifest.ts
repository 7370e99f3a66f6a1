/**
 * `npm run models:runtime`: writes models/runtime.json from the onnxruntime-node in node_modules, after another release of it
 * was installed there. Only what runs is listed: no types, no maps, no other module system.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageFolder } from '../../engines/library.ts'
import { fingerprintOf } from '../../models/store/file-hash.ts'
import { ROOT } from '../../root.ts'

const NODE = 'onnxruntime-node'
const COMMON = 'onnxruntime-common'
const BINARIES = 'bin/napi-v6'

const below = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort()

const isCode = (path: string): boolean => path.endsWith('.js') || path.endsWith('package.json')

/** A file of a package as the manifest lists it. */
async function row(name: string, folder: string, version: string, path: string): Promise<object> {
  const inPackage = relative(folder, path).replaceAll('\\', '/')
  const npm = { package: name, version, path: inPackage }
  return { name: `node_modules/${name}/${inPackage}`, ...(await fingerprintOf(path)), npm }
}

async function rows(name: string, part: string, isWanted: (path: string) => boolean = () => true): Promise<object[]> {
  const folder = packageFolder(name)
  if (!folder) throw new Error(`${name} is not installed`)
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
  const paths = part === 'package.json' ? [join(folder, part)] : below(join(folder, part)).filter(isWanted)
  return Promise.all(paths.map((path) => row(name, folder, version, path)))
}

const folder = packageFolder(NODE)
if (!folder) throw new Error(`${NODE} is not installed`)
const binaries = below(join(folder, BINARIES)).map((path) =>
  relative(join(folder, BINARIES), path).replaceAll('\\', '/'),
)
const machines = [...new Set(binaries.map((path) => path.split('/').slice(0, 2).join('/')))]
const platforms = machines.map(
  async (machine) => [machine.replace('/', '-'), await rows(NODE, `${BINARIES}/${machine}`)] as const,
)
const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
const manifest = {
  version,
  licence: { name: 'MIT', commercial: true },
  files: [
    ...(await rows(COMMON, 'package.json')),
    ...(await rows(NODE, 'package.json')),
    ...(await rows(COMMON, 'dist/cjs', isCode)),
    ...(await rows(NODE, 'dist', isCode)),
  ],
  platforms: Object.fromEntries(await Promise.all(platforms)),
}
writeFileSync(fileURLToPath(new URL('models/runtime.json', ROOT)), `${JSON.stringify(manifest, null, 2)}\n`)
