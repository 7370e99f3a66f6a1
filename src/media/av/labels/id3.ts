/** Text of the user's own in ID3v2 tags (id3.org, ID3v2.3 and ID3v2.4). */

const HEADER = 10
/** The encoding that ID3v2.4 added. */
const UTF8 = 3

/** The size of a tag, or of a frame of ID3v2.4: four bytes of seven bits (ID3v2.4, 6.2). */
const id3Size = (size: number): Buffer => Buffer.from([21, 14, 7, 0].map((shift) => (size >> shift) & 0x7f))

/** Such a size; undefined when a top bit is set. */
export function readSize(bytes: Buffer, at: number): number | undefined {
  const four = [...bytes.subarray(at, at + 4)]
  return four.length < 4 || four.some((byte) => byte > 0x7f)
    ? undefined
    : four.reduce((sum, byte) => sum * 128 + byte, 0)
}

function plainSize(size: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(size)
  return bytes
}

/** A frame `TXXX`. @param text ASCII in version 3, whose encodings do not include UTF-8 */
function userText(name: string, text: string, version: number): Buffer {
  const body = Buffer.concat([Buffer.from([version === 4 ? UTF8 : 0]), Buffer.from(`${name}\0${text}`)])
  const size = version === 4 ? id3Size(body.length) : plainSize(body.length)
  return Buffer.concat([Buffer.from('TXXX'), size, Buffer.alloc(2), body])
}

function tagOf(version: number, frames: readonly Buffer[]): Buffer {
  const body = Buffer.concat(frames)
  return Buffer.concat([Buffer.from([0x49, 0x44, 0x33, version, 0, 0]), id3Size(body.length), body])
}

/** Texts by name; an empty one is none. */
type Texts = Readonly<Record<string, string>>

const framesOf = (texts: Texts, version: number): Buffer[] =>
  Object.entries(texts).flatMap(([name, text]) => (text === '' ? [] : [userText(name, text, version)]))

/** An ID3v2.4 tag with texts; empty without any. */
export function id3Tag(texts: Texts): Buffer {
  const frames = framesOf(texts, 4)
  return frames.length === 0 ? Buffer.alloc(0) : tagOf(4, frames)
}

/** The name of a frame `TXXX`, in lower case. */
function nameOf(frame: Buffer): string {
  const [encoding = 0, content] = [frame[HEADER], Buffer.from(frame.subarray(HEADER + 1))]
  const isWide = encoding === 1 || encoding === 2
  const pairs = content.subarray(0, content.length - (content.length % 2))
  // UTF-16 with a byte order mark, or big-endian without one.
  if (isWide && !(encoding === 1 && content[0] === 0xff)) pairs.swap16()
  const text = isWide ? pairs.toString('utf16le').replace('\ufeff', '') : content.toString('utf8')
  return (text.split('\0')[0] ?? '').toLowerCase()
}

/**
 * A tag with texts in place of those with the same names. All other frames are kept byte for byte.
 * @param names in lower case
 * @returns undefined for a tag that cannot be changed frame by frame: of version 2, or with unsynchronisation, an
 * extended header or a footer
 */
export function withTexts(tag: Buffer, names: Texts): Buffer | undefined {
  const version = tag[3] ?? 0
  const size = readSize(tag, 6)
  if (tag.toString('latin1', 0, 3) !== 'ID3' || (version !== 3 && version !== 4) || tag[5] !== 0) return undefined
  if (size === undefined || HEADER + size > tag.length) return undefined
  const [frames, end]: [Buffer[], number] = [[], HEADER + size]
  let at = HEADER
  while (at + HEADER <= end && tag[at] !== 0) {
    const length = version === 4 ? readSize(tag, at + 4) : tag.readUInt32BE(at + 4)
    if (length === undefined || at + HEADER + length > end) return undefined
    if (!/^[A-Z][A-Z0-9]{3}$/.test(tag.toString('latin1', at, at + 4))) return undefined
    const frame = tag.subarray(at, at + HEADER + length)
    at += frame.length
    const isReplaced = frame.toString('latin1', 0, 4) === 'TXXX' && Object.hasOwn(names, nameOf(frame))
    if (!isReplaced) frames.push(frame)
  }
  // What follows the frames is padding.
  if (tag.subarray(at, end).some((byte) => byte !== 0)) return undefined
  return Buffer.concat([tagOf(version, [...frames, ...framesOf(names, version)]), tag.subarray(end)])
}
