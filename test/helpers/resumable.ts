/** A client of the tus protocol, and requests that name files on the server. */
import { createHash } from 'node:crypto'
import { request } from 'node:http'
import { plain } from './picture.ts'
import { type Answer, call } from './server.ts'
import type { ServerHere } from './server-here.ts'

export const TUS = { 'tus-resumable': '1.0.0' }
export const BYTES = { 'content-type': 'application/offset+octet-stream' }
export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
export const base64 = (text: string): string => Buffer.from(text).toString('base64')

export interface Client {
  server: ServerHere
  token: string
}

export const create = ({ server, token }: Client, length: number | string, headers: Record<string, string> = {}) =>
  call(server, 'POST', '/api/v1/uploads', { token, headers: { ...TUS, 'upload-length': String(length), ...headers } })

export async function patch(
  { server, token }: Client,
  id: string,
  offset: number | string,
  bytes: Uint8Array,
  headers = {},
) {
  const all = { ...TUS, ...BYTES, authorization: `Bearer ${token}`, 'upload-offset': String(offset), ...headers }
  const response = await fetch(`${server.base}/api/v1/uploads/${id}`, {
    method: 'PATCH',
    headers: all,
    body: Buffer.from(bytes),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, json: text === '' ? undefined : JSON.parse(text) }
}

export const head = ({ server, token }: Client, id: string): Promise<Answer> =>
  call(server, 'HEAD', `/api/v1/uploads/${id}`, { token, headers: TUS })

export const offset = async (client: Client, id: string): Promise<number> =>
  Number((await head(client, id)).headers.get('upload-offset'))

/** Uploads a whole file; returns its id. */
export async function upload(client: Client, name: string, bytes: Buffer): Promise<string> {
  const made = await create(client, bytes.length, { 'upload-metadata': `filename ${base64(name)}` })
  const id = made.json.uploadId as string
  await patch(client, id, 0, bytes)
  return id
}

export const sources = (...list: object[]): [string, string] => ['sources', JSON.stringify(list)]
export const download = async ({ server, token }: Client, url: string): Promise<Buffer> =>
  (await call(server, 'GET', url, { token })).bytes

/** Sends the first bytes of a body, and breaks the connection. */
export function sendPart(
  { server, token }: Client,
  id: string,
  at: number,
  bytes: Buffer,
  announced: number,
): Promise<void> {
  return new Promise((resolve) => {
    const headers = {
      ...TUS,
      ...BYTES,
      authorization: `Bearer ${token}`,
      'upload-offset': at,
      'content-length': announced,
    }
    const sending = request(`${server.base}/api/v1/uploads/${id}`, { method: 'PATCH', headers })
    sending.on('error', () => undefined)
    sending.write(bytes, () => setTimeout(() => resolve(void sending.destroy()), 100))
  })
}

export const pngOf = (width: number, height: number, color: string): Promise<Buffer> =>
  plain(width, height, color).png().toBuffer()

/** The id and name in the address of a result. */
export function ofUrl(url: string): { jobId: string; filename: string } {
  const [, jobId = '', filename = ''] = /download\/([^/]+)\/(.+)$/.exec(url) ?? []
  return { jobId, filename: decodeURIComponent(filename) }
}
