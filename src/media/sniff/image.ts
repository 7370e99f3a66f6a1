import { hasMark } from './signatures.ts'

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** `png`, or `apng` if an animation control chunk (acTL) precedes the first image data, as APNG requires. */
export function sniffPng(head: Uint8Array): string | undefined {
  if (!hasMark(head, '\x89PNG\r\n\x1a\n')) return undefined
  const view = viewOf(head)
  for (let offset = 8; offset + 8 <= head.length; offset += 12 + view.getUint32(offset)) {
    if (hasMark(head, 'acTL', offset + 4)) return 'apng'
    if (hasMark(head, 'IDAT', offset + 4)) break
  }
  return 'png'
}

/** Valid sizes of a BMP information header: OS/2 1 and 2, then Windows 3, V2, V3, V4, V5. */
const BMP_HEADERS = new Set([12, 16, 64, 40, 52, 56, 108, 124])

/** A bitmap without a file header (DIB): a header of 40 bytes with one plane, and a possible depth and compression. */
function isDib(head: Uint8Array): boolean {
  if (head.length < 40) return false
  const view = viewOf(head)
  const isInfoHeader = view.getUint32(0, true) === 40 && view.getUint16(12, true) === 1
  const [depth, compression] = [view.getUint16(14, true), view.getUint32(16, true)]
  const hasSize = view.getInt32(4, true) > 0 && view.getInt32(8, true) !== 0
  return isInfoHeader && hasSize && [1, 4, 8, 16, 24, 32].includes(depth) && compression <= 3
}

/** 'BM' may also start ordinary text, so the size of the next header must be a known one. */
export function sniffBmp(head: Uint8Array): string | undefined {
  if (isDib(head)) return 'bmp'
  if (!hasMark(head, 'BM') || head.length < 18) return undefined
  return BMP_HEADERS.has(viewOf(head).getUint32(14, true)) ? 'bmp' : undefined
}

/** Icons and cursors: an image count, and a first directory entry that points after the directory. */
export function sniffIcon(head: Uint8Array): string | undefined {
  if (head.length < 22 || head[0] !== 0 || head[1] !== 0 || head[3] !== 0) return undefined
  const view = viewOf(head)
  const count = view.getUint16(4, true)
  if (count === 0 || view.getUint32(14, true) === 0 || view.getUint32(18, true) < 6 + 16 * count) return undefined
  // Reserved; some programs write 255 instead of 0.
  if (head[9] !== 0 && head[9] !== 255) return undefined
  return head[2] === 1 ? 'ico' : head[2] === 2 ? 'cur' : undefined
}

/** Netpbm: a letter P, the variant, then two numbers, with comments before them. */
export function sniffNetpbm(head: Uint8Array): string | undefined {
  if (head[0] !== 0x50 || head.length < 7) return undefined
  const start = Buffer.from(head.subarray(0, 1024)).toString('latin1')
  if (/^P7\n(#|WIDTH|HEIGHT|DEPTH|MAXVAL|TUPLTYPE)/.test(start)) return 'pam'
  const variant = /^P([1-6])\s(?:\s*#[^\n]*\n)*\s*\d+\s+\d+\s/.exec(start)?.[1]
  return variant ? { '1': 'pbm', '4': 'pbm', '2': 'pgm', '5': 'pgm', '3': 'ppm', '6': 'ppm' }[variant] : undefined
}

/** PCX: a one-byte signature, then values that must be consistent. */
export function sniffPcx(head: Uint8Array): string | undefined {
  if (head.length < 128 || head[0] !== 0x0a || head[64] !== 0) return undefined
  const view = viewOf(head)
  const isKnown = [0, 2, 3, 4, 5].includes(head[1]!) && head[2]! <= 1 && [1, 2, 4, 8].includes(head[3]!)
  const [planes, stride] = [head[65]!, view.getUint16(66, true)]
  const across = view.getUint16(8, true) - view.getUint16(4, true)
  const fits = across >= 0 && view.getUint16(10, true) >= view.getUint16(6, true) && stride * 8 >= across * head[3]!
  return isKnown && fits && planes >= 1 && planes <= 4 ? 'pcx' : undefined
}

/** SGI: a two-byte signature, then small numbers. */
export function sniffSgi(head: Uint8Array): string | undefined {
  if (head.length < 12 || head[0] !== 0x01 || head[1] !== 0xda) return undefined
  const isKnown = head[2]! <= 1 && (head[3] === 1 || head[3] === 2) && head[4] === 0
  return isKnown && head[5]! >= 1 && head[5]! <= 3 ? 'sgi' : undefined
}

const COMMENTS = String.raw`\s*(?:\/\*[^*]*(?:\*(?!\/)[^*]*)*\*\/\s*)*`
const X_BITMAP = new RegExp(
  `^${COMMENTS}#define\\s+\\w*width\\s+\\d+\\s+#define\\s+\\w*height\\s+\\d+\\s[\\s\\S]{0,400}?\\bstatic\\s+(?:const\\s+)?(?:unsigned\\s+)?(?:char|short)\\s+\\w*\\s*\\[`,
)

/** Images stored as C source code, and float maps. */
export function sniffWritten(head: Uint8Array): string | undefined {
  const start = Buffer.from(head.subarray(0, 2048)).toString('latin1')
  if (/^P[Ff]\n(?:#[^\n]*\n)*\d+\s+\d+\s+[-+]?\d*\.?\d+(?:[eE][-+]?\d+)?\n/.test(start)) return 'pfm'
  if (/^\s*\/\*\s*XPM\s*\*\//.test(start)) return 'xpm'
  return X_BITMAP.test(start) ? 'xbm' : undefined
}

/** The last 18 bytes of a TGA version 2 file. */
export const TGA_FOOTER = 'TRUEVISION-XFILE.\0'

/**
 * Whether the first 18 bytes can be a TGA header. TGA has no signature at its start, so random bytes may match: the
 * caller must require further evidence (the file name, or the version 2 footer).
 */
export function plausibleTga(head: Uint8Array): boolean {
  if (head.length < 18) return false
  const [, mapType, imageType] = head
  const mapDepth = head[7]!
  const bits = head[16]!
  const mapped = imageType === 1 || imageType === 9
  const grey = imageType === 3 || imageType === 11
  if (!mapped && !grey && imageType !== 2 && imageType !== 10) return false
  if (mapType! > 1 || (mapped && mapType !== 1)) return false
  if (mapType === 1 && ![15, 16, 24, 32].includes(mapDepth)) return false
  if (!(mapped || grey ? [8, 16] : [15, 16, 24, 32]).includes(bits)) return false
  const view = viewOf(head)
  return view.getUint16(12, true) > 0 && view.getUint16(14, true) > 0
}

/** Values of the tags in the first TIFF directory that distinguish camera raw from ordinary images. */
interface TiffMarks {
  make: string
  dng: boolean
  reduced: boolean
  colourFilter: boolean
}

function readTiffMarks(head: Uint8Array): TiffMarks | undefined {
  const little = head[0] === 0x49
  const view = viewOf(head)
  if (head.length < 8) return undefined
  const directory = view.getUint32(4, little)
  if (directory + 2 > head.length) return undefined
  const marks: TiffMarks = { make: '', dng: false, reduced: false, colourFilter: false }
  const count = view.getUint16(directory, little)
  for (let entry = directory + 2; entry < directory + 2 + count * 12 && entry + 12 <= head.length; entry += 12) {
    const tag = view.getUint16(entry, little)
    // A SHORT value is in the first two bytes of the value field, a LONG value fills it.
    const value = view.getUint16(entry + 2, little) === 3 ? view.getUint16(entry + 8, little) : 0
    const long = value || view.getUint32(entry + 8, little)
    if (tag === 254) marks.reduced = (long & 1) === 1
    if (tag === 262) marks.colourFilter = value === 32803
    if (tag === 50706) marks.dng = true
    if (tag === 271) {
      const length = view.getUint32(entry + 4, little)
      const at = length > 4 ? long : entry + 8
      marks.make = Buffer.from(head.subarray(at, at + Math.min(length, 64))).toString('latin1')
    }
  }
  return marks
}

const RAW_MAKERS: [pattern: RegExp, id: string][] = [
  [/^NIKON/i, 'nef'],
  [/^SONY/i, 'arw'],
  [/^(PENTAX|RICOH)/i, 'pef'],
]

/**
 * TIFF and the camera formats based on it. DNG and CR2 have their own signatures; NEF, ARW and PEF are detected from
 * the maker together with a sign of raw data: the first directory is a reduced preview or a colour filter array, or the
 * file extension matches. A finished TIFF exported from the same camera has none of the three.
 */
export function sniffTiff(head: Uint8Array, claimed: string | undefined): string | undefined {
  const classic = hasMark(head, 'II*\0') || hasMark(head, 'MM\0*')
  if (!classic) return hasMark(head, 'II+\0\x08\0\0\0') || hasMark(head, 'MM\0+\0\x08\0\0') ? 'tiff' : undefined
  if (hasMark(head, 'CR\x02', 8)) return 'cr2'
  const marks = readTiffMarks(head)
  // The directory may be at the end of a large file, outside the bytes read: then only the name is available.
  if (!marks) return claimed && ['dng', 'nef', 'arw', 'pef'].includes(claimed) ? claimed : 'tiff'
  if (marks.dng) return 'dng'
  for (const [pattern, id] of RAW_MAKERS) {
    if (pattern.test(marks.make) && (marks.reduced || marks.colourFilter || claimed === id)) return id
  }
  return 'tiff'
}
