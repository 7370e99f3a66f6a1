import { isAscii, isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { limitExceeded } from '../limit-exceeded.ts'
import { decodeBytes, decoderOf } from './encoding/decoder.ts'
import { type EncodingGuess, guessEncoding } from './encoding/guess.ts'
import { EncodingSample } from './encoding/sample.ts'
import { type MediaFile, printableName } from './file.ts'

/** Maximum size of a file read as a single text, in bytes: it is held in memory several times. */
const MAX_BYTES = 256 * 1024 * 1024
const CHUNK_BYTES = 256 * 1024

/** The encoding of a text, if the caller specifies it, and the receiver of warnings about guesses and damage. */
export interface EncodingOptions {
  /**
   * A name from the Encoding Standard, in lower case; with `auto` or when absent, it is detected. A byte order mark
   * takes precedence.
   */
  encoding?: string | undefined
  warn?: ((message: string, manner?: 'advice') => void) | undefined
}

export interface ReadingOptions extends EncodingOptions {
  signal?: AbortSignal
  /** Share of the file read so far, from 0 to 1. */
  onRead?: (fraction: number) => void
}

type Readable = Pick<MediaFile, 'path' | 'bytes' | 'name'>

function marked(head: Uint8Array): string | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  return head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 'utf-8' : undefined
}

/**
 * Decodes an XML part: by byte order mark, otherwise UTF-8, otherwise its declared encoding, otherwise Windows-1252.
 */
export function decodeXml(bytes: Uint8Array): string {
  const encoding = marked(bytes) ?? (isUtf8(bytes) ? 'utf-8' : (declared(bytes) ?? 'windows-1252'))
  return decodeBytes(bytes, encoding)
}

/** XML declares its encoding in the first line, HTML in its head. */
function declared(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 1024)).toString('latin1')
  const label =
    /^\s*<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/.exec(head)?.[1] ??
    /<meta[^>]*?charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head)?.[1]
  if (label === undefined) return undefined
  try {
    const { encoding } = new TextDecoder(label)
    // UTF-8 and UTF-16 are excluded here, because they would have been detected before.
    return encoding.startsWith('utf-') ? undefined : encoding
  } catch {
    return undefined
  }
}

/** The encoding that a text declares, otherwise a guess. */
async function foundOut(head: Uint8Array, sample: Uint8Array): Promise<EncodingGuess & { isDeclared?: true }> {
  const encoding = declared(head)
  return encoding === undefined ? guessEncoding(sample) : { encoding, isCertain: true, isDeclared: true }
}

/** A guess is always reported, with more than advice if it is uncertain. */
function reportGuess(
  name: string,
  { encoding, isCertain, isDeclared }: EncodingGuess & { isDeclared?: true },
  warn: EncodingOptions['warn'],
): void {
  if (isDeclared) return
  const shown = printableName(name)
  if (encoding === 'utf-8')
    warn?.(
      `${shown} holds bytes that are not UTF-8, which become \ufffd: it may be damaged, or need another --encoding`,
    )
  else if (isCertain) warn?.(`${shown} is not Unicode and was read as ${encoding}`, 'advice')
  else
    warn?.(
      `${shown} is not Unicode and was read as ${encoding}, which is a guess: look at the letters, or name the --encoding`,
    )
}

/**
 * Reads a file as one text. Encoding: byte order mark, the caller's, UTF-8, XML declaration or meta element, otherwise
 * a guess. The byte order mark is removed.
 * @throws LIMIT_EXCEEDED when the file is larger than `maxBytes`
 */
export async function readText(
  file: Readable,
  { maxBytes = MAX_BYTES, encoding, warn }: EncodingOptions & { maxBytes?: number } = {},
): Promise<string> {
  if (file.bytes > maxBytes)
    throw limitExceeded(`${printableName(file.name)} has ${file.bytes} bytes; at most ${maxBytes} are read`, {
      hint: 'Split the file first.',
    })
  return decodeText(await readFile(file.path), file.name, { encoding, warn })
}

/** Like `readText`, for bytes. @param name file name for warnings */
export async function decodeText(
  bytes: Uint8Array,
  name: string,
  { encoding, warn }: EncodingOptions = {},
): Promise<string> {
  const said = marked(bytes) ?? (encoding === 'auto' ? undefined : encoding)
  if (isUtf8(bytes) && (said === undefined || said === 'utf-8')) return new TextDecoder().decode(bytes)
  if (said !== undefined) return checked(decodeBytes(bytes, said), name, said, warn)
  const sample = new EncodingSample()
  sample.add(bytes)
  const guess = await foundOut(bytes, sample.bytes)
  reportGuess(name, guess, warn)
  return decodeBytes(bytes, guess.encoding)
}

/** Warns about bytes that are invalid in the specified encoding. */
function checked(text: string, name: string, encoding: string, warn: EncodingOptions['warn']): string {
  if (text.includes('\ufffd')) warn?.(invalidSentence(name, encoding))
  return text
}

const invalidSentence = (name: string, encoding: string): string =>
  `${printableName(name)} holds bytes that are not ${encoding}, which become \ufffd`

/** Reads a file of any size as text in chunks, decoded like `readText`. */
export async function* textChunks(file: Readable, options: ReadingOptions = {}): AsyncGenerator<string> {
  yield* decodedChunks(file, await encodingOf(file, options), options)
}

async function* decodedChunks(
  file: Readable,
  { encoding, isSaid }: FoundEncoding,
  { signal, onRead, warn }: ReadingOptions,
): AsyncGenerator<string> {
  const decoder = decoderOf(encoding)
  let isWarned = !isSaid
  function* piece(text: string): Generator<string> {
    if (!isWarned && text.includes('\ufffd')) {
      isWarned = true
      warn?.(invalidSentence(file.name, encoding))
    }
    if (text !== '') yield text
  }
  const stream = createReadStream(file.path, { highWaterMark: CHUNK_BYTES, signal })
  for await (const bytes of stream as AsyncIterable<Buffer>) {
    onRead?.(stream.bytesRead / file.bytes)
    yield* piece(decoder.decode(bytes))
  }
  yield* piece(decoder.end())
}

/**
 * Like `textChunks`, as UTF-8: files that are already UTF-8 are not decoded first. A byte order mark may be present.
 */
export async function* utf8Chunks(file: Readable, options: ReadingOptions = {}): AsyncGenerator<Uint8Array> {
  const found = await encodingOf(file, options)
  if (found.encoding !== 'utf-8' || !found.isValid) {
    for await (const text of decodedChunks(file, found, options)) yield Buffer.from(text)
    return
  }
  const stream = createReadStream(file.path, { highWaterMark: CHUNK_BYTES, signal: options.signal })
  for await (const bytes of stream as AsyncIterable<Buffer>) {
    options.onRead?.(stream.bytesRead / file.bytes)
    yield bytes
  }
}

interface FoundEncoding {
  encoding: string
  /** Known from a byte order mark or the caller, so the bytes were not checked. */
  isSaid: boolean
  /** All bytes are valid in this encoding. */
  isValid: boolean
}

/**
 * Detects the encoding of a file and warns of a guess. UTF-8 can only be confirmed at the end of the file, so it is
 * read once for that.
 */
async function encodingOf({ path, name }: Readable, { encoding, warn }: EncodingOptions): Promise<FoundEncoding> {
  const handle = await open(path)
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
    const { bytesRead: first } = await handle.read(buffer, 0, buffer.length, 0)
    const head = Buffer.from(buffer.subarray(0, Math.min(first, 1024)))
    const said = marked(head) ?? (encoding === 'auto' ? undefined : encoding)
    if (said !== undefined) return { encoding: said, isSaid: true, isValid: false }
    let kept = 0
    let hasUnicode = false
    for (let at = 0; ; ) {
      const { bytesRead } = await handle.read(buffer, kept, buffer.length - kept, at)
      at += bytesRead
      const bytes = buffer.subarray(0, kept + bytesRead)
      if (bytesRead === 0 && bytes.length === 0) return { encoding: 'utf-8', isSaid: false, isValid: true }
      const whole = bytesRead === 0 ? bytes : bytes.subarray(0, bytes.length - unfinished(bytes))
      if (!isUtf8(whole)) {
        // A text that was UTF-8 so far is damaged UTF-8.
        const guess = hasUnicode
          ? { encoding: 'utf-8', isCertain: false }
          : await foundOut(head, await sampleOf(handle, { from: at - bytes.length, atLeast: bytes }))
        reportGuess(name, guess, warn)
        return { encoding: guess.encoding, isSaid: false, isValid: false }
      }
      hasUnicode ||= !isAscii(whole)
      kept = bytes.length - whole.length
      bytes.copyWithin(0, whole.length)
    }
  } finally {
    await handle.close()
  }
}

/**
 * Collects lines that reveal the encoding of a file, from an offset on. Lines cut at the ends of a read buffer are
 * skipped, because half a character is invalid in every encoding. If there is no complete line, returns `atLeast`.
 */
async function sampleOf(
  handle: FileHandle,
  { from, atLeast }: { from: number; atLeast: Uint8Array },
): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  const sample = new EncodingSample()
  for (let at = from; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at)
    if (bytesRead === 0) break
    const bytes = buffer.subarray(0, bytesRead)
    const end = bytesRead < buffer.length ? bytesRead : bytes.lastIndexOf(10) + 1
    sample.add(bytes.subarray(at === 0 ? 0 : bytes.indexOf(10) + 1, end))
    at += bytesRead
  }
  return sample.bytes.length > 0 ? sample.bytes : Buffer.from(atLeast)
}

/** The number of bytes at the end that start an incomplete UTF-8 character. */
function unfinished(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back]!
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0
    if (byte < 0x80) return 0
  }
  return 0
}
