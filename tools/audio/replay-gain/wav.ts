/** Writes tags of WAV as ID3, in a chunk of its own, as foobar2000 does: RIFF's own tags have fixed names. */
import { open } from 'node:fs/promises'

const UTF8 = 3
const HEADER = 8

/** A size of 28 bits with 7 in each byte (ID3v2.4, 6.2). */
const synchsafe = (size: number): Buffer => Buffer.from([21, 14, 7, 0].map((shift) => (size >> shift) & 127))

function userText(name: string, text: string): Buffer {
  const body = Buffer.concat([Buffer.from([UTF8]), Buffer.from(`${name}\0${text}`)])
  return Buffer.concat([Buffer.from('TXXX'), synchsafe(body.length), Buffer.alloc(2), body])
}

/**
 * Appends an ID3v2.4 tag to a WAV file, which has none.
 * @returns whether the file has a place for it: RF64 files, of more than 4 GB, do not
 */
export async function tagWav(path: string, tags: Readonly<Record<string, string>>): Promise<boolean> {
  const frames = Object.entries(tags).flatMap(([name, text]) => (text === '' ? [] : [userText(name, text)]))
  if (frames.length === 0) return true
  const body = Buffer.concat(frames)
  const tag = Buffer.concat([Buffer.from([0x49, 0x44, 0x33, 4, 0, 0]), synchsafe(body.length), body])
  const file = await open(path, 'r+')
  try {
    const { size } = await file.stat()
    const head = (await file.read(Buffer.alloc(HEADER), 0, HEADER, 0)).buffer
    const padding = size % 2
    const chunk = Buffer.concat([
      Buffer.alloc(padding),
      Buffer.from('id3 '),
      Buffer.alloc(4),
      tag,
      Buffer.alloc(tag.length % 2),
    ])
    chunk.writeUInt32LE(tag.length, padding + 4)
    const total = size + chunk.length - HEADER
    if (head.toString('latin1', 0, 4) !== 'RIFF' || total > 0xffffffff) return false
    await file.write(chunk, 0, chunk.length, size)
    head.writeUInt32LE(total, 4)
    await file.write(head, 0, HEADER, 0)
    return true
  } finally {
    await file.close()
  }
}
