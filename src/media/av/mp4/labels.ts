import { boxesIn } from '../../boxes.ts'
import { expect, known } from '../doubt.ts'

/** Seconds from 1904, where MP4 counts from, to 1970. */
const EPOCH_S = 2_082_844_800
/** The type of data that is UTF-8. */
const UTF8 = 1

/** ffmpeg's names of the tags that are texts. */
const TEXT_TAGS: Readonly<Record<string, string>> = {
  '\xa9nam': 'title',
  '\xa9ART': 'artist',
  '\xa9alb': 'album',
  '\xa9cmt': 'comment',
  '\xa9gen': 'genre',
  '\xa9day': 'date',
  '\xa9wrt': 'composer',
  '\xa9too': 'encoder',
  aART: 'album_artist',
  cprt: 'copyright',
  desc: 'description',
}

/** The texts of a tag list. @throws Doubt for others, such as covers */
export function textTags(list: Buffer): Record<string, string> {
  const tags: Record<string, string> = {}
  for (const { type, body, end } of known(boxesIn(list, { start: 0, end: list.length }))) {
    const name = known(TEXT_TAGS[type])
    const [data, ...others] = known(boxesIn(list, { start: body, end }))
    expect(data?.type === 'data' && others.length === 0 && !(name in tags))
    expect(list.readUInt32BE(data.body) === UTF8)
    tags[name] = plainText(list.subarray(data.body + 8, data.end))
  }
  return tags
}

/** A text that is the same in every reader. @throws Doubt for others */
export function plainText(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  expect(text !== '' && !/[\0\ufffd]/.test(text))
  return text
}

/** When a movie or a track was made, from its header of version 0; none if it states 0. */
export function creationTime(header: Buffer): { creation_time?: string } {
  const seconds = header.readUInt32BE(4)
  if (seconds === 0) return {}
  // ffmpeg reads older times as counted from 1970.
  expect(seconds >= EPOCH_S)
  return { creation_time: new Date((seconds - EPOCH_S) * 1000).toISOString().replace('.000Z', '.000000Z') }
}

/** The three letters of a packed language code (ISO/IEC 14496-12, 8.4.2.3). @throws Doubt for codes of QuickTime */
export function languageOf(packed: number): string {
  const letters = [packed >> 10, packed >> 5, packed].map((bits) => (bits & 0x1f) + 0x60)
  const language = String.fromCharCode(...letters)
  expect(packed >= 0x400 && /^[a-z]{3}$/.test(language))
  return language
}
