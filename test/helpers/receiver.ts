/** A server that receives webhooks, and answers as a test wants. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEveryFile } from './clean-up.ts'

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
  // biome-ignore lint/suspicious/noExplicitAny: what was received has no type before it is looked at
  json: any
}

export interface Receiver {
  /** `http://127.0.0.1:1234` */
  base: string
  port: number
  /** All requests so far. */
  requests: Received[]
  /** Those of a path. */
  at(path: string): Received[]
  /** Statuses by path, 204 by default; 0 closes the connection, -1 never answers. */
  answers: Map<string, { status: number; headers?: Record<string, string>; body?: string }>
  close(): Promise<void>
}

const servers: Server[] = []
afterEveryFile(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
})

/** The environment of a server whose webhooks may reach a receiver of the tests. */
export const RECEIVER_ENVIRONMENT = { WEBHOOK_ALLOW_HTTP: 'true', WEBHOOK_PRIVATE_HOSTS: '127.0.0.1' }

export async function startReceiver(port = 0): Promise<Receiver> {
  const requests: Received[] = []
  const answers: Receiver['answers'] = new Map()
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    request.once('end', () => {
      const path = request.url ?? ''
      requests.push({ path, headers: request.headers, body, json: body && JSON.parse(body) })
      const { status, headers = {}, body: sent = '' } = answers.get(path) ?? { status: 204 }
      if (status === 0) request.socket.destroy()
      else if (status > 0) response.writeHead(status, headers).end(sent)
    })
  })
  servers.push(server)
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  const bound = (server.address() as AddressInfo).port
  return {
    ...{ base: `http://127.0.0.1:${bound}`, port: bound, requests, answers },
    at: (path) => requests.filter((one) => one.path === path),
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
