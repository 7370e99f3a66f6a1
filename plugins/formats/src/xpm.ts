/** X pixmaps (XPM 3): C source with characters as pixels. */
import { defineFormat, type FormatPicture } from 'mediaproc/tool'
import { stringsOf, textOf } from './c-source.ts'
import { damaged } from './reader.ts'
import { colourOf } from './xpm-colours.ts'

/** A limit for the colour table: larger ones take longer than their pictures are worth. */
const MAX_COLOURS = 2 ** 20
/** Printable characters that need no escape in C, without `?`, which could start a trigraph. */
const LETTERS = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).filter(
  (letter) => !'"\\?'.includes(letter),
)

function valuesOf(text: string | undefined): { width: number; height: number; colours: number; letters: number } {
  const [width = 0, height = 0, colours = 0, letters = 0] = (text ?? '').trim().split(/\s+/).map(Number)
  const areRight = [width, height, colours, letters].every((value) => Number.isSafeInteger(value) && value > 0)
  if (!areRight || letters > 8 || colours > MAX_COLOURS) throw damaged('The X pixmap has a damaged header')
  return { width, height, colours, letters }
}

function decode(bytes: Uint8Array): FormatPicture {
  const strings = stringsOf(bytes)
  const next = (): string => {
    const { value, done } = strings.next()
    if (done) throw damaged('The X pixmap is cut off')
    return value
  }
  const { width, height, colours, letters } = valuesOf(next())
  if (width * height * letters > bytes.length) throw damaged('The X pixmap is cut off')
  const table = new Map<string, readonly number[]>()
  for (let index = 0; index < colours; index += 1) {
    const line = next()
    table.set(line.slice(0, letters), colourOf(line.slice(letters)))
  }
  const channels = [...table.values()].every(([, , , alpha]) => alpha === 255) ? 3 : 4
  const pixels = new Uint8Array(width * height * channels)
  for (let y = 0, to = 0; y < height; y += 1) {
    const line = next()
    for (let x = 0; x < width; x += 1, to += channels) {
      const colour = table.get(line.slice(x * letters, (x + 1) * letters))
      if (!colour) throw damaged('The X pixmap has a pixel without a colour')
      for (let channel = 0; channel < channels; channel += 1) pixels[to + channel] = colour[channel] ?? 0
    }
  }
  return { width, height, channels, bitDepth: 8, pixels }
}

/** The key of transparent pixels; all others have that of their colour. */
const CLEAR = -1

/** The colour of a pixel; half transparent pixels are opaque or transparent. */
function keyOf(pixels: Uint8Array | Uint16Array, at: number, channels: number): number {
  if (channels % 2 === 0 && (pixels[at + channels - 1] ?? 0) < 128) return CLEAR
  const red = pixels[at] ?? 0
  return channels < 3 ? red * 0x10101 : (red << 16) | ((pixels[at + 1] ?? 0) << 8) | (pixels[at + 2] ?? 0)
}

function encode({ width, height, channels, pixels }: FormatPicture): Uint8Array {
  const keys = Int32Array.from({ length: width * height }, (_, pixel) => keyOf(pixels, pixel * channels, channels))
  const table = new Map<number, string>()
  for (const key of keys) table.set(key, '')
  let letters = 1
  while (LETTERS.length ** letters < table.size) letters += 1
  const lines = [`${width} ${height} ${table.size} ${letters}`]
  for (const [index, key] of [...table.keys()].entries()) {
    let code = ''
    for (let place = 0, rest = index; place < letters; place += 1, rest = Math.floor(rest / LETTERS.length))
      code += LETTERS[rest % LETTERS.length] ?? ''
    table.set(key, code)
    lines.push(`${code} c ${key === CLEAR ? 'None' : `#${key.toString(16).padStart(6, '0')}`}`)
  }
  for (let y = 0; y < height; y += 1) {
    let line = ''
    for (let x = 0; x < width; x += 1) line += table.get(keys[y * width + x] ?? CLEAR) ?? ''
    lines.push(line)
  }
  const strings = lines.map((line) => `"${line}"`).join(',\n')
  return Buffer.from(`/* XPM */\nstatic char *image[] = {\n${strings}\n};\n`, 'latin1')
}

export const xpm = defineFormat({
  id: 'xpm',
  extensions: ['xpm'],
  mediaType: 'image/x-xpixmap',
  detect: (head) => /^\s*\/\*\s*XPM\s*\*\//.test(textOf(head.subarray(0, 256))),
  size: (bytes) => valuesOf(stringsOf(bytes.subarray(0, 65_536)).next().value ?? undefined),
  decode,
  encode,
  holds: { alpha: true, grey: true },
})
