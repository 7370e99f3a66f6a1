import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { create, Parser, type ReadEntry } from 'tar'
import { MediaprocError, toMediaprocError } from '../errors.ts'

/** An entry of a tar archive, as the archive describes it. Callers that need the bytes read them. */
export interface TarEntry {
  path: string
  /** `File`, `Directory`, `SymbolicLink`, `Link`, `CharacterDevice` … */
  type: string
  bytes: number
  content(): AsyncIterable<Buffer>
}

/** The bytes of an entry, which is not a native Node stream. */
async function* contentOf(entry: ReadEntry): AsyncIterable<Buffer> {
  yield* entry
}

/**
 * Reads a tar archive, compressed or not, entry by entry. Writes nothing: `visit` inspects each entry and reads or
 * skips its bytes.
 * @throws MediaprocError INVALID_FILE for an invalid archive, CANCELED, and errors thrown by `visit`
 */
export async function readTar(
  path: string,
  signal: AbortSignal,
  visit: (entry: TarEntry) => Promise<void>,
): Promise<void> {
  const visits: Promise<void>[] = []
  let failure: unknown
  // At the end, pending readers are released.
  const over = new AbortController()
  const stop = AbortSignal.any([signal, over.signal])
  const parser = new Parser({
    strict: true,
    onReadEntry: (entry) => {
      // Unread entries are skipped: the parser continues once an entry has ended.
      const skip = (): void => void entry.resume()
      if (failure) return skip()
      const about = { path: entry.path, type: entry.type, bytes: entry.size, content: () => contentOf(entry) }
      const visited = visit(about).catch((error: unknown) => {
        failure ??= error
      })
      visits.push(visited.finally(skip))
    },
  })
  const ended = once(parser, 'end', { signal: stop }).catch((error: unknown) => {
    failure ??= error
  })
  try {
    for await (const part of createReadStream(path, {
      highWaterMark: 1 << 18,
      signal: stop,
    }) as AsyncIterable<Buffer>) {
      if (failure) break
      if (!parser.write(part)) await Promise.race([once(parser, 'drain', { signal: stop }), ended])
    }
    if (!failure) parser.end()
    if (!failure) await ended
  } catch (error) {
    failure ??= error
  }
  over.abort()
  if (!failure) await Promise.all(visits)
  if (signal.aborted) throw toMediaprocError(signal.reason, 'CANCELED')
  if (failure) throw archiveError(failure)
}

function archiveError(failure: unknown): MediaprocError {
  const known = toMediaprocError(failure)
  if (known.code !== 'INTERNAL') return known
  return new MediaprocError('INVALID_FILE', 'The archive is damaged, or is not an archive', {
    detail: known.detail,
    cause: failure,
  })
}

/**
 * Packs files of a folder into a tar.gz, unchanged and without owners. Uses low compression, as weights hardly shrink.
 */
export async function writeTar(
  folder: string,
  names: readonly string[],
  target: string,
  signal: AbortSignal,
): Promise<void> {
  const pack = create({ cwd: folder, gzip: { level: 1 }, portable: true, follow: true, noMtime: true }, [...names])
  async function* content(): AsyncIterable<Buffer> {
    yield* pack as unknown as AsyncIterable<Buffer>
  }
  await pipeline(content, createWriteStream(target), { signal }).catch((error: unknown) => {
    throw toMediaprocError(error)
  })
}
