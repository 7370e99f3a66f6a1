/** Writes tags of WAV as ID3, in a chunk of its own, as foobar2000 does: RIFF's own tags have fixed names. */
import { type FileHandle, open } from 'node:fs/promises'
import { id3Tag, withTexts } from '../../../src/media/av/labels/id3.ts'
import { readRange, splice, type TagWriter } from './splice.ts'

const HEADER = 8
/** Where chunks begin: after `RIFF`, the size and `WAVE`. */
const FIRST = 12
/** The largest size that a header states; streaming programs write it, or 0, when they do not know the size. */
const LARGEST = 0xffffffff
/** A larger tag is not read, bytes. */
const MOST_TAG = 64 * 1024 * 1024
/** More chunks are not read: files have ten. */
const MOST_CHUNKS = 10_000

interface Chunk {
  id: string
  start: number
  /** Of its content. */
  size: number
}

const STREAMED = 'its header does not state its size, so convert it first'
const DAMAGED = 'its chunks do not end where its header says'

/** The chunks of a file, or why they cannot be read. */
async function chunksOf(file: FileHandle, end: number): Promise<Chunk[] | string> {
  const chunks: Chunk[] = []
  let at = FIRST
  while (at + HEADER <= end) {
    if (chunks.length >= MOST_CHUNKS) return DAMAGED
    const header = await readRange(file, at, at + HEADER)
    const [id, size] = [header.toString('latin1', 0, 4), header.readUInt32LE(4)]
    if (size === LARGEST || (id === 'data' && size === 0 && at + HEADER < end)) return STREAMED
    chunks.push({ id, start: at, size })
    at += HEADER + size + (size % 2)
  }
  // Some programs leave out the padding of the last chunk.
  return at === end || at === end + 1 ? chunks : DAMAGED
}

function id3Chunk(tag: Buffer): Buffer {
  const header = Buffer.from('id3 \0\0\0\0', 'latin1')
  header.writeUInt32LE(tag.length, 4)
  return Buffer.concat([header, tag, Buffer.alloc(tag.length % 2)])
}

/** The tag in place of another one, or why it cannot be written. */
async function tagFor(
  file: FileHandle,
  old: Chunk | undefined,
  tags: Readonly<Record<string, string>>,
): Promise<Buffer | string> {
  if (!old) return id3Tag(tags)
  if (old.size > MOST_TAG) return 'its ID3 tag is too large'
  const content = await readRange(file, old.start + HEADER, old.start + HEADER + old.size)
  return withTexts(content, tags) ?? 'it has an ID3 tag of another form'
}

/** Copies a WAV file with tags in its ID3 chunk; all other chunks stay as they are. RF64 (more than 4 GB) is refused. */
export const tagWav: TagWriter = async (source, target, tags, signal) => {
  const file = await open(source)
  try {
    const { size } = await file.stat()
    const head = await readRange(file, 0, FIRST)
    if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8) !== 'WAVE')
      return 'only RIFF files of up to 4 GB have a place for them'
    const stated = head.readUInt32LE(4)
    if (stated === 0 || stated === LARGEST) return STREAMED
    const end = HEADER + stated
    if (end > size) return DAMAGED
    const chunks = await chunksOf(file, end)
    if (typeof chunks === 'string') return chunks
    const old = chunks.find(({ id }) => id.toLowerCase() === 'id3 ')
    const tag = await tagFor(file, old, tags)
    if (typeof tag === 'string') return tag
    const last = chunks.at(-1)
    // Padding that the last chunk lacks.
    const isOdd = !old && last !== undefined && last.start + HEADER + last.size === end && last.size % 2 === 1
    const [from, to] = old ? [old.start, Math.min(end, old.start + HEADER + old.size + (old.size % 2))] : [end, end]
    const chunk = tag.length === 0 ? Buffer.alloc(0) : Buffer.concat([Buffer.alloc(isOdd ? 1 : 0), id3Chunk(tag)])
    const total = stated + chunk.length - (to - from)
    if (total >= LARGEST) return 'a WAV file has at most 4 GB'
    head.writeUInt32LE(total, 4)
    await splice(source, target, [head, { start: FIRST, end: from }, chunk, { start: to, end: size }], signal)
    return undefined
  } finally {
    await file.close()
  }
}
