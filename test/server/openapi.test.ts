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

interface JsonShape {
  $ref?: string
  type?: string
  enum?: string[]
  properties?: Record<string, JsonShape>
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

/** Every address in the catalogue. */
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

  test('does not depend on the requested language', async () => {
    expect((await rawCall(server, { path: '/api/v1/openapi.yaml?lang=de' })).text).toBe(text)
  })

  test('has every route of every tool, with its files and described settings', () => {
    expect(promised().filter((path) => !document.paths[path]?.post)).toEqual([])
    for (const { section, id, settings, input, body, async, output, examples } of catalogue()) {
      const { requestBody, responses, summary, operationId } = document.paths[`/api/v1/tools/${section}/${id}`]!.post
      expect([id, summary]).toEqual([id, expect.stringMatching(/\w/)])
      expect([id, operationId]).toEqual([id, expect.stringMatching(/^[a-z][A-Za-z0-9]*$/)])
      const done = Object.keys(responses).filter((status) => status.startsWith('2'))
      expect([id, done]).toEqual([id, async ? ['202'] : ['200', '202']])
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '401', '403', '415', '422', '429', '503']))
      if (!async)
        expect([id, 'application/json' in responses[200].content, Object.keys(responses[200].content).length]).toEqual([
          ...[id, true, output.direct ? 2 : 1],
        ])
      const types = Object.keys(requestBody.content)
      expect([id, types]).toEqual([id, [...(body === 'json' ? ['application/json'] : []), 'multipart/form-data']])
      const { properties } = requestBody.content['multipart/form-data'].schema
      expect(properties.settings.examples[0]).toEqual(examples[0]?.settings ?? {})
      const files = [...(input.files === 'none' ? [] : ['file']), ...Object.keys(input.secondary ?? {})]
      const named = files.length > 0 ? ['sources'] : []
      const known = [...files, ...named, 'settings', 'clientJobId', 'fileId', 'saveMode', 'outcome', 'callbackUrl']
      expect(Object.keys(properties)).toEqual(known)
      for (const name of Object.keys(settings))
        expect([id, properties.settings.description]).toEqual([id, expect.stringContaining(name)])
    }
  })

  test('every operation has a unique name, and every parameter and failure a description', () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
    const ids = operations.map(({ operationId }) => operationId)
    expect(ids.filter((id, index) => id === undefined || ids.indexOf(id) !== index)).toEqual([])
    const wordless = operations.flatMap(({ operationId, parameters = [] }) =>
      parameters.filter(({ description }: { description?: string }) => !description).map(() => operationId),
    )
    expect(wordless).toEqual([])
    const schemas = (document as unknown as { components: { schemas: Record<string, JsonShape> } }).components.schemas
    expect(schemas.Failure422!.properties!.code!.enum).toContain('PROCESSING_FAILED')
    expect(schemas.Failure422!.properties!.code!.enum).not.toContain('OUTPUT_EXISTS')
    // A bare object is useless for a client.
    const bare = operations.flatMap(({ operationId, responses }) =>
      Object.entries(responses as Record<string, { content?: Record<string, { schema: JsonShape }> }>)
        .filter(([, { content }]) => {
          const schema = content?.['application/json']?.schema
          return schema && !schema.$ref && !schema.properties && schema.type !== 'string'
        })
        .map(([status]) => `${operationId} ${status}`),
    )
    expect(bare).toEqual([])
  })

  test('has only existing routes, and declares for each whether a credential is required', async () => {
    for (const [path, methods] of Object.entries(document.paths))
      for (const [method, { security }] of Object.entries(methods)) {
        const address = path.replaceAll(/\{\w+\}/g, 'none')
        const { status, json } = await call(server, method.toUpperCase(), address)
        const isOpen = Array.isArray(security) && security.length === 0
        expect([path, method, isOpen ? status !== 401 : json?.code]).toEqual([path, method, isOpen || 'AUTH_REQUIRED'])
      }
  })

  test('has every promised route', async () => {
    const missing = []
    for (const path of promised()) {
      const { status, json } = await call(server, 'POST', path, { token })
      if (status !== 400 && status !== 200) missing.push([path, status, json])
    }
    expect(missing).toEqual([])
  })
})

/** Sign-in, the library, jobs and tools by the types of a client generated from the file, without a cast. */
const TYPED_USE = `
import { ImageResizeSettings, type JobEvent, Mediaproc } from './index'
export async function use(client: Mediaproc, file: Blob): Promise<string[]> {
  const { token, user, expiresAt } = await client.account.postAuthLogin({ username: 'admin', password: 'secret' })
  if (!token || !user || !expiresAt) throw new Error('a code is asked for')
  const { files } = await client.library.postFilesUpload({ file: [file] })
  const names: string[] = files.map((item) => item.originalName)
  const sizes: number[] = files.map((item) => item.size)
  const { versions } = await client.library.getFilesById(files[0].id)
  const chains: string[][] = versions.map((item) => item.toolChain)
  const { jobs, total } = await client.jobs.getJobs(50, 0, 'completed')
  const percent: number[] = jobs.map((job) => job.progress.percent)
  const failed: string[] = jobs.flatMap((job) => (job.error ? [job.error.code] : []))
  const { tools } = await client.instance.getTools()
  const accepted: string[] = tools.flatMap((tool) => tool.accept)
  const resized = await client.image.imageResize({ file, settings: { width: 20, fit: ImageResizeSettings.fit.COVER } })
  if ('downloadUrl' in resized) names.push(String(resized.downloadUrl))
  // @ts-expect-error a width is a number
  await client.image.imageResize({ file, settings: { width: 'wide' } })
  // @ts-expect-error no such fit
  await client.image.imageResizeBatch({ file: [file], settings: { fit: 'tight' } })
  const event: JobEvent = await client.jobs.getJobsByJobIdProgress('my-1')
  if ('errors' in event) names.push(event.errors[0].filename)
  else if ('code' in event) names.push(event.code)
  const { deleted } = await client.library.deleteFiles({ ids: files.map((item) => item.id) })
  return [token, user.username, expiresAt, ...names, ...accepted, ...failed, String([sizes, chains, percent, total, deleted])]
}
`

test('a generated client passes the type check, and resizes a picture', async () => {
  const require = createRequire(import.meta.url)
  const folder = temporaryPath('client')
  writeFileSync(`${folder}.yaml`, text)
  const generator = join(dirname(require.resolve('openapi-typescript-codegen/package.json')), 'bin', 'index.js')
  const generate = ['--input', `${folder}.yaml`, '--output', folder, '--client', 'fetch', '--name', 'Mediaproc']
  execFileSync(process.execPath, [generator, ...generate])
  writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}')
  writeFileSync(join(folder, 'use.ts'), TYPED_USE)
  const compiler = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url))
  const target = ['--target', 'es2022', '--module', 'nodenext', '--lib', 'es2023,dom', '--strict', '--skipLibCheck']
  execFileSync(compiler, [join(folder, 'use.ts'), '--ignoreConfig', '--outDir', join(folder, 'js'), ...target])
  const { Mediaproc } = await import(pathToFileURL(join(folder, 'js', 'index.js')).href)

  const client = new Mediaproc({ BASE: server.base, TOKEN: token })
  const file = new Blob([Uint8Array.from(await plain(40, 30, '#ff0000').png().toBuffer())])
  const result = await client.image.imageResize({ file, settings: { width: 20 } })
  const { bytes } = await call(server, 'GET', result.downloadUrl, { token })
  expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width: 20, height: 15 })
  const refused = client.image.imageResize({ file, settings: { width: 'x' } })
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
