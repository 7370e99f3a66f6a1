import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Header } from 'tar'
import { onTestFinished, vi } from 'vitest'
import { temporaryFolder } from './program.ts'
import { randomFrom } from './random.ts'

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

export interface TarMember {
  path: string
  bytes?: Uint8Array
  type?: 'File' | 'Directory' | 'SymbolicLink' | 'Link' | 'CharacterDevice'
  linkpath?: string
  /** The size in the header, if it is wrong. */
  size?: number
}

/** A tar.gz with these members, without checks. */
export function tarball(members: readonly TarMember[]): Buffer {
  const blocks = members.flatMap(({ path, bytes = Buffer.alloc(0), type = 'File', linkpath, size }) => {
    const block = Buffer.alloc(512)
    const header = {
      path,
      type,
      size: size ?? bytes.length,
      mode: 0o644,
      mtime: new Date(0),
      ...(linkpath && { linkpath }),
    }
    new Header(header).encode(block, 0)
    return [block, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]
  })
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]))
}

/** A file that tests install. */
export interface SampleFile {
  name: string
  bytes: Buffer
  /** In this package of the registry instead of at an address. */
  package?: string
  /** The package contains it in pieces of this number of bytes. */
  pieces?: number
  unpack?: 'gzip'
  /** Wrong values for the manifest. */
  says?: { sha256?: string; bytes?: number }
}

export interface SampleModel {
  files: SampleFile[]
  commercial?: boolean | 'care'
}

export interface SampleBundle {
  light: string[]
  standard?: string[]
  onDemand?: string[]
}

/** Reproducible bytes that look random. */
export function sampleBytes(name: string, length = 40_000): Buffer {
  const random = randomFrom(Number.parseInt(sha256(Buffer.from(name)).slice(0, 8), 16))
  return Buffer.from(Array.from({ length }, () => random.between(0, 255)))
}

/** Sources of models that fail on request. */
export interface ModelSource {
  address: string
  store: string
  /** Variables that were set, for programs. */
  environment: Record<string, string>
  /** Requests: the path, and the range if there was one. */
  asked: string[]
  /** Before each response; returns true if it has responded itself. */
  answers(before: (request: IncomingMessage, response: ServerResponse) => boolean): void
  /** Ends the next responses when the given number of their bytes are in the store. */
  breakOff(bytes: number, times: number): void
}

const resources = (file: SampleFile): Buffer[] => {
  const size = file.pieces!
  const count = Math.ceil(file.bytes.length / size)
  return Array.from({ length: count }, (_, index) => file.bytes.subarray(index * size, (index + 1) * size))
}

/** The members of a package with these files. */
function packageOf(files: readonly SampleFile[]): TarMember[] {
  const lists: Record<string, object> = {}
  const members = files.flatMap((file): TarMember[] => {
    if (file.pieces) {
      const parts = resources(file)
      lists[`/${file.name}`] = { chunks: parts.map((part) => ({ hash: sha256(part) })) }
      return parts.map((bytes) => ({ path: `package/dist/${sha256(bytes)}`, bytes }))
    }
    return [{ path: `package/assets/${file.name}`, bytes: file.unpack ? gzipSync(file.bytes) : file.bytes }]
  })
  const script = Buffer.from('process.exit(99)')
  return [
    { path: 'package/package.json', bytes: Buffer.from('{"scripts":{"install":"node evil.js"}}') },
    { path: 'package/evil.js', bytes: script },
    ...members,
    { path: 'package/dist/resources.json', bytes: Buffer.from(JSON.stringify(lists)) },
  ]
}

/**
 * Serves models from addresses and from a registry, and sets manifests that name them, an empty store and an
 * npm configuration in the environment of the test.
 * @param whenOver registers the cleanup: of the test by default
 */
export async function serveModels(
  models: Record<string, SampleModel>,
  bundles: Record<string, SampleBundle> = {},
  whenOver: (clean: () => Promise<void>) => unknown = onTestFinished,
): Promise<ModelSource> {
  const folder = temporaryFolder()
  const store = join(folder.path, 'store')
  const all = Object.values(models).flatMap(({ files }) => files)
  const packages = new Map<string, Buffer>()
  for (const name of new Set(all.map((file) => file.package)))
    if (name !== undefined) packages.set(name, tarball(packageOf(all.filter((file) => file.package === name))))
  const asked: string[] = []
  let before: Parameters<ModelSource['answers']>[0] = () => false
  let cut = { bytes: 0, times: 0 }
  const address = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const contentOf = (path: string): Buffer | undefined => {
    if (path.startsWith('/files/')) return all.find(({ name }) => path === `/files/${name}`)?.bytes
    const [name = '', rest] = decodeURIComponent(path.replace('/registry/', '')).split('/-/')
    const archive = packages.get(name)
    if (!archive || rest) return archive
    const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`
    // Like npmjs: clients of a mirror get the archive from the mirror nevertheless.
    const dist = { tarball: `https://registry.npmjs.org/registry/${name}/-/x.tgz`, integrity }
    return Buffer.from(JSON.stringify({ versions: { '1.0.0': { dist } } }))
  }
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace('/registry/registry/', '/registry/')
    asked.push(`${path}${request.headers.range ? ` ${request.headers.range}` : ''}`)
    if (before(request, response)) return
    const content = contentOf(path)
    if (!content) return void response.writeHead(404).end()
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
    const part = content.subarray(from)
    const range = `bytes ${from}-${content.length - 1}/${content.length}`
    response.writeHead(from > 0 ? 206 : 200, {
      'content-length': part.length,
      ...(from > 0 && { 'content-range': range }),
    })
    if (cut.times === 0 || path.startsWith('/registry/') !== /\/-\//.test(path)) return void response.end(part)
    cut.times -= 1
    response.write(part.subarray(0, cut.bytes))
    // Only once they are in the store: how many unwritten bytes a client buffers is unspecified.
    const partial = join(store, 'partial')
    const kept = (): number => Math.max(0, ...readdirSync(partial).map((name) => statSync(join(partial, name)).size))
    const look = setInterval(() => {
      if (kept() < from + cut.bytes && !response.destroyed) return
      clearInterval(look)
      response.destroy()
    }, 2)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const manifests = join(folder.path, 'manifests')
  mkdirSync(manifests)
  const write = (name: string, data: unknown): void => writeFileSync(join(manifests, name), JSON.stringify(data))
  write(
    'models.json',
    Object.fromEntries(
      Object.entries(models).map(([id, { files, commercial = true }]) => [
        id,
        {
          role: 'a sample',
          licence: { name: 'MIT', commercial },
          files: files.map((file) => ({
            name: file.name,
            bytes: file.says?.bytes ?? file.bytes.length,
            sha256: file.says?.sha256 ?? sha256(file.bytes),
            urls: file.package ? [] : [`${address()}/files/${file.name}`],
            ...(file.package && {
              npm: {
                package: file.package,
                version: '1.0.0',
                ...(file.pieces
                  ? { path: 'dist/resources.json', key: `/${file.name}` }
                  : { path: `assets/${file.name}`, ...(file.unpack && { unpack: file.unpack }) }),
              },
            }),
          })),
        },
      ]),
    ),
  )
  const full = ([id, { light, standard = light, onDemand = [] }]: [string, SampleBundle]) =>
    [id, { name: id, description: 'samples', light, standard, onDemand }] as const
  write('bundles.json', Object.fromEntries(Object.entries(bundles).map(full)))
  write('runtime.json', { version: '0.0.0', licence: { name: 'MIT', commercial: true }, files: [], platforms: {} })
  const npmrc = join(folder.path, 'npmrc')
  writeFileSync(
    npmrc,
    `registry=${address()}/registry/\n//127.0.0.1:${(server.address() as AddressInfo).port}/:_authToken=secret\n`,
  )
  const environment = {
    MEDIAPROC_MANIFESTS: manifests,
    MEDIAPROC_MODELS: store,
    MEDIAPROC_ALLOW_PRIVATE_HOSTS: '1',
    NPM_CONFIG_USERCONFIG: npmrc,
  }
  const former = Object.keys(environment).map((name) => [name, process.env[name]] as const)
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  whenOver(async () => {
    // A test may have its own in addition to those of its file.
    for (const [name, value] of former) vi.stubEnv(name, value)
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    folder.remove()
  })
  return {
    get address() {
      return address()
    },
    store,
    environment,
    asked,
    answers: (own) => {
      before = own
    },
    breakOff: (bytes, times) => {
      cut = { bytes, times }
    },
  }
}
