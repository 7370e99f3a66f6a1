/** X bitmaps: C source with one bit for each pixel. Encoding dithers; black and white stay as they are. */
import { defineFormat, type FormatPicture } from 'mediaproc/tool'
import { textWithoutComments } from './c-source.ts'
import { damaged, luma } from './reader.ts'

const HEAD_BYTES = 4096
/** The start of the array. Spaces are limited, so that no text makes the search slow. */
const OPENING = /\b(char|short)\s{1,20}[^\s[]{0,200}\s{0,20}\[\s{0,20}\d{0,9}\s{0,20}\]\s{0,20}=\s{0,20}\{/

/** The width and height that are defined, before the array. */
function sizeOf(bytes: Uint8Array): { width: number; height: number } {
  const head = textWithoutComments(bytes.subarray(0, HEAD_BYTES))
  const [width, height] = ['width', 'height'].map((name) =>
    Number(new RegExp(`#define\\s+\\S*${name}\\s+(\\d{1,6})\\b`).exec(head)?.[1] ?? 0),
  )
  if (!width || !height) throw damaged('The X bitmap has no width and height')
  return { width, height }
}

function decode(bytes: Uint8Array): FormatPicture {
  const { width, height } = sizeOf(bytes)
  const source = textWithoutComments(bytes)
  const [opening, type] = OPENING.exec(source) ?? []
  if (opening === undefined) throw damaged('The X bitmap has no array of bits')
  const bits = type === 'short' ? 16 : 8
  const stride = Math.ceil(width / bits)
  const numbers = source
    .slice(source.indexOf(opening) + opening.length)
    .matchAll(/0[xX]([\da-fA-F]{1,4})|(\d{1,5})|\}/g)
  const pixels = new Uint8Array(width * height).fill(255)
  for (let y = 0; y < height; y += 1)
    for (let unit = 0; unit < stride; unit += 1) {
      const [text = '}', hex, decimal] = numbers.next().value ?? []
      if (text === '}') throw damaged('The X bitmap is cut off')
      const value = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
      const most = Math.min(bits, width - unit * bits)
      for (let bit = 0; bit < most; bit += 1) if ((value >> bit) & 1) pixels[y * width + unit * bits + bit] = 0
    }
  return { width, height, channels: 1, bitDepth: 8, pixels }
}

/** Grey values 0 to 255, which Floyd-Steinberg dithering makes black or white. */
function dithered({ width, height, channels, pixels }: FormatPicture): Uint8Array {
  const grey = new Float32Array(width * height)
  for (let at = 0, from = 0; at < grey.length; at += 1, from += channels)
    grey[at] =
      channels < 3 ? (pixels[from] ?? 0) : luma(pixels[from] ?? 0, pixels[from + 1] ?? 0, pixels[from + 2] ?? 0)
  const isBlack = new Uint8Array(grey.length)
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const at = y * width + x
      const value = grey[at] ?? 0
      isBlack[at] = value < 127.5 ? 1 : 0
      const error = (value - (value < 127.5 ? 0 : 255)) / 16
      const spread = (next: number, share: number) => {
        grey[next] = (grey[next] ?? 0) + error * share
      }
      if (x + 1 < width) spread(at + 1, 7)
      if (y + 1 === height) continue
      if (x > 0) spread(at + width - 1, 3)
      spread(at + width, 5)
      if (x + 1 < width) spread(at + width + 1, 1)
    }
  return isBlack
}

function encode(picture: FormatPicture): Uint8Array {
  const { width, height } = picture
  const isBlack = dithered(picture)
  const lines = [
    `#define image_width ${width}`,
    `#define image_height ${height}`,
    'static unsigned char image_bits[] = {',
  ]
  for (let y = 0; y < height; y += 1) {
    const row: string[] = []
    for (let x = 0; x < width; x += 8) {
      let byte = 0
      for (let bit = 0; bit < 8 && x + bit < width; bit += 1) byte |= (isBlack[y * width + x + bit] ?? 0) << bit
      row.push(`0x${byte.toString(16).padStart(2, '0')}`)
    }
    lines.push(`  ${row.join(', ')}${y + 1 < height ? ',' : ' };'}`)
  }
  return Buffer.from(`${lines.join('\n')}\n`, 'latin1')
}

export const xbm = defineFormat({
  id: 'xbm',
  extensions: ['xbm'],
  mediaType: 'image/x-xbitmap',
  detect: (head) => /^\s*#define\s+\S*width\s+\d/.test(textWithoutComments(head.subarray(0, HEAD_BYTES))),
  size: sizeOf,
  decode,
  encode,
  holds: { grey: true, maxSide: 999_999 },
})
