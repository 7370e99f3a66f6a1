import { deflateSync } from 'node:zlib'
import { damaged } from './failures.ts'
import { inspectJpeg } from './jpeg/jpeg-header.ts'

export interface EpsPicture {
  width: number
  height: number
  /** 1 grey, 3 RGB, 4 CMYK (0 = no ink). EPS does not support alpha: flatten it onto a colour first. */
  channels: 1 | 3 | 4
  /** Dots per inch: determines the print size from the size in pixels. 72 when absent. */
  density?: number
  /** A JPEG file, embedded unchanged; its header must match the three values above. */
  jpeg?: Uint8Array
  /** Alternatively the pixels: 8 bits, interleaved, from the top left. */
  pixels?: Uint8Array
}

const LINE = 76

/**
 * ASCII base-85 (PostScript Language Reference, 3.13.3) in lines, terminated by ~>. A line that would start with % gets
 * a leading space (which the filter skips), so that it is not parsed as a comment of the document structure.
 */
export function encodeAscii85(bytes: Uint8Array): Uint8Array {
  const most = Math.ceil(bytes.length / 4) * 5
  const text = new Uint8Array(most + 2 * Math.ceil(most / LINE) + 4)
  let [target, column] = [0, 0]
  const put = (character: number): void => {
    if (column === 0 && character === 0x25) text[target++] = 0x20
    text[target++] = character
    if (++column === LINE) {
      text[target++] = 10
      column = 0
    }
  }
  const digits = [0, 0, 0, 0, 0]
  for (let at = 0; at < bytes.length; at += 4) {
    const count = Math.min(4, bytes.length - at)
    let value = 0
    for (let index = 0; index < 4; index++) value = value * 256 + (index < count ? bytes[at + index]! : 0)
    if (value === 0 && count === 4) {
      put(0x7a)
      continue
    }
    for (let index = 4; index >= 0; index--) {
      digits[index] = value % 85
      value = Math.floor(value / 85)
    }
    for (let index = 0; index <= count; index++) put(digits[index]! + 33)
  }
  // The two characters of the end marker must not be separated by a line break.
  text.set([0x7e, 0x3e, 10], target)
  return text.subarray(0, target + 3)
}

const COLOUR_SPACES = { 1: '/DeviceGray', 3: '/DeviceRGB', 4: '/DeviceCMYK' } as const

/** Formats a number for PostScript: at most four decimals, no exponent. */
function decimal(value: number): string {
  return String(Number(value.toFixed(4)))
}

/**
 * Encodes an EPS file (EPSF-3.0) with one image: a JPEG file unchanged (DCTDecode), or pixels with lossless compression
 * (FlateDecode), in base 85, so that the file is plain text. The bounding box is the print size in points, rounded up;
 * the image itself keeps its exact size.
 * @throws INVALID_FILE when the JPEG is damaged, has 12 bits, or does not match the stated size
 */
export function encodeEps({ width, height, channels, density = 72, jpeg, pixels }: EpsPicture): Uint8Array {
  const [paperWidth, paperHeight] = [(width * 72) / density, (height * 72) / density]
  const header = jpeg ? inspectJpeg(jpeg) : undefined
  if (header && (header.width !== width || header.height !== height || header.channels !== channels)) {
    const found = `${header.width} × ${header.height} pixels of ${header.channels} channels`
    throw damaged(`The JPEG holds ${found} in place of ${width} × ${height} of ${channels}`)
  }
  if (header && header.bits !== 8) throw damaged(`The JPEG has ${header.bits} bits per sample; EPS takes 8`)
  const samples = width * height * channels
  if (!jpeg && pixels?.length !== samples) {
    throw damaged(`The picture has ${pixels?.length ?? 0} samples in place of ${samples}`)
  }
  // Adobe programs store the inks of a CMYK JPEG inverted, which the Adobe marker indicates.
  const range = channels === 4 && header?.hasAdobeMarker ? '1 0' : '0 1'
  const filter = jpeg ? '/DCTDecode' : '/FlateDecode'
  // Level 2 supports neither Flate nor progressive JPEG.
  const level = header && !header.isProgressive ? 2 : 3
  const start = `%!PS-Adobe-3.0 EPSF-3.0
%%Creator: mediaproc
%%BoundingBox: 0 0 ${Math.ceil(paperWidth - 1e-6)} ${Math.ceil(paperHeight - 1e-6)}
%%HiResBoundingBox: 0 0 ${decimal(paperWidth)} ${decimal(paperHeight)}
%%LanguageLevel: ${level}
%%DocumentData: Clean7Bit
%%EndComments
%%BeginProlog
%%EndProlog
%%Page: 1 1
gsave
${decimal(paperWidth)} ${decimal(paperHeight)} scale
${COLOUR_SPACES[channels]} setcolorspace
<< /ImageType 1 /Width ${width} /Height ${height} /BitsPerComponent 8
/Decode [${Array(channels).fill(range).join(' ')}]
/ImageMatrix [${width} 0 0 ${-height} 0 ${height}]
/DataSource currentfile /ASCII85Decode filter ${filter} filter >>
image
`
  const data = encodeAscii85(jpeg ?? deflateSync(pixels ?? new Uint8Array()))
  return Buffer.concat([Buffer.from(start, 'latin1'), data, Buffer.from('grestore\nshowpage\n%%EOF\n', 'latin1')])
}
