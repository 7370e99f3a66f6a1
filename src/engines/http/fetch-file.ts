import { createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { MediaprocError, toMediaprocError } from '../../errors.ts'
import type { OpenRest } from './ranged.ts'

/** Consecutive failures of a source, without a single new byte, before it is given up. */
const MAX_FAILURES = 4

/** Delay before the next retry in milliseconds, doubled each time. */
const FIRST_PAUSE_MS = 500

/** These are not retried. */
const FINAL: ReadonlySet<string> = new Set([
  ...['OFFLINE', 'CANCELED', 'URL_REFUSED', 'DISK_FULL', 'MODEL_DAMAGED', 'INSUFFICIENT_STORAGE'],
])

export interface Fetching {
  signal: AbortSignal
  /** Maximum file size in bytes. */
  most: number
  /** Called with the length of the file when it is known. */
  onLength?(bytes: number): void
  /** Called with the number of bytes present. */
  onBytes?(bytes: number): void
  /** Delay before the first retry, in milliseconds. */
  pauseMs?: number
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  )

/** Passes bytes through up to a limit. */
function watched(from: number, { most, onBytes }: Fetching): Transform {
  let bytes = from
  return new Transform({
    transform(part: Buffer, _encoding, done) {
      bytes += part.length
      onBytes?.(bytes)
      const tooMany = `The source sent more than the ${Math.floor(most)} bytes that the file may have`
      done(bytes > most ? new MediaprocError('MODEL_DAMAGED', tooMany) : null, part)
    },
  })
}

/** Resumes a file at its current end. Returns whether the file is then complete, as far as the server says. */
async function goOn(open: OpenRest, path: string, how: Fetching): Promise<boolean> {
  const { signal } = how
  const { stream, from, total } = await open(await sizeOf(path), signal)
  if (total !== undefined) how.onLength?.(total)
  const file = createWriteStream(path, { flags: from === 0 ? 'w' : 'r+', start: from, mode: 0o644 })
  await pipeline(stream, watched(from, how), file, { signal })
  return total === undefined || (await sizeOf(path)) === total
}

/**
 * Downloads a file, resuming a previous attempt of this or another process. A broken connection is resumed as long as
 * it keeps delivering data.
 * @throws MediaprocError DOWNLOAD_FAILED, MODEL_DAMAGED if it exceeds the maximum size, DISK_FULL, CANCELED, OFFLINE
 */
export async function fetchFile(open: OpenRest, path: string, how: Fetching): Promise<void> {
  const { signal, pauseMs = FIRST_PAUSE_MS } = how
  for (let failures = 0; ; ) {
    const before = await sizeOf(path)
    how.onBytes?.(before)
    let failure: MediaprocError
    try {
      if (await goOn(open, path, how)) return
      failure = new MediaprocError('DOWNLOAD_FAILED', 'The connection closed before the file was complete')
    } catch (error) {
      if (signal.aborted) throw toMediaprocError(signal.reason, 'CANCELED')
      failure = toMediaprocError(error, 'DOWNLOAD_FAILED', 'The connection broke off')
    }
    // A partial file would keep a full disk full, and one that is too long cannot be the start of the right file.
    if (failure.code === 'DISK_FULL' || failure.code === 'MODEL_DAMAGED') await rm(path, { force: true })
    if (FINAL.has(failure.code)) throw failure
    const now = await sizeOf(path)
    failures = now > before ? 1 : failures + 1
    if (failures >= MAX_FAILURES) throw failure
    await wait(pauseMs * 2 ** (failures - 1), undefined, { signal }).catch((error: unknown) => {
      throw toMediaprocError(error)
    })
  }
}
