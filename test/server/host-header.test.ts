/** A request names one host, in ASCII: a proxy and the server must agree on it. */

import { connect } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import type { Served } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'

let server: Served

beforeAll(async () => {
  server = await serveHere()
})

/** The status of a request with these raw header lines. */
async function statusOf(headers: string): Promise<number> {
  const { port } = new URL(server.base)
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(Buffer.from(`GET /api/v1/health HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n`, 'latin1'))
  let answer = ''
  for await (const chunk of socket) answer += chunk
  return Number(answer.split(' ')[1])
}

test.each([
  ['one', 'Host: localhost', 200],
  ['with a port', 'Host: 127.0.0.1:80', 200],
  ['two', 'Host: localhost\r\nHost: other.example', 400],
  ['the same twice', 'Host: localhost\r\nhost: localhost', 400],
  ['not ASCII', 'Host: ex\xe4mple', 400],
])('%s', async (_name, headers, status) => expect(await statusOf(headers)).toBe(status))
