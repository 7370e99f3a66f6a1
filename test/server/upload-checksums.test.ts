/** Uploads that announce their SHA-256: verified at the end, and found again by their owner only. */
import { beforeAll, expect, test } from 'vitest'
import { base64, type Client, create, patch, sha256 } from '../helpers/resumable.ts'
import { type Answer, call, makeUser, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'

const BYTES = Buffer.from('the bytes of a file')
const SUM = sha256(BYTES)

let own: Client
let other: Client
beforeAll(async () => {
  const server = await serveHere()
  const admin = await signIn(server)
  own = { server, token: await makeUser(server, admin, 'ulla') }
  other = { server, token: await makeUser(server, admin, 'otto') }
})

const have = ({ server, token }: Client, ...sums: unknown[]): Promise<Answer> =>
  call(server, 'POST', '/api/v1/uploads/have', { token, body: { sha256: sums } })

const announced = async (sum: string): Promise<string> => {
  const metadata = `filename ${base64('a.txt')},sha256 ${base64(sum)}`
  return (await create(own, BYTES.length, { 'upload-metadata': metadata })).json.uploadId
}

test('a complete upload is found by its checksum, by its owner only', async () => {
  const id = await announced(SUM)
  await patch(own, id, 0, BYTES.subarray(0, 5))
  expect((await have(own, SUM)).json).toEqual({ uploads: [] })
  expect((await patch(own, id, 5, BYTES.subarray(5))).status).toBe(204)
  expect((await have(own, SUM, sha256(Buffer.from('other')))).json.uploads).toEqual([
    expect.objectContaining({ uploadId: id, sha256: SUM, offset: BYTES.length }),
  ])
  expect((await have(other, SUM)).json).toEqual({ uploads: [] })
})

test('an upload with another checksum than announced is refused and removed', async () => {
  const wrong = sha256(Buffer.from('something else'))
  const id = await announced(wrong)
  const answer = await patch(own, id, 0, BYTES)
  expect([answer.status, answer.json.code]).toEqual([400, 'INVALID_FILE'])
  expect((await have(own, wrong)).json).toEqual({ uploads: [] })
  expect((await call(own.server, 'HEAD', `/api/v1/uploads/${id}`, { token: own.token })).status).toBe(404)
})

test.each([
  ['no text', [5]],
  ['no checksum', ['abc']],
  ['upper case', [SUM.toUpperCase()]],
  ['many', Array(1001).fill(SUM)],
])('refuses %s', async (_name, sums) => {
  expect((await have(own, ...sums)).status).toBe(400)
})
