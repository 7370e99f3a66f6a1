/** A proxy between a browser and the server, which can refuse requests and lose answers. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEveryFile } from './clean-up.ts'

export interface TestProxy {
  base: string
  /** Answers a request instead of the server; returns whether it did. */
  instead: (asked: IncomingMessage, answer: ServerResponse) => boolean
  /** Runs when the server has answered, before the answer is passed; returns whether it took its place. */
  onAnswer: (asked: IncomingMessage, answer: ServerResponse) => boolean | Promise<boolean>
  /** The server behind; another one may take its place. */
  target: string
  /** Runs for every piece of a body; returns whether the connection breaks. */
  onBytes: (asked: IncomingMessage, bytes: number) => boolean
  /** Methods and paths of the requests so far. */
  seen: string[]
}

const open = new Set<ReturnType<typeof createServer>>()

afterEveryFile(async () => {
  for (const server of open) {
    server.closeAllConnections()
    server.close()
  }
  open.clear()
})

/** Starts a proxy before a server. Headers pass unchanged, so the server sees the address of the proxy. */
export async function openProxy(target: string): Promise<TestProxy> {
  const proxy: TestProxy = {
    base: '',
    instead: () => false,
    onAnswer: () => false,
    target,
    onBytes: () => false,
    seen: [],
  }
  const server = createServer((asked, answer) => {
    const { method, url: path, headers } = asked
    proxy.seen.push(`${method} ${path}`)
    if (proxy.instead(asked, answer)) {
      asked.resume()
      return
    }
    asked.on('data', (chunk: Buffer) => {
      if (proxy.onBytes(asked, chunk.length)) asked.socket.destroy()
    })
    const { hostname, port } = new URL(proxy.target)
    const passed = request({ hostname, port, method, path, headers }, async (given) => {
      if (await proxy.onAnswer(asked, answer)) {
        given.resume()
        return
      }
      answer.writeHead(given.statusCode ?? 500, given.headers)
      answer.flushHeaders()
      given.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    answer.on('close', () => passed.destroy())
    asked.pipe(passed)
  })
  open.add(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  proxy.base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return proxy
}
