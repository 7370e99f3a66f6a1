import { pathToFileURL } from 'node:url'
import type { ReadResourceResult, Resource } from '@modelcontextprotocol/server'
import { limitExceeded } from '../../limit-exceeded.ts'
import { isTextMime, typeOfName } from '../../media/type.ts'
import type { ResultFile } from '../answers.ts'
import type { OpenedFile } from './open-within.ts'

/** Most results that are listed as resources. */
const MAX_RECENT = 100
/** Largest file that is returned as a resource, in bytes. */
export const MAX_READ_BYTES = 8 * 1024 * 1024

/** The results of this connection, newest first. */
export class RecentResults {
  #files: ResultFile[] = []

  add(files: readonly ResultFile[]): void {
    const known = new Set(files.map(({ uri }) => uri))
    this.#files = [...files, ...this.#files.filter(({ uri }) => !known.has(uri))].slice(0, MAX_RECENT)
  }

  list(): Resource[] {
    return this.#files.map(({ uri, name, bytes, mimeType }) => ({ uri, name, mimeType, size: bytes }))
  }
}

export const uriOf = (path: string): string => pathToFileURL(path).href

/** The content of an open file. @throws MediaprocError LIMIT_EXCEEDED */
export async function contentOf(uri: string, { handle, path }: OpenedFile): Promise<ReadResourceResult> {
  const { size } = await handle.stat()
  if (size > MAX_READ_BYTES)
    throw limitExceeded(`The file has ${size} bytes, and resources have at most ${MAX_READ_BYTES}`, {
      hint: 'Use it by its path, or make it smaller.',
    })
  const content = await handle.readFile()
  const mimeType = typeOfName(path)?.mime ?? 'application/octet-stream'
  const about = { uri, mimeType }
  return {
    contents: [
      isTextMime(mimeType)
        ? { ...about, text: content.toString('utf8') }
        : { ...about, blob: content.toString('base64') },
    ],
  }
}
