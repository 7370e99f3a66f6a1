import { damaged } from '../failures.ts'

export interface JpegHeader {
  width: number
  height: number
  channels: number
  /** Bits per sample, 8 or 12. */
  bits: number
  isProgressive: boolean
  /** Whether the file has Adobe's APP14 marker, which means inverted inks in CMYK files. */
  hasAdobeMarker: boolean
  /** Colour transform in Adobe's marker: 0 none, 1 YCbCr, 2 YCCK (Adobe technical note 5116). */
  adobeTransform: number | undefined
  /** The marker of the frame header, C0 to CF: C0 baseline, C1 extended, C2 progressive (ITU T.81, table B.1). */
  frame: number
  /** Whether the component IDs are R, G and B, which means that the data is RGB. */
  isNamedRgb: boolean
  /** Whether the file is JFIF, whose colours are YCbCr. */
  isJfif: boolean
}

const END_OF_IMAGE = 0xd9
const START_OF_SCAN = 0xda
const APPLICATION_0 = 0xe0
const APPLICATION_14 = 0xee

/** Frame headers are C0 to CF, except C4 (Huffman tables), C8 (reserved) and CC (arithmetic tables). */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

/**
 * Reads the JPEG header fields required by a file that embeds the JPEG, without decoding (ITU T.81, annex B).
 * @throws INVALID_FILE when there is no frame header
 */
export function inspectJpeg(bytes: Uint8Array): JpegHeader {
  let adobeTransform: number | undefined
  let isJfif = false
  const word = (at: number): number => (bytes[at]! << 8) | bytes[at + 1]!
  const latin = (at: number, length: number): string => Buffer.from(bytes.subarray(at, at + length)).toString('latin1')
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) throw damaged('The file is not a JPEG picture')
  for (let at = 2; at + 10 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1]!
    // Any number of FF fill bytes may precede a marker.
    if (marker === 0xff) {
      at++
      continue
    }
    if (marker === END_OF_IMAGE || marker === START_OF_SCAN) break
    if (marker === APPLICATION_14 && latin(at + 4, 5) === 'Adobe') adobeTransform = bytes[at + 15] ?? 0
    if (marker === APPLICATION_0 && latin(at + 4, 5) === 'JFIF\0') isJfif = true
    if (isFrame(marker)) {
      const [bits, height, width, channels] = [bytes[at + 4]!, word(at + 5), word(at + 7), bytes[at + 9]!]
      const names = Array.from({ length: channels }, (_, index) => latin(at + 10 + index * 3, 1)).join('')
      return {
        ...{ width, height, channels, bits, isProgressive: (marker & 3) === 2, frame: marker, isJfif },
        ...{ hasAdobeMarker: adobeTransform !== undefined, adobeTransform, isNamedRgb: names === 'RGB' },
      }
    }
    at += 2 + word(at + 2)
  }
  throw damaged('The JPEG picture has no frame header')
}
