import { createWriteStream } from 'node:fs'
import { mkdtemp, rename, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as WebStream } from 'node:stream/web'
import { fileURLToPath } from 'node:url'
import { isAnyArrayBuffer, isUint8Array } from 'node:util/types'
import { MediaprocError } from '../errors.ts'
import { type InputItem, namedInput } from '../local/inputs.ts'
import { openMediaFile } from '../media/file.ts'

/** Content in memory, or content that arrives. */
export type Content = Uint8Array | ArrayBuffer | Blob | Readable | ReadableStream<Uint8Array>

/** An input: a path, an address (http, https, file), content, or content with a name, which names the outputs. */
export type Source = string | URL | Content | { name: string; data: Content }

/** Longest name of an input file, in characters: what a tool adds to it must fit, too. */
const MAX_NAME = 100

const isStream = (value: unknown): value is Readable | ReadableStream<Uint8Array> =>
  value instanceof Readable || value instanceof ReadableStream

const isContent = (value: unknown): value is Content =>
  isUint8Array(value) || isAnyArrayBuffer(value) || value instanceof Blob || isStream(value)

/** Whether a source is a file or an address, so that its outputs have a place. */
export const isPlace = (source: Source): source is string | URL => typeof source === 'string' || source instanceof URL

/** A source in the form that paths have, or its content. @throws MediaprocError USAGE for any other value */
function resolved(source: Source): string | { name: string; data: Content } {
  if (typeof source === 'string') return source
  if (source instanceof URL) return source.protocol === 'file:' ? fileURLToPath(source) : source.href
  if (isContent(source)) return { name: source instanceof File ? source.name : '', data: source }
  const { name, data } = (source ?? {}) as { name?: unknown; data?: unknown }
  if (typeof name === 'string' && isContent(data)) return { name, data }
  throw new MediaprocError('USAGE', `Expected a path, an address, a buffer, a Blob or a stream, got ${typeof source}`, {
    hint: 'A name is given with { name, data }.',
  })
}

/** The last part of a name, without what no file system takes. */
const safeName = (name: string): string =>
  basename(name.replaceAll('\\', '/'))
    .replace(/[\u0000-\u001f\u007f<>:"|?*]/g, '_')
    .slice(-MAX_NAME)

async function write(data: Content, path: string, signal: AbortSignal): Promise<void> {
  if (isUint8Array(data)) return writeFile(path, data, { signal })
  if (isAnyArrayBuffer(data)) return writeFile(path, new Uint8Array(data), { signal })
  const stream = data instanceof Blob ? data.stream() : data
  const readable = stream instanceof Readable ? stream : Readable.fromWeb(stream as WebStream)
  await pipeline(readable, createWriteStream(path), { signal })
}

/**
 * The sources as inputs of a run. Content is written to a folder each, so that two may have the same name, under its own name
 * or as `input` with the extension of its type.
 * @param folder returns a folder for this run
 */
export async function inputItems(
  sources: readonly Source[],
  folder: () => Promise<string>,
  signal: AbortSignal,
): Promise<InputItem[]> {
  const items: InputItem[] = []
  for (const source of sources) {
    const found = resolved(source)
    if (typeof found === 'string') {
      items.push(namedInput(found))
      continue
    }
    const own = await mkdtemp(join(await folder(), 'input-'))
    const name = safeName(found.name)
    const path = join(own, /^\.*$/.test(name) ? 'input' : name)
    await write(found.data, path, signal)
    items.push(/^\.*$/.test(name) ? await withExtension(own, path) : namedFile(path))
  }
  return items
}

/** A file, whatever its path looks like. */
const namedFile = (path: string): InputItem => ({ ...namedInput(path), given: basename(path) })

async function withExtension(folder: string, path: string): Promise<InputItem> {
  const { type } = await openMediaFile(path, 'input', true)
  const [extension] = type.extensions
  if (!extension) return namedFile(path)
  const named = join(folder, `input.${extension}`)
  await rename(path, named)
  return namedFile(named)
}
