import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { type TarMember, tarball } from './model-source.ts'
import { temporaryFolder } from './program.ts'

/** An npm package of the registry. */
export interface SamplePackage {
  /** Source of its index.js, an ES module. */
  code?: string
  /** Further members of its archive. */
  members?: TarMember[]
  /** Rows of its entry in the manifest, also wrong ones. */
  says?: Record<string, unknown>
}

export interface PackSource {
  /** MEDIAPROC_ENGINES */
  folder: string
  /** Variables that were set, for programs. */
  environment: Record<string, string>
  /** Requests: the path, and the range if there was one. */
  asked: string[]
  /** Before each response; returns true if it has responded itself. */
  answers(before: (request: IncomingMessage, response: ServerResponse) => boolean): void
}

/** An archive in which nothing may be run. */
function archiveOf(name: string, { code = `export const name = '${name}'`, members = [] }: SamplePackage): Buffer {
  const manifest = {
    name,
    version: '1.0.0',
    type: 'module',
    exports: './index.js',
    scripts: { install: 'node evil.js' },
  }
  return tarball([
    { path: 'package/package.json', bytes: Buffer.from(JSON.stringify(manifest)) },
    { path: 'package/evil.js', bytes: Buffer.from('process.exit(99)') },
    { path: 'package/index.js', bytes: Buffer.from(code) },
    ...members,
  ])
}

/**
 * A registry that requires a token, with packages that are in packs. Sets the manifest of the packs, an empty folder for them and
 * an npm configuration in the environment of the test.
 * @param packs names of packages by pack
 */
export async function servePacks(
  packages: Record<string, SamplePackage>,
  packs: Record<string, string[]>,
): Promise<PackSource> {
  const root = temporaryFolder()
  const archives = new Map(Object.entries(packages).map(([name, one]) => [name, archiveOf(name, one)]))
  const integrity = (name: string): string =>
    `sha512-${createHash('sha512').update(archives.get(name)!).digest('base64')}`
  const asked: string[] = []
  let before: Parameters<PackSource['answers']>[0] = () => false
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '')
    asked.push(`${path}${request.headers.range ? ` ${request.headers.range}` : ''}`)
    if (before(request, response)) return
    if (request.headers.authorization !== 'Bearer secret') return void response.writeHead(401).end()
    const [name = '', rest] = path.slice(1).split('/-/')
    const archive = archives.get(name)
    if (!archive) return void response.writeHead(404).end()
    if (rest === undefined) {
      const dist = { tarball: `https://registry.npmjs.org/${name}/-/x.tgz`, integrity: integrity(name) }
      return void response.end(JSON.stringify({ versions: { '1.0.0': { dist } } }))
    }
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
    const part = archive.subarray(from)
    const range = { 'content-range': `bytes ${from}-${archive.length - 1}/${archive.length}` }
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': part.length, ...(from > 0 && range) }).end(part)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const manifests = join(root.path, 'manifests')
  mkdirSync(manifests)
  const row = (name: string): object => ({
    ...{ name, version: '1.0.0', path: `node_modules/${name}`, integrity: integrity(name) },
    ...{ archiveBytes: archives.get(name)!.length, bytes: 100_000, ...packages[name]!.says },
  })
  const listed = Object.entries(packs).map(([name, names]) => [
    name,
    { purpose: `testing ${name}`, licence: 'MIT', packages: names.map(row) },
  ])
  writeFileSync(join(manifests, 'engines.json'), JSON.stringify(Object.fromEntries(listed)))
  const npmrc = join(root.path, 'npmrc')
  writeFileSync(npmrc, `registry=http://127.0.0.1:${port}/\n//127.0.0.1:${port}/:_authToken=secret\n`)
  const folder = join(root.path, 'engines')
  const environment = { MEDIAPROC_MANIFESTS: manifests, MEDIAPROC_ENGINES: folder, NPM_CONFIG_USERCONFIG: npmrc }
  const former = Object.keys(environment).map((name) => [name, process.env[name]] as const)
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  onTestFinished(async () => {
    for (const [name, value] of former) vi.stubEnv(name, value)
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    root.remove()
  })
  return {
    ...{ folder, environment, asked },
    answers: (own) => {
      before = own
    },
  }
}
