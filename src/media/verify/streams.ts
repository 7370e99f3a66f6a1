import { movie } from './boxes.ts'
import { INCOMPLETE, notA, type StructureCheck } from './file-view.ts'

const NOT_FINISHED = 'was not finished: its header states no length'
/** Maximum distance of the last Ogg page from the end: a page is at most 65,307 bytes (RFC 3533, 6). */
const OGG_PAGE = 65_307
const END_OF_STREAM = 4

/** The last page ends at the end of the file and has the end-of-stream flag. */
const ogg: StructureCheck = (file) => {
  if (file.text(0, 4) !== 'OggS') return notA('Ogg')
  const end = file.read(Math.max(0, file.size - OGG_PAGE), OGG_PAGE)
  const page = end.lastIndexOf('OggS', end.length, 'latin1')
  if (page < 0 || page + 27 > end.length) return INCOMPLETE
  const segments = end.subarray(page + 27, page + 27 + end[page + 26]!)
  const length = 27 + segments.length + segments.reduce((sum, bytes) => sum + bytes, 0)
  return page + length === end.length && (end[page + 5]! & END_OF_STREAM) !== 0 ? undefined : INCOMPLETE
}

/** Byte length of an EBML number by its first byte, and its value without the marker; undefined if all bits are set. */
function ebmlNumber(bytes: Buffer, at: number, keepMarker = false): { length: number; value: number | undefined } {
  const first = bytes[at] ?? 0
  const length = Math.clz32(first) - 23
  let value = keepMarker ? first : first & (0xff >> length)
  let isUnknown = value === 0xff >> length
  for (let index = 1; index < length; index++) {
    const byte = bytes[at + index] ?? 0
    isUnknown &&= byte === 0xff
    value = value * 256 + byte
  }
  return { length, value: isUnknown ? undefined : value }
}

const EBML_HEADER = 0x1a45dfa3
const SEGMENT = 0x18538067

/** Matroska and WebM: the size of the segment is written at the end (RFC 9559, 5.1). */
const matroska: StructureCheck = ({ head, size }) => {
  if (head.readUInt32BE(0) !== EBML_HEADER) return notA('Matroska')
  const header = ebmlNumber(head, 4)
  const at = 4 + header.length + (header.value ?? 0)
  if (at + 12 > head.length || head.readUInt32BE(at) !== SEGMENT) return notA('Matroska')
  const segment = ebmlNumber(head, at + 4)
  if (segment.value === undefined) return NOT_FINISHED
  return at + 4 + segment.length + segment.value <= size ? undefined : INCOMPLETE
}

/** The number of samples is written at the end (RFC 9639, 8.2); a file whose bytes were copied may lack it. */
const flac: StructureCheck = ({ head }) => {
  const at = head.toString('latin1', 0, 3) === 'ID3' ? -1 : 0
  if (at === 0 && head.toString('latin1', 0, 4) !== 'fLaC') return notA('FLAC')
  if (at < 0) return undefined
  const samples = (head[21]! & 0x0f) * 2 ** 32 + head.readUInt32BE(22)
  return samples > 0 ? undefined : NOT_FINISHED
}

/**
 * The header frame of ffmpeg and LAME states the bytes and frames of the audio once all are known. Files without one
 * have no length to compare.
 */
const mp3: StructureCheck = (file) => {
  const { head } = file
  let at = 0
  if (head.toString('latin1', 0, 3) === 'ID3') {
    const [a, b, c, d] = head.subarray(6, 10) as unknown as [number, number, number, number]
    at = 10 + (a << 21) + (b << 14) + (c << 7) + d
  }
  const frame = file.read(at, 256)
  if (frame.length < 64) return INCOMPLETE
  if (frame[0] !== 0xff || (frame[1]! & 0xe0) !== 0xe0) return notA('MP3')
  const tag = Math.max(frame.indexOf('Xing', 0, 'latin1'), frame.indexOf('Info', 0, 'latin1'))
  if (tag < 0 || tag + 16 > frame.length) return undefined
  const flags = frame.readUInt32BE(tag + 4)
  if ((flags & 1) !== 0 && frame.readUInt32BE(tag + 8) === 0) return NOT_FINISHED
  if ((flags & 3) !== 3) return undefined
  return at + frame.readUInt32BE(tag + 12) <= file.size ? undefined : INCOMPLETE
}

const TS_PACKET = 188
const M2TS_PACKET = 192
const SYNC = 0x47

/** Whole packets, each with a sync byte; Blu-ray adds a four-byte timestamp before each. */
const transport: StructureCheck = ({ head, size, tail }) => {
  const packet = head[0] === SYNC ? TS_PACKET : M2TS_PACKET
  const start = packet - TS_PACKET
  if (head[start] !== SYNC) return notA('MPEG-TS')
  return size % packet === 0 && tail[tail.length - TS_PACKET] === SYNC ? undefined : INCOMPLETE
}

/** Each tag is followed by its size (Adobe FLV 10.1, E.3). */
const flv: StructureCheck = (file) => {
  if (file.text(0, 3) !== 'FLV') return notA('FLV')
  const size = file.tail.readUInt32BE(file.tail.length - 4)
  const tag = file.read(file.size - 4 - size, 4)
  return tag.length === 4 && size > 11 && tag.readUIntBE(1, 3) + 11 === size ? undefined : INCOMPLETE
}

const ASF_HEADER = '3026b2758e66cf11a6d900aa0062ce6c'
const ASF_FILE_PROPERTIES = Buffer.from('a1dcab8c47a9cf118ee400c00c205365', 'hex')

/** The file properties contain the file size, which is known at the end (ASF 1.2, 3.2). */
const asf: StructureCheck = ({ head, size }) => {
  if (head.toString('hex', 0, 16) !== ASF_HEADER) return notA('Windows Media')
  const at = head.indexOf(ASF_FILE_PROPERTIES)
  if (at < 0 || at + 48 > head.length) return undefined
  const statedSize = Number(head.readBigUInt64LE(at + 40))
  if (statedSize === 0) return NOT_FINISHED
  return statedSize <= size ? undefined : INCOMPLETE
}

const starting =
  (format: string, pattern: RegExp): StructureCheck =>
  (file) =>
    pattern.test(file.text(0, 6)) ? undefined : notA(format)

export const MEDIA_CHECKS: Readonly<Record<string, StructureCheck>> = {
  ...{ mp4: movie, m4v: movie, mov: movie, m4a: movie, '3gp': movie },
  ...{ webm: matroska, mkv: matroska, ogg, ogv: ogg, opus: ogg },
  ...{ ts: transport, mts: transport, m2ts: transport, flv, wmv: asf, wma: asf },
  ...{ mp3, flac },
  // Consecutive frames without an end marker.
  aac: starting('AAC', /^\xff[\xf0-\xff]|^ID3|^ADIF/),
  ac3: starting('AC-3', /^\x0b\x77/),
  amr: starting('AMR', /^#!AMR/),
  mpg: starting('MPEG', /^\x00\x00\x01[\xba\xb3]/),
}
