import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Validator } from '@seriousme/openapi-schema-validator'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { catalogue } from '../../src/tool/registry.ts'
import { temporaryPath } from '../helpers/av.ts'
import { rawCall } from '../helpers/http.ts'
import { plain } from '../helpers/picture.ts'
import { call, type Served, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'

interface Document {
  openapi: string
  servers: unknown
  // biome-ignore lint/suspicious/noExplicitAny: the whole of OpenAPI is more than this looks at
  paths: Record<string, Record<string, any>>
}

let server: Served
let token: string
let text: string
let document: Document

beforeAll(async () => {
  server = await serveHere()
  token = await signIn(server)
  const answer = await rawCall(server, { path: '/api/v1/openapi.yaml' })
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/yaml; charset=utf-8'])
  text = answer.text
  document = parse(text)
})

/** Every address that the catalogue promises. */
function promised(): string[] {
  return catalogue().flatMap(({ section, id, actions, batch }) => {
    const own = `/api/v1/tools/${section}/${id}`
    return [own, ...actions.map((action) => `${own}/${action.id}`), ...(batch ? [`${own}/batch`] : [])]
  })
}

describe('the OpenAPI file', () => {
  test('is OpenAPI 3.1 in ASCII, and passes a validator', async () => {
    const odd = [...text].filter((character) => character > '\u007f')
    expect(odd).toEqual([])
    expect(document.openapi).toBe('3.1.0')
    const validator = new Validator()
    const { valid, errors } = await validator.validate(parse(text))
    expect([valid, errors]).toEqual([true, undefined])
    expect(validator.version).toBe('3.1')
  })

  test('is the same whatever language is asked for', async () => {
    expect((await rawCall(server, { path: '/api/v1/openapi.yaml?lang=de' })).text).toBe(text)
  })

  test('has every route of every tool, with its files and its settings in words', () => {
    expect(promised().filter((path) => !document.paths[path]?.post)).toEqual([])
    for (const { section, id, settings, input, body } of catalogue()) {
      const { requestBody, responses, summary } = document.paths[`/api/v1/tools/${section}/${id}`]!.post
      expect([id, summary]).toEqual([id, expect.stringMatching(/\w/)])
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '202', '4XX', '5XX']))
      if (body === 'json') continue
      const { properties } = requestBody.content['multipart/form-data'].schema
      const files = [...(input.files === 'none' ? [] : ['file']), ...Object.keys(input.secondary ?? {})]
      expect(Object.keys(properties)).toEqual([...files, 'settings', 'clientJobId', 'fileId', 'saveMode'])
      for (const name of Object.keys(settings))
        expect([id, properties.settings.description]).toEqual([id, expect.stringContaining(name)])
    }
  })

  test('has no route that is not there, and says of each whether a credential is needed', async () => {
    for (const [path, methods] of Object.entries(document.paths))
      for (const [method, { security }] of Object.entries(methods)) {
        const address = path.replaceAll(/\{\w+\}/g, 'none')
        const { status, json } = await call(server, method.toUpperCase(), address)
        const isOpen = Array.isArray(security) && security.length === 0
        expect([path, method, isOpen ? status !== 401 : json?.code]).toEqual([path, method, isOpen || 'AUTH_REQUIRED'])
      }
  })

  test('every promised route is mounted', async () => {
    const missing = []
    for (const path of promised()) {
      const { status, json } = await call(server, 'POST', path, { token })
      if (status !== 400 && status !== 200) missing.push([path, status, json])
    }
    expect(missing).toEqual([])
  })
})

test('a generated client resizes a picture', async () => {
  const require = createRequire(import.meta.url)
  const folder = temporaryPath('client')
  writeFileSync(`${folder}.yaml`, text)
  const generator = join(dirname(require.resolve('openapi-typescript-codegen/package.json')), 'bin', 'index.js')
  const generate = ['--input', `${folder}.yaml`, '--output', folder, '--client', 'fetch', '--name', 'Mediaproc']
  execFileSync(process.execPath, [generator, ...generate])
  writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}')
  const compiler = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url))
  const target = ['--target', 'es2022', '--module', 'nodenext', '--lib', 'es2023,dom', '--strict', '--skipLibCheck']
  execFileSync(compiler, [join(folder, 'index.ts'), '--ignoreConfig', '--outDir', join(folder, 'js'), ...target])
  const { Mediaproc } = await import(pathToFileURL(join(folder, 'js', 'index.js')).href)

  const client = new Mediaproc({ BASE: server.base, TOKEN: token })
  const file = new Blob([Uint8Array.from(await plain(40, 30, '#ff0000').png().toBuffer())])
  const result = await client.image.postApiV1ToolsImageResize({ file, settings: '{"width":20}' })
  const { bytes } = await call(server, 'GET', result.downloadUrl, { token })
  expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width: 20, height: 15 })
  const refused = client.image.postApiV1ToolsImageResize({ file, settings: '{"width":"x"}' })
  await expect(refused).rejects.toMatchObject({ status: 400, body: { code: 'INVALID_SETTINGS' } })
})

describe('the pages of the documentation', () => {
  test('load everything from this server, and may load nothing else', async () => {
    const page = await rawCall(server, { path: '/api/docs/' })
    expect([page.status, page.headers['content-type']]).toEqual([200, expect.stringContaining('text/html')])
    const policy = page.headers['content-security-policy'] as string
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/https?:|\*/)
    const links = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link!)
    expect(links.some((link) => link.endsWith('swagger-initializer.js'))).toBe(true)
    for (const link of links) {
      expect(link).not.toMatch(/^(?:\w+:)?\/\//)
      const { pathname } = new URL(link, `${server.base}/api/docs/`)
      const asset = await rawCall(server, { path: pathname })
      expect([pathname, asset.status]).toEqual([pathname, 200])
      if (pathname.endsWith('.css')) expect(asset.text).not.toMatch(/url\(["']?https?:/)
      if (!pathname.endsWith('initializer.js')) continue
      expect(asset.text).toContain('validatorUrl: null')
      expect(asset.text.replaceAll(/^\s*\/\/.*$/gm, '')).not.toMatch(/https?:\/\//)
    }
    const { status, text: json } = await rawCall(server, { path: '/api/docs/json' })
    expect([status, Object.keys(JSON.parse(json).paths)]).toEqual([200, Object.keys(document.paths)])
  })
})

test('llms.txt has a line for every tool, llms-full.txt every setting', async () => {
  const [short, full] = [
    await rawCall(server, { path: '/llms.txt' }),
    await rawCall(server, { path: '/llms-full.txt' }),
  ]
  expect(short.headers['content-type']).toBe('text/plain; charset=utf-8')
  const lines = short.text.split('\n')
  expect(lines).toContain('## Tools')
  for (const { section, id, summary, settings } of catalogue()) {
    expect(lines).toContain(`- POST /api/v1/tools/${section}/${id}: ${summary}`)
    for (const name of Object.keys(settings)) expect(full.text).toContain(`  - \`${name}\`: `)
  }
})
