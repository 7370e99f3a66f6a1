import { damaged } from './failures.ts'

export interface JpegHeader {
  width: number
  height: number
  channels: number
  /** Bits per sample, 8 or 12. */
  bits: number
  isProgressive: boolean
  /** Whether the file has the application marker 14 of Adobe, which means inverted inks in CMYK files. */
  hasAdobeMarker: boolean
}

const END_OF_IMAGE = 0xd9
const START_OF_SCAN = 0xda
const APPLICATION_14 = 0xee

/** Frame headers are C0 to CF, but for C4 (Huffman tables), C8 (reserved) and CC (arithmetic tables). */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

/**
 * The few facts of a JPEG header that a file wrapping it must know, without decoding (ITU T.81, annex B).
 * @throws INVALID_FILE when there is no frame header
 */
export function inspectJpeg(bytes: Uint8Array): JpegHeader {
  let hasAdobeMarker = false
  const word = (at: number): number => (bytes[at]! << 8) | bytes[at + 1]!
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) throw damaged('The file is not a JPEG picture')
  for (let at = 2; at + 10 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1]!
    // Any number of FF may stand before a marker.
    if (marker === 0xff) {
      at++
      continue
    }
    if (marker === END_OF_IMAGE || marker === START_OF_SCAN) break
    if (marker === APPLICATION_14 && Buffer.from(bytes.subarray(at + 4, at + 9)).toString('latin1') === 'Adobe') {
      hasAdobeMarker = true
    }
    if (isFrame(marker)) {
      const [bits, height, width] = [bytes[at + 4]!, word(at + 5), word(at + 7)]
      return { width, height, channels: bytes[at + 9]!, bits, isProgressive: (marker & 3) === 2, hasAdobeMarker }
    }
    at += 2 + word(at + 2)
  }
  throw damaged('The JPEG picture has no frame header')
}
