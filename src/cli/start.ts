import type { Writable } from 'node:stream'
import { EXIT } from '../errors.ts'
import { main } from './main.ts'
import { processIo } from './output/io.ts'

const flushed = (stream: Writable): Promise<void> => new Promise((resolve) => stream.write('', () => resolve()))

/** Starts the program and ends the process, even if an engine still has something open. */
export async function start(args: readonly string[]): Promise<never> {
  const io = processIo()
  const code = await main(args, io)
  await Promise.all([flushed(io.stdout), flushed(io.stderr)])
  if (code !== EXIT.ok) return (await import('./signals.ts')).endProcess(code)
  process.exit(code)
}
