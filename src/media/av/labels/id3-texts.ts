import type { FileView } from '../../verify/file-view.ts'
import { expect, known } from '../doubt.ts'
import { plainText } from '../mp4/labels.ts'
import { readSize } from './id3.ts'

const HEADER = 10
/** A tag of texts is smaller; larger ones have pictures. Bytes. */
const MAX_BYTES = 64 * 1024
const [LATIN_1, UTF8] = [0, 3]

/** ffmpeg's names of the frames that are texts (id3.org, ID3v2.3 and ID3v2.4, 4.2). */
const NAMES: Readonly<Record<string, string>> = {
  TALB: 'album',
  TCOM: 'composer',
  TCON: 'genre',
  TCOP: 'copyright',
  TENC: 'encoded_by',
  TIT2: 'title',
  TLAN: 'language',
  TPE1: 'artist',
  TPE2: 'album_artist',
  TPE3: 'performer',
  TPOS: 'disc',
  TPUB: 'publisher',
  TRCK: 'track',
  TSSE: 'encoder',
}
/** Those of ID3v2.4 alone. */
const LATER_NAMES: Readonly<Record<string, string>> = { TDRC: 'date' }

/**
 * The texts of an ID3v2 tag at the beginning of a file, by ffmpeg's names, and where the tag ends; none without a tag.
 * @throws Doubt for other frames, such as pictures, for other encodings than ASCII and UTF-8, and for gains
 */
export function id3Texts(file: FileView): { start: number; texts: Record<string, string> } {
  if (file.text(0, 3) !== 'ID3') return { start: 0, texts: {} }
  const version = file.head[3]
  const size = known(readSize(file.head, 6))
  expect((version === 3 || version === 4) && file.head[5] === 0 && size <= MAX_BYTES)
  const tag = file.read(0, HEADER + size)
  const texts: Record<string, string> = {}
  let at = HEADER
  while (at + HEADER <= tag.length && tag[at] !== 0) {
    const id = tag.toString('latin1', at, at + 4)
    const length = known(version === 4 ? readSize(tag, at + 4) : tag.readUInt32BE(at + 4))
    const end = at + HEADER + length
    expect(end <= tag.length && length > 1 && tag.readUInt16BE(at + 8) === 0)
    const content = textOf(tag.subarray(at + HEADER, end))
    const [name, text] =
      id === 'TXXX' ? ownText(content) : [known(NAMES[id] ?? (version === 4 ? LATER_NAMES[id] : undefined)), content]
    const key = name.toLowerCase()
    // Numbers of ID3v1 stand for genres.
    expect(!(key in texts) && !(key === 'genre' && /^\(?\d/.test(text)))
    texts[key] = plainText(Buffer.from(text))
    at = end
  }
  expect(tag.subarray(at).every((byte) => byte === 0))
  return { start: HEADER + size, texts }
}

/** The text of a frame, without the byte 0 that may end it. */
function textOf(frame: Buffer): string {
  const [encoding, bytes] = [frame[0], frame.subarray(1)]
  expect(encoding === UTF8 || (encoding === LATIN_1 && bytes.every((byte) => byte < 0x80)))
  return bytes.toString('utf8').replace(/\0$/, '')
}

/** Name and text of a tag of the user's own. ffprobe reports gains for the stream, and names of frames as their texts. */
function ownText(content: string): [name: string, text: string] {
  const [name, text, ...others] = content.split('\0')
  expect(!!name && text !== undefined && others.length === 0)
  expect(!/^(replaygain.*|[a-z\d]{3,4})$/i.test(name))
  return [name, text]
}
