/** A deleted account with a running request leaves no data. */

import { readdirSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { plain } from '../helpers/picture.ts'
import { call, makeUser, type Served, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'

let server: Served
let admin: string
let picture: Buffer

beforeAll(async () => {
  server = await serveHere()
  admin = await signIn(server)
  picture = await plain(40, 30, '#204060').png().toBuffer()
})

const idOf = async (username: string): Promise<string> => {
  const { users } = (await call(server, 'GET', '/api/auth/users', { token: admin })).json
  return users.find((user: { username: string }) => user.username === username).id
}

/** A form whose last bytes `finish` sends, once the server has read the head and the file. */
function beginForm(path: string, token: string) {
  const boundary = 'boundary'
  const part = (name: string, more = '') =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`
  const sending = request(`${server.base}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': `multipart/form-data; boundary=${boundary}` },
  })
  const answered = new Promise<number>((resolve, reject) => {
    sending.once('response', (answer) => {
      answer.resume()
      answer.once('end', () => resolve(answer.statusCode!))
    })
    sending.once('error', reject)
  })
  sending.write(part('settings'))
  sending.write('{"width":9}\r\n')
  sending.write(part('file', '; filename="a.png"'))
  sending.write(picture)
  return {
    finish: (): Promise<number> => {
      sending.end(`\r\n--${boundary}--\r\n`)
      return answered
    },
  }
}

test.each([
  ['a job', '/api/v1/tools/image/resize'],
  ['an upload', '/api/v1/upload'],
  ['a file of the library', '/api/v1/files/upload'],
])('%s', async (name, path) => {
  const username = `user-${name.split(' ').at(-1)}`
  const token = await makeUser(server, admin, username, 'user')
  const folders = () =>
    [join(server.data, 'workspace'), join(server.data, 'files')].flatMap((folder) => readdirSync(folder))
  const before = folders()
  const form = beginForm(path, token)
  // The account is deleted while the server processes the request: its folder is in the workspace.
  await expect.poll(() => folders().length).toBeGreaterThan(before.length)
  const id = await idOf(username)
  expect((await call(server, 'DELETE', `/api/auth/users/${id}`, { token: admin })).status).toBe(200)
  expect(await form.finish()).toBe(401)
  await expect.poll(folders).toEqual(before)
})
