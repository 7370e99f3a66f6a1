import { createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { OpenRest } from '../../engines/http/ranged.ts'
import { MediaprocError, toMediaprocError } from '../../errors.ts'

/** How often a source may fail in a row without one byte more. */
const MAX_FAILURES = 4

/** Before the next attempt, doubled each time. In milliseconds. */
const FIRST_PAUSE_MS = 500

/** Further attempts do not change these. */
const FINAL: ReadonlySet<string> = new Set([
  ...['OFFLINE', 'CANCELED', 'URL_REFUSED', 'DISK_FULL', 'MODEL_DAMAGED', 'INSUFFICIENT_STORAGE'],
])

export interface Fetching {
  signal: AbortSignal
  /** The most bytes that the file may have. */
  most: number
  /** Told of the length of the file, once it is known. */
  onLength?(bytes: number): void
  /** So many bytes are here. */
  onBytes?(bytes: number): void
  /** Before the first further attempt, in milliseconds. */
  pauseMs?: number
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  )

/** Lets bytes through as long as they are not too many. */
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

/** Goes on with a file from where it ends. Gives whether it is whole then, as far as the server says. */
async function goOn(open: OpenRest, path: string, how: Fetching): Promise<boolean> {
  const { signal } = how
  const { stream, from, total } = await open(await sizeOf(path), signal)
  if (total !== undefined) how.onLength?.(total)
  const file = createWriteStream(path, { flags: from === 0 ? 'w' : 'r+', start: from, mode: 0o644 })
  await pipeline(stream, watched(from, how), file, { signal })
  return total === undefined || (await sizeOf(path)) === total
}

/**
 * Fetches a file, going on where a former attempt, of this process or another, ended. A connection that breaks is taken up
 * again as long as it brings something.
 * @throws MediaprocError DOWNLOAD_FAILED, MODEL_DAMAGED when it is longer than it may be, DISK_FULL, CANCELED, OFFLINE
 */
export async function fetchFile(open: OpenRest, path: string, how: Fetching): Promise<void> {
  const { signal, pauseMs = FIRST_PAUSE_MS } = how
  for (let failures = 0; ; ) {
    const before = await sizeOf(path)
    let failure: MediaprocError
    try {
      if (await goOn(open, path, how)) return
      failure = new MediaprocError('DOWNLOAD_FAILED', 'The connection ended before the file did')
    } catch (error) {
      if (signal.aborted) throw toMediaprocError(signal.reason, 'CANCELED')
      failure = toMediaprocError(error, 'DOWNLOAD_FAILED', 'The connection broke off')
    }
    // What was begun would keep a full disk full; a file that is too long is no beginning of ours.
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
