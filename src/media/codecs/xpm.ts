import { dropAlpha } from './convert.ts'
import { damaged, unsupportedVariant } from './failures.ts'
import { checkRasterSize, createRaster, type Raster } from './raster.ts'

/** The X11 colour names most used in pixmaps; current programs write all others as numbers. */
const NAMES: Record<string, number> = {
  black: 0x000000,
  white: 0xffffff,
  red: 0xff0000,
  green: 0x00ff00,
  blue: 0x0000ff,
  yellow: 0xffff00,
  cyan: 0x00ffff,
  magenta: 0xff00ff,
  gray: 0xbebebe,
  orange: 0xffa500,
  brown: 0xa52a2a,
  navy: 0x000080,
  purple: 0xa020f0,
  pink: 0xffc0cb,
  maroon: 0xb03060,
  darkgreen: 0x006400,
  darkblue: 0x00008b,
  darkred: 0x8b0000,
  lightgray: 0xd3d3d3,
  darkgray: 0xa9a9a9,
  dimgray: 0x696969,
}

/** Parses a colour to RGBA: #rgb to #rrrrggggbbbb, none, or a name. */
function readColour(word: string): [number, number, number, number] {
  const name = word.toLowerCase().replaceAll(/\s/g, '').replace('grey', 'gray')
  if (name === 'none' || name === 'transparent') return [0, 0, 0, 0]
  const [, hex] = /^#([\da-f]+)$/.exec(name) ?? []
  if (hex && hex.length % 3 === 0 && hex.length <= 12) {
    const digits = hex.length / 3
    const part = (index: number): number => {
      const value = hex.slice(index * digits, (index + 1) * digits)
      return digits === 1 ? Number.parseInt(value + value, 16) : Number.parseInt(value.slice(0, 2), 16)
    }
    return [part(0), part(1), part(2), 255]
  }
  const [, share] = /^gray(\d{1,3})$/.exec(name) ?? []
  if (share) {
    const level = Math.round((Math.min(100, Number(share)) * 255) / 100)
    return [level, level, level, 255]
  }
  const known = Object.hasOwn(NAMES, name) ? NAMES[name]! : undefined
  if (known === undefined)
    throw unsupportedVariant(`The X pixmap names the colour ${JSON.stringify(word)}, which is not known`)
  return [known >> 16, (known >> 8) & 255, known & 255, 255]
}

/** The colour of a line: for colour screens if given, otherwise for grey ones, otherwise for black and white. */
function colourOf(line: string): [number, number, number, number] {
  const parts = new Map<string, string>()
  for (const [, kind = '', value = ''] of line.matchAll(/(?:^|\s)(c|g4|g|m|s)\s+(.+?)(?=\s+(?:c|g4|g|m|s)\s|\s*$)/g))
    parts.set(kind, value)
  const chosen = parts.get('c') ?? parts.get('g') ?? parts.get('g4') ?? parts.get('m')
  if (chosen === undefined) throw damaged('The X pixmap has a colour without a value')
  return readColour(chosen)
}

/**
 * Decodes an X pixmap (XPM 3), C source with characters as pixels.
 * @param maxPixels maximum number of pixels, 0 for no limit
 * @throws INVALID_FILE when damaged or truncated, LIMIT_EXCEEDED, UNSUPPORTED_FILE_TYPE for rare colour names
 */
export function decodeXpm(bytes: Uint8Array, maxPixels: number): Raster {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  const strings = source.replaceAll(/\/\*[\s\S]*?\*\//g, '').matchAll(/"((?:[^"\\\n]|\\.)*)"/g)
  const next = (): string => {
    const { value, done } = strings.next()
    if (done) throw damaged('The X pixmap is cut off')
    return (value as RegExpMatchArray)[1]!.replaceAll(/\\(.)/g, '$1')
  }
  const [width = 0, height = 0, count = 0, letters = 0] = next().trim().split(/\s+/).map(Number)
  checkRasterSize(width, height, 4, 8, maxPixels)
  if (!(letters >= 1 && letters <= 8) || !(count >= 1 && count <= 2 ** 24))
    throw damaged('The X pixmap has a damaged header')
  const colours = new Map<string, [number, number, number, number]>()
  for (let index = 0; index < count; index += 1) {
    const line = next()
    colours.set(line.slice(0, letters), colourOf(line.slice(letters)))
  }
  const raster = createRaster(width, height, 4, 8, maxPixels)
  for (let y = 0, to = 0; y < height; y += 1) {
    const line = next()
    for (let x = 0; x < width; x += 1, to += 4) {
      const colour = colours.get(line.slice(x * letters, (x + 1) * letters))
      if (!colour) throw damaged('The X pixmap has a pixel without a colour')
      raster.data.set(colour, to)
    }
  }
  return [...colours.values()].every(([, , , alpha]) => alpha === 255) ? dropAlpha(raster) : raster
}
