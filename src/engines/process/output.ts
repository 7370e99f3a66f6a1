import { StringDecoder } from 'node:string_decoder'

/** Longer lines are passed on in pieces, so that output without line breaks cannot exhaust memory. */
const MAX_LINE = 64 * 1024

/** Collects a program's output; never holds much more than `limit` bytes. */
export interface OutputKeeper {
  add(chunk: Buffer): void
  bytes(): Buffer
}

/** Keeps up to `limit` bytes; the first byte beyond calls `onOverflow`, and the rest is dropped. */
export function keepAll(limit: number, onOverflow: () => void): OutputKeeper {
  const chunks: Buffer[] = []
  let total = 0
  return {
    add(chunk) {
      if (total > limit) return
      total += chunk.length
      if (total > limit) onOverflow()
      else chunks.push(chunk)
    },
    bytes: () => Buffer.concat(chunks),
  }
}

/** Keeps the last `limit` bytes: errors are explained at the end. */
export function keepEnd(limit: number): OutputKeeper {
  const chunks: Buffer[] = []
  let total = 0
  return {
    add(chunk) {
      chunks.push(chunk)
      total += chunk.length
      while (chunks.length > 1 && total - chunks[0]!.length >= limit) total -= chunks.shift()!.length
    },
    bytes() {
      const all = Buffer.concat(chunks)
      return all.subarray(Math.max(0, all.length - limit))
    },
  }
}

/** Splits a byte stream into lines (LF, CR LF, or the bare CR of progress lines); skips empty lines. */
export function lineSplitter(onLine: (line: string) => void): { add(chunk: Buffer): void; end(): void } {
  const decoder = new StringDecoder('utf8')
  let pending = ''
  const emit = (text: string) => {
    const lines = (pending + text).split(/\r\n|\n|\r/)
    pending = lines.pop()!
    if (pending.length > MAX_LINE) {
      lines.push(pending)
      pending = ''
    }
    for (const line of lines) if (line !== '') onLine(line)
  }
  return {
    add: (chunk) => emit(decoder.write(chunk)),
    end() {
      emit(decoder.end())
      if (pending !== '') onLine(pending)
      pending = ''
    },
  }
}
