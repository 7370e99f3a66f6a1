import type { Readable, Writable } from 'node:stream'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { createServer } from '../server.ts'
import { LocalBackend } from './backend.ts'
import type { Root } from './roots.ts'

/** The streams of a connection. */
export interface Connection {
  stdin: Readable
  stdout: Writable
  signal: AbortSignal
  /** Receives messages for people. */
  report(text: string): void
}

/** Serves one client until its input ends, or the signal is aborted. Standard output carries the protocol alone. */
export async function serveLocal(roots: readonly Root[], { stdin, stdout, signal, report }: Connection): Promise<void> {
  const backend = new LocalBackend(roots)
  const handle = serveStdio(() => createServer(backend), {
    transport: new StdioServerTransport(stdin, stdout),
    onerror: ({ message }) => report(`mediaproc: ${message}\n`),
  })
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
    stdin.once('end', resolve)
    stdin.once('close', resolve)
  })
  await handle.close()
  await backend.close()
}
