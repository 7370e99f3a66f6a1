import type { Readable } from 'node:stream'
import { answerOf, checkOnline, downloadError, manifestAgent } from './http.ts'

/** A response with a file from some byte on. */
export interface Rest {
  stream: Readable
  /** The byte that it begins with: 0 where a server does not begin in the middle. */
  from: number
  /** The length of the whole file, where the server says it. */
  total?: number
}

/** Opens a file for reading from a byte on. */
export type OpenRest = (from: number, signal: AbortSignal) => Promise<Rest>

/** Status of a server that has no such byte: the file has changed, or was already complete. */
export const NO_SUCH_RANGE = 416

/** The header that asks for the end of a file, and none for the whole. */
export const rangeHeader = (from: number): Record<string, string> => (from > 0 ? { range: `bytes=${from}-` } : {})

/** Start of the response and total length, from status and headers (RFC 9110, 14.4). */
export function placeOf(status: number, header: (name: string) => string | undefined): Omit<Rest, 'stream'> {
  const [, from, whole] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec((status === 206 && header('content-range')) || '') ?? []
  const total = from === undefined ? header('content-length') : whole
  return { from: Number(from ?? 0), ...(total !== undefined && total !== '*' && { total: Number(total) }) }
}

/**
 * Opens an https address of a manifest from a byte on. A server that cannot begin there sends the whole.
 * @throws MediaprocError OFFLINE, URL_REFUSED, DOWNLOAD_FAILED, CANCELED
 */
export function restOf(text: string): OpenRest {
  const open: OpenRest = async (from, signal) => {
    checkOnline()
    const agent = await manifestAgent()
    try {
      const accepted = from > 0 ? [NO_SUCH_RANGE] : []
      const { answer } = await answerOf(text, agent, signal, rangeHeader(from), accepted)
      const stream = answer.body
      if (answer.statusCode === NO_SUCH_RANGE) {
        await answer.body.dump()
        await agent.destroy()
        return open(0, signal)
      }
      stream.once('close', () => void agent.destroy())
      return { stream, ...placeOf(answer.statusCode, (name) => answer.headers[name]?.toString()) }
    } catch (error) {
      await agent.destroy()
      throw downloadError(error, text)
    }
  }
  return open
}
