import { gifLayout } from '../codecs/gif-blocks.ts'
import { endOfPicture, jpegSegments } from '../codecs/jpeg/jpeg-segments.ts'
import { type FileView, INCOMPLETE, notA, type StructureCheck } from './file-view.ts'

const whole = (file: FileView): Buffer => file.read(0, file.size)

/** Ends with EOI; an image whose bytes were copied may have appended data (gain map, video of a motion photo). */
const jpeg: StructureCheck = (file) => {
  if (file.text(0, 3) !== '\xff\xd8\xff') return notA('JPEG')
  if (file.tail.readUInt16BE(file.tail.length - 2) === 0xffd9) return undefined
  const bytes = whole(file)
  const scan = jpegSegments(bytes)?.at(-1)
  return scan && !endOfPicture(bytes, scan.end).isCutOff ? undefined : INCOMPLETE
}

const png: StructureCheck = (file) => {
  if (file.text(0, 8) !== '\x89PNG\r\n\x1a\n') return notA('PNG')
  if (file.tail.toString('latin1', file.tail.length - 8, file.tail.length - 4) === 'IEND') return undefined
  for (let at = 8; at + 12 <= file.size; ) {
    const header = file.read(at, 8)
    if (header.toString('latin1', 4, 8) === 'IEND') return undefined
    at += 12 + header.readUInt32BE(0)
  }
  return INCOMPLETE
}

const gif: StructureCheck = (file) => {
  if (!/^GIF8[79]a/.test(file.text(0, 6))) return notA('GIF')
  if (file.tail.at(-1) === 0x3b) return undefined
  return gifLayout(whole(file))?.isCutOff === false ? undefined : INCOMPLETE
}

/** Classic and big TIFF: the first directory, which libtiff writes after the pixels, is inside the file. */
const tiff: StructureCheck = (file) => {
  const order = file.text(0, 2)
  if (order !== 'II' && order !== 'MM') return notA('TIFF')
  const isLittle = order === 'II'
  const isBig = (isLittle ? file.head.readUInt16LE(2) : file.head.readUInt16BE(2)) === 43
  const start = isBig
    ? Number(isLittle ? file.head.readBigUInt64LE(8) : file.head.readBigUInt64BE(8))
    : isLittle
      ? file.head.readUInt32LE(4)
      : file.head.readUInt32BE(4)
  const [countBytes, entryBytes] = isBig ? [8, 20] : [2, 12]
  const header = file.read(start, countBytes)
  if (start < 8 || header.length < countBytes) return INCOMPLETE
  const count = isLittle ? header.readUInt16LE(0) : header.readUInt16BE(countBytes - 2)
  return start + countBytes + count * entryBytes <= file.size ? undefined : INCOMPLETE
}

/** The header states the file size, and the offset of the pixels. */
const bmp: StructureCheck = (file) => {
  if (file.text(0, 2) !== 'BM') return notA('BMP')
  return file.head.readUInt32LE(2) <= file.size && file.head.readUInt32LE(10) < file.size ? undefined : INCOMPLETE
}

/** A directory of images with their offsets and sizes. */
const icon: StructureCheck = (file) => {
  const count = file.head.readUInt16LE(4)
  if (file.head.readUInt16LE(0) !== 0 || count === 0) return notA('ICO')
  const directory = file.read(6, count * 16)
  for (let entry = 0; entry + 16 <= directory.length; entry += 16)
    if (directory.readUInt32LE(entry + 8) + directory.readUInt32LE(entry + 12) > file.size) return INCOMPLETE
  return directory.length === count * 16 ? undefined : INCOMPLETE
}

/** QOI ends with seven zeros and a one. */
const qoi: StructureCheck = (file) => {
  if (file.text(0, 4) !== 'qoif') return notA('QOI')
  return file.tail.toString('hex').endsWith('0000000000000001') ? undefined : INCOMPLETE
}

const svg: StructureCheck = (file) => {
  // Compressed: the decompressing program checks it.
  if (file.text(0, 2) === '\x1f\x8b') return undefined
  // A comment may follow the element.
  return /(?:<\/(?:[\w.-]+:)?svg\s*|\/|--)>\s*$/.test(file.tail.toString('latin1')) ? undefined : INCOMPLETE
}

export const PICTURE_CHECKS: Readonly<Record<string, StructureCheck>> = {
  ...{ jpg: jpeg, png, apng: png, gif, tiff, bmp, ico: icon, cur: icon, qoi, svg },
}
