/** A proxy between a client and a TCP server that loses what networks lose. */
import { connect, createServer, type Socket } from 'node:net'

export interface TcpProxy {
  port: number
  /** The port of the server behind. */
  target: number
  /** Resets the connections of clients; the server behind is not informed. */
  cutClients(): void
  /** Passes nothing on, in neither direction, until it is called with false. */
  freeze(isFrozen: boolean): void
  /** Cuts the next connection that sends this text, once the server has answered it. */
  loseAnswerTo(text: string): void
  close(): void
}

export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const clients = new Set<Socket>()
  const servers = new Set<Socket>()
  let isFrozen = false
  let lost: string | undefined
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    clients.add(client)
    servers.add(upstream)
    let losesAnswer = false
    client.on('data', (bytes: Buffer) => {
      if (lost !== undefined && bytes.includes(lost)) {
        losesAnswer = true
        lost = undefined
      }
      upstream.write(bytes)
    })
    upstream.on('data', (bytes: Buffer) => {
      if (losesAnswer) client.destroy()
      else client.write(bytes)
    })
    client.on('end', () => upstream.end())
    upstream.on('end', () => client.end())
    for (const socket of [client, upstream]) socket.on('error', () => {})
    if (isFrozen) for (const socket of [client, upstream]) socket.pause()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as { port: number }).port,
    target,
    cutClients() {
      for (const client of clients) client.destroy()
      clients.clear()
    },
    freeze(frozen) {
      isFrozen = frozen
      for (const socket of [...clients, ...servers]) frozen ? socket.pause() : socket.resume()
    },
    loseAnswerTo(text) {
      lost = text
    },
    close() {
      for (const socket of [...clients, ...servers]) socket.destroy()
      server.close()
    },
  }
}
