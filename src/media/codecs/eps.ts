import { deflateSync } from 'node:zlib'
import { damaged } from './failures.ts'
import { inspectJpeg } from './jpeg/jpeg-header.ts'

export interface EpsPicture {
  width: number
  height: number
  /** 1 grey, 3 RGB, 4 CMYK (0 = no ink). EPS knows no alpha: lay it over a colour first. */
  channels: 1 | 3 | 4
  /** Dots per inch: with the size in pixels it gives the size on paper. 72 when absent. */
  density?: number
  /** A JPEG file, which is stored as it is; its header must agree with the three figures above. */
  jpeg?: Uint8Array
  /** Or the pixels: 8 bits, interleaved, from the top left. */
  pixels?: Uint8Array
}

const LINE = 76

/**
 * ASCII base-85 (PostScript Language Reference, 3.13.3) in lines, closed by ~>. A line that would begin with % gets a
 * blank before it (which the filter skips), so that nobody takes it for a comment of the document structure.
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
  // The two characters of the end mark may not be parted by a line end.
  text.set([0x7e, 0x3e, 10], target)
  return text.subarray(0, target + 3)
}

const COLOUR_SPACES = { 1: '/DeviceGray', 3: '/DeviceRGB', 4: '/DeviceCMYK' } as const

/** A number for PostScript: at most four decimals, no exponent. */
function decimal(value: number): string {
  return String(Number(value.toFixed(4)))
}

/**
 * An EPS file (EPSF-3.0) with one picture: a JPEG file as it is (DCTDecode), or pixels with lossless compression
 * (FlateDecode), in base 85, so that the file is plain text. The bounding box is the size on paper in points, rounded
 * up; the picture itself keeps its exact size.
 * @throws INVALID_FILE when the JPEG is damaged, has 12 bits, or disagrees with the stated size
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
  // Programs of Adobe's line store the inks of a CMYK JPEG inverted; the Adobe marker tells.
  const range = channels === 4 && header?.hasAdobeMarker ? '1 0' : '0 1'
  const filter = jpeg ? '/DCTDecode' : '/FlateDecode'
  // Level 2 knows neither Flate nor progressive JPEG.
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
