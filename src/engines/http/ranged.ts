import type { Readable } from 'node:stream'
import { answerOf, checkOnline, downloadError, manifestAgent } from './http.ts'

/** The response for a file from some byte on. */
export interface Rest {
  stream: Readable
  /** The offset of its first byte: 0 if the server does not support ranges. */
  from: number
  /** The length of the whole file, if the server reports it. */
  total?: number
}

/** Opens a file for reading from a byte offset. */
export type OpenRest = (from: number, signal: AbortSignal) => Promise<Rest>

/** Status for an offset beyond the end: the file has changed, or was already complete. */
export const NO_SUCH_RANGE = 416

/** The Range header for the rest of a file; none for the whole file. */
export const rangeHeader = (from: number): Record<string, string> => (from > 0 ? { range: `bytes=${from}-` } : {})

/** The offset of a response and the total length, from its status and headers (RFC 9110, 14.4). */
export function placeOf(status: number, header: (name: string) => string | undefined): Omit<Rest, 'stream'> {
  const [, from, whole] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec((status === 206 && header('content-range')) || '') ?? []
  const total = from === undefined ? header('content-length') : whole
  return { from: Number(from ?? 0), ...(total !== undefined && total !== '*' && { total: Number(total) }) }
}

/**
 * Opens an https URL of a manifest from a byte offset. A server without range support sends the whole file.
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
