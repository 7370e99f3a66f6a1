/** MCP, --server and mediaproc/client where one server takes requests, another runs jobs, and S3 has the results. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MediaprocClient } from '../../dist/src/client/client.js'
import { ask, connectAgent, dataOf } from '../helpers/mcp.ts'
import { noisePng } from '../helpers/pdf.ts'
import { plain } from '../helpers/picture.ts'
import { startPostgres, type TestPostgres } from '../helpers/postgres.ts'
import { runProgramHere } from '../helpers/program-here.ts'
import { startRedis, type TestRedis } from '../helpers/redis.ts'
import { startS3, type TestS3 } from '../helpers/s3.ts'
import { call, signIn, startServer, type TestServer } from '../helpers/server.ts'
import { sharedEnvironment } from '../helpers/shared-environment.ts'
import { temporaryFolder } from '../helpers/tool.ts'

let postgres: TestPostgres
let redis: TestRedis
let s3: TestS3
let api: TestServer
let other: TestServer
let token: string
let key: string
let png: Buffer
beforeAll(async () => {
  ;[postgres, redis, s3] = await Promise.all([startPostgres(), startRedis(), startS3()])
  const environment = { ...(await sharedEnvironment(postgres, redis, s3)), S3_PRESIGN: 'true' }
  api = await startServer({ environment, role: 'api' })
  other = await startServer({ environment })
  token = await signIn(api)
  key = (await call(api, 'POST', '/api/v1/api-keys', { token, body: { name: 'all' } })).json.key
  png = await plain(60, 40, '#3366cc').png().toBuffer()
}, 120_000)
afterAll(async () => {
  await Promise.all([api.stop(), other.stop()])
  await Promise.all([postgres.stop(), redis.stop(), s3.stop()])
})

const LONG = { timeout: 60_000 }

test('MCP: a result of one server is a resource and an input at the other one', LONG, async () => {
  const agent = await connectAgent(api.base, key)
  const given = { tool: 'image/resize', settings: { width: 20 } }
  const files = [{ name: 'a.png', content: png.toString('base64') }]
  const [{ uri, name }] = dataOf(await ask(agent, 'run_tool', { ...given, files })).results[0].outputs
  const [, jobId] = /jobs\/([^/]+)\//.exec(uri) ?? []
  const elsewhere = await connectAgent(other.base, key)
  const [read] = (await elsewhere.readResource({ uri })).contents
  expect((await sharp(Buffer.from((read as { blob: string }).blob, 'base64')).metadata()).width).toBe(20)
  const next = await ask(elsewhere, 'run_tool', { ...given, files: [{ jobId, filename: name }] })
  expect(dataOf(next).results[0].outputs).toHaveLength(1)
})

test('--server: a small file, an upload, and a pipeline', LONG, async () => {
  const folder = mkdtempSync(join(temporaryFolder(), 'shared-'))
  writeFileSync(join(folder, 'small.png'), png)
  writeFileSync(join(folder, 'large.png'), noisePng(900, 700))
  writeFileSync(
    join(folder, 'web.yaml'),
    'steps:\n  - image/resize: { width: 50 }\n  - image/convert: { format: webp }\n',
  )
  const environment = { MEDIAPROC_SERVER: api.base, MEDIAPROC_API_KEY: key }
  const run = (command: string) => runProgramHere(command.split(' '), { cwd: folder, environment })
  expect(await run('image resize small.png large.png --width 20')).toMatchObject({
    ...{ code: 0, stdout: 'small_resize.png\nlarge_resize.png\n' },
  })
  expect((await sharp(join(folder, 'large_resize.png')).metadata()).width).toBe(20)
  expect((await run('run web.yaml small.png')).code).toBe(0)
})

test('mediaproc/client: a download comes from S3, without the key', LONG, async () => {
  const client = new MediaprocClient({ url: api.base, key })
  const { files } = await client.run('image/resize', new File([Uint8Array.from(png)], 'a.png'), { width: 20 })
  const response = await client.download(files[0]!)
  expect(new URL(response.url).port).toBe(String(s3.port))
  expect((await sharp(Buffer.from(await response.arrayBuffer())).metadata()).width).toBe(20)
  const elsewhere = new MediaprocClient({ url: other.base, key })
  expect((await elsewhere.run('image/convert', files[0]!, { format: 'webp' })).files[0]?.mime).toBe('image/webp')
})
