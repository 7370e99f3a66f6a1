import { lastOf } from '../../../lists.ts'
import { isNamed, jpegSegments } from '../../codecs/jpeg/jpeg-segments.ts'

const APPLICATION_1 = 0xe1
const APPLICATION_2 = 0xe2

const XMP = 'http://ns.adobe.com/xap/1.0/\0'

/** The index of further images (CIPA DC-007), and the newer location of gain map parameters (ISO 21496-1, annex C). */
const INDEXES = ['MPF\0', 'urn:iso:std:iso:ts:21496:-1\0']

/**
 * Gain map data in an XMP packet: its parameters, and its position in the file (Adobe, Gain Map 1.0; Android, Ultra HDR
 * 1.1).
 */
const SAYINGS = [
  /\s(?:hdrgm|HDRGainMap|apdi|hdrgainmap):\w+="[^"]*"/g,
  /<hdrgm:(\w+)\b[^>]*>[\s\S]*?<\/hdrgm:\1>/g,
  /<(?:Container|GContainer):Directory\b[^>]*>[\s\S]*?<\/(?:Container|GContainer):Directory>/g,
]

function blankSayings(packet: Buffer): void {
  const text = packet.toString('latin1')
  for (const saying of SAYINGS)
    for (const { index, 0: whole } of text.matchAll(saying)) packet.fill(0x20, index, index + whole.length)
}

/**
 * Removes the gain map from a JPEG: a small second image that brightens areas on HDR screens. It only matches the
 * original pixels, and libvips reads a file with a gain map without its XMP. The first image and everything else is
 * kept.
 */
export function withoutGainMap(jpeg: Buffer): Buffer {
  const segments = jpegSegments(jpeg)
  if (!segments) return jpeg
  const parts: Buffer[] = [jpeg.subarray(0, 2)]
  for (const segment of segments) {
    const { marker, at, end } = segment
    if (marker === APPLICATION_2 && INDEXES.some((name) => isNamed(jpeg, segment, name))) continue
    const part = Buffer.from(jpeg.subarray(at, end))
    if (marker === APPLICATION_1 && isNamed(jpeg, segment, XMP)) blankSayings(part.subarray(4 + XMP.length))
    parts.push(part)
  }
  parts.push(jpeg.subarray(lastOf(segments).end))
  return Buffer.concat(parts)
}

/**
 * Box types and names in the `meta` box of a HEIF file that indicate a gain map: Apple's, and that of ISO 21496-1, 4.2.
 */
const HEIF_GAIN_MAPS = ['urn:com:apple:photo:2020:aux:hdrgainmap', 'tmap']

/** Whether a HEIF file has a gain map. */
export function hasHeifGainMap(heif: Buffer): boolean {
  for (let at = 0; at + 8 <= heif.length; ) {
    const size = heif.readUInt32BE(at)
    if (heif.toString('latin1', at + 4, at + 8) === 'meta') {
      const meta = heif.subarray(at, at + size)
      return HEIF_GAIN_MAPS.some((name) => meta.includes(name, 0, 'latin1'))
    }
    // Boxes of 64 bit, and the last one, hold image data; the boxes that describe it come before.
    if (size < 8) return false
    at += size
  }
  return false
}
