import { type FileView, INCOMPLETE, notA, type StructureCheck } from './file-view.ts'

/** More top-level boxes than any file written here; a fragmented video of ten hours has about 20,000. */
const MOST_BOXES = 200_000

interface TopLevelBox {
  type: string
  /** Byte offsets. */
  start: number
  end: number
}

/** The top-level boxes (ISO/IEC 14496-12, 4.2); undefined if they do not end at the end of the file. */
export function topLevelBoxes(file: FileView): TopLevelBox[] | undefined {
  const found: TopLevelBox[] = []
  let at = 0
  for (let count = 0; at < file.size; count++) {
    const header = file.read(at, 16)
    if (header.length < 8 || count > MOST_BOXES) return undefined
    let size = header.readUInt32BE(0)
    if (size === 1 && header.length === 16) size = Number(header.readBigUInt64BE(8))
    // A size of 0 extends to the end of the file.
    else if (size === 0) size = file.size - at
    if (size < 8) return undefined
    found.push({ type: header.toString('latin1', 4, 8), start: at, end: at + size })
    at += size
  }
  return at === file.size ? found : undefined
}

const boxes =
  (format: string, index: string, starts: readonly string[]): StructureCheck =>
  (file) => {
    if (!starts.includes(file.text(4, 4))) return notA(format)
    const found = topLevelBoxes(file)
    if (!found) return INCOMPLETE
    if (!found.some(({ type }) => type === index)) return `has no index (${index}), so that no player can open it`
    return undefined
  }

/** MP4, MOV, M4A and 3GP: the `moov` box, which is written last, is required for playback. */
export const movie = boxes('MP4', 'moov', ['ftyp', 'moov', 'mdat', 'free', 'skip', 'wide'])
/** AVIF and HEIC: images are located through the `meta` box. Image sequences also have a `moov` box. */
export const heif = boxes('HEIF', 'meta', ['ftyp'])
const jp2Boxes = boxes('JPEG 2000', 'jp2c', ['jP  '])
const jxlBoxes: StructureCheck = (file) => (topLevelBoxes(file) ? undefined : INCOMPLETE)

/** Boxes around a code stream, or a bare code stream, which ends with the EOC marker (ISO/IEC 15444-1, A.4.4). */
export const jpeg2000: StructureCheck = (file) => {
  if (file.text(0, 4) !== '\xff\x4f\xff\x51') return jp2Boxes(file)
  return file.tail.toString('latin1').endsWith('\xff\xd9') ? undefined : INCOMPLETE
}

/** A bare code stream has no end marker to check (ISO/IEC 18181-2). */
export const jpegXl: StructureCheck = (file) => {
  if (file.text(0, 2) === '\xff\x0a') return undefined
  return file.text(4, 4) === 'JXL ' ? jxlBoxes(file) : notA('JPEG XL')
}
