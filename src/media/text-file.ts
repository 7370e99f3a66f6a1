import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { MediaprocError } from '../errors.ts'
import { type MediaFile, printableName } from './file.ts'

/** What is read as one text at most, in bytes: it is held in memory several times over. */
const MAX_BYTES = 256 * 1024 * 1024
const CHUNK_BYTES = 256 * 1024

/** What the bytes 0x80 to 0x9f are in Windows-1252; Node 20's own decoder takes them for control characters of Latin-1. */
const WINDOWS_1252 =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178'

const fromLatin = (text: string): string =>
  text.replace(/[\u0080-\u009f]/g, (character) => WINDOWS_1252[character.charCodeAt(0) - 0x80]!)

/** Bytes of Windows-1252 as text. */
export function decodeWindows1252(bytes: Uint8Array): string {
  return fromLatin(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'))
}

type Encoding = 'utf8' | 'utf16le' | 'utf16be' | 'windows-1252'

function marked(head: Uint8Array): Encoding | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf16be'
  return undefined
}

/** Whether bytes begin with the byte order mark of UTF-16. */
export const hasWideMark = (bytes: Uint8Array): boolean => marked(bytes) !== undefined

/**
 * Bytes as text: by the byte order mark, else UTF-8, else as an XML declaration says, else Windows-1252 (what older
 * spreadsheet programs wrote). The mark is not part of the text.
 */
export function decodeText(bytes: Uint8Array): string {
  const mark = marked(bytes)
  if (mark) return new TextDecoder(mark === 'utf16le' ? 'utf-16le' : 'utf-16be').decode(bytes)
  return isUtf8(bytes) ? new TextDecoder().decode(bytes) : (decodeDeclared(bytes) ?? decodeWindows1252(bytes))
}

/** XML says in its first line how it is encoded. */
function decodeDeclared(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 200)).toString('latin1')
  const label = /^\s*<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/.exec(head)?.[1]
  if (label === undefined) return undefined
  try {
    const decoder = new TextDecoder(label)
    // For the web Latin-1 and ASCII are Windows-1252; UTF-8 and UTF-16 it cannot be, or it would have been found above.
    return /^(windows-1252|utf-)/.test(decoder.encoding) ? undefined : decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * A file as one text.
 * @throws LIMIT_EXCEEDED when it is larger than `maxBytes`
 */
export async function readText(file: MediaFile, maxBytes = MAX_BYTES): Promise<string> {
  if (file.bytes > maxBytes)
    throw new MediaprocError(
      'LIMIT_EXCEEDED',
      `${printableName(file.name)} has ${file.bytes} bytes; at most ${maxBytes} are read`,
    )
  return decodeText(await readFile(file.path))
}

export interface ReadingOptions {
  signal?: AbortSignal
  /** How much of the file has been read, from 0 to 1. */
  onRead?: (fraction: number) => void
}

/** A file of any size as text, piece by piece, decoded as `decodeText` does it (without declarations of XML). */
export async function* textChunks(
  file: Pick<MediaFile, 'path' | 'bytes'>,
  { signal, onRead }: ReadingOptions = {},
): AsyncGenerator<string> {
  const encoding = await encodingOf(file.path)
  const nodeName = encoding === 'windows-1252' ? 'latin1' : encoding === 'utf16be' ? undefined : encoding
  const stream = createReadStream(file.path, { highWaterMark: CHUNK_BYTES, encoding: nodeName, signal })
  const decoder = new TextDecoder('utf-16be')
  let isFirst = true
  for await (const chunk of stream as AsyncIterable<string | Buffer>) {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    onRead?.(stream.bytesRead / file.bytes)
    const unmarked = isFirst ? text.replace(/^\ufeff/, '') : text
    isFirst = false
    yield encoding === 'windows-1252' ? fromLatin(unmarked) : unmarked
  }
}

/** As `textChunks`, in UTF-8: what is so already is not decoded first. A byte order mark may stand in front. */
export async function* utf8Chunks(
  file: Pick<MediaFile, 'path' | 'bytes'>,
  options: ReadingOptions = {},
): AsyncGenerator<Uint8Array> {
  if ((await encodingOf(file.path)) !== 'utf8') {
    for await (const text of textChunks(file, options)) yield Buffer.from(text)
    return
  }
  const stream = createReadStream(file.path, { highWaterMark: CHUNK_BYTES, signal: options.signal })
  for await (const bytes of stream as AsyncIterable<Buffer>) {
    options.onRead?.(stream.bytesRead / file.bytes)
    yield bytes
  }
}

/** Whether a file is UTF-8 shows only at its end, so it is read once for that. */
async function encodingOf(path: string): Promise<Encoding> {
  const handle = await open(path)
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
    let kept = 0
    for (let isFirst = true; ; isFirst = false) {
      const { bytesRead } = await handle.read(buffer, kept, buffer.length - kept)
      const bytes = buffer.subarray(0, kept + bytesRead)
      const mark = isFirst ? marked(bytes) : undefined
      if (mark) return mark
      if (bytesRead === 0) return bytes.length === 0 ? 'utf8' : 'windows-1252'
      const whole = bytes.subarray(0, bytes.length - unfinished(bytes))
      if (!isUtf8(whole)) return 'windows-1252'
      kept = bytes.length - whole.length
      bytes.copyWithin(0, whole.length)
    }
  } finally {
    await handle.close()
  }
}

/** How many bytes at the end begin a character of UTF-8 that is not whole. */
function unfinished(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back]!
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0
    if (byte < 0x80) return 0
  }
  return 0
}
