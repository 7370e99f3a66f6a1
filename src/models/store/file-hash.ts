import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'

export interface Fingerprint {
  bytes: number
  sha256: string
}

/** Reads a file to the end. */
export async function fingerprintOf(path: string, signal?: AbortSignal): Promise<Fingerprint> {
  const hash = createHash('sha256')
  let bytes = 0
  await pipeline(
    createReadStream(path, { highWaterMark: 1 << 20 }),
    async (parts: AsyncIterable<Buffer>) => {
      for await (const part of parts) {
        hash.update(part)
        bytes += part.length
      }
    },
    { signal },
  )
  return { bytes, sha256: hash.digest('hex') }
}
