import { hasMark } from './signatures.ts'

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function latin(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.subarray(start, end)).toString('latin1')
}

/** RIFF (WAVE also as RF64 and BW64) and IFF files by their form type. */
export function sniffRiff(head: Uint8Array): string | undefined {
  const form = latin(head, 8, 12)
  if (hasMark(head, 'RIFF')) return { WEBP: 'webp', WAVE: 'wav', 'AVI ': 'avi' }[form]
  if (hasMark(head, 'RF64') || hasMark(head, 'BW64')) return form === 'WAVE' ? 'wav' : undefined
  if (hasMark(head, 'FORM')) return form === 'AIFF' || form === 'AIFC' ? 'aiff' : undefined
  return undefined
}

const AVIF_BRANDS = new Set(['avif', 'avis'])
const HEIC_BRANDS = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs'])
const STILL_BRANDS = new Set(['mif1', 'mif2', 'msf1', 'miaf'])
const MEDIA_BRANDS: [pattern: RegExp, id: string][] = [
  [/^qt {2}$/, 'mov'],
  [/^M4[AB] $/, 'm4a'],
  [/^M4V/, 'm4v'],
  [/^3g/, '3gp'],
  [/^crx $/, 'cr3'],
]
/** File names that may decide the type of an ISO media file with a generic major brand. */
const GENERAL_NAMES = new Set(['m4a', 'm4v', 'mov', '3gp'])

/** ISO base media files (MP4, QuickTime, HEIF) by the major brand of `ftyp`, then the compatible ones. */
export function sniffIsoMedia(head: Uint8Array, claimed: string | undefined): string | undefined {
  if (head.length < 12) return undefined
  const box = latin(head, 4, 8)
  const size = viewOf(head).getUint32(0)
  // A segment of a stream, which needs its initialisation.
  if (box === 'styp') return 'm4s'
  if (box !== 'ftyp') {
    // QuickTime files older than `ftyp` start with one of these atoms.
    return (['moov', 'wide', 'pnot'].includes(box) && size >= 8) || (box === 'mdat' && (size === 1 || size >= 8))
      ? 'mov'
      : undefined
  }
  const major = latin(head, 8, 12)
  const brands = [major]
  for (let offset = 16; offset + 4 <= Math.min(size, head.length, 1024); offset += 4) {
    brands.push(latin(head, offset, offset + 4))
  }
  if (AVIF_BRANDS.has(major)) return 'avif'
  if (HEIC_BRANDS.has(major)) return 'heic'
  if (STILL_BRANDS.has(major)) {
    if (brands.some((brand) => AVIF_BRANDS.has(brand))) return 'avif'
    return brands.some((brand) => HEIC_BRANDS.has(brand)) ? 'heic' : 'heif'
  }
  for (const [pattern, id] of MEDIA_BRANDS) if (pattern.test(major)) return id
  return claimed && GENERAL_NAMES.has(claimed) ? claimed : 'mp4'
}

/** Matroska and WebM: the DocType element (0x4282) of the EBML header. */
export function sniffMatroska(head: Uint8Array): string | undefined {
  if (!hasMark(head, '\x1a\x45\xdf\xa3')) return undefined
  const header = latin(head, 4, 128)
  const at = header.indexOf('\x42\x82')
  return at >= 0 && header.startsWith('webm', at + 3) ? 'webm' : 'mkv'
}

/** Ogg by the codec of its first packets: video when any stream is Theora, Opus when the first one is. */
export function sniffOgg(head: Uint8Array): string | undefined {
  if (!hasMark(head, 'OggS')) return undefined
  const start = latin(head, 0, 4096)
  if (start.includes('\x80theora') || start.includes('\x01video\0')) return 'ogv'
  return start.indexOf('OpusHead') > 0 && !start.includes('\x01vorbis') ? 'opus' : 'ogg'
}

const ASF_HEADER = Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex')
/** The stream type `ASF_Video_Media` in file byte order. */
const ASF_VIDEO = Buffer.from('c0ef19bc4d5bcf11a8fd00805f5c442b', 'hex')

/** Windows media: video when the header declares a video stream. */
export function sniffAsf(head: Uint8Array): string | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength)
  if (!bytes.subarray(0, 16).equals(ASF_HEADER)) return undefined
  return bytes.includes(ASF_VIDEO) ? 'wmv' : 'wma'
}

/** MPEG transport streams: sync bytes 188 apart, or 192 apart after a 4-byte timestamp (Blu-ray, AVCHD). */
export function sniffTransportStream(head: Uint8Array, claimed: string | undefined): string | undefined {
  const synced = (first: number, step: number): boolean => {
    const seen = Math.min(5, Math.floor((head.length - first) / step))
    for (let index = 0; index < seen; index++) if (head[first + index * step] !== 0x47) return false
    return seen >= 3
  }
  const plain = synced(0, 188)
  if (!plain && !synced(4, 192)) return undefined
  // The same bytes have three possible extensions; if the name has none of them, the packet length suggests the usual
  // one.
  return claimed && ['ts', 'mts', 'm2ts'].includes(claimed) ? claimed : plain ? 'ts' : 'm2ts'
}
