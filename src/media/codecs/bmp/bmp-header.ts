import { damaged, requireBytes, unsupportedVariant, viewOf } from '../failures.ts'

/** The information header of a bitmap (including the bitmaps in icons, which have no file header). */
export interface BitmapHeader {
  width: number
  /** As stored, without its sign; icons store double the height. */
  height: number
  topDown: boolean
  bitsPerPixel: number
  coding: 'plain' | 'rle4' | 'rle8'
  /** Bit masks of red, green, blue and alpha (0 = no alpha) for 16 and 32 bits. */
  masks: [number, number, number, number]
  /** Whether the file declares an alpha mask. */
  hasAlphaMask: boolean
  /** 32 bits without masks: the file does not declare whether the fourth byte is alpha. */
  mayHaveAlpha: boolean
  /** 256 × RGB; missing entries are black. */
  palette: Uint8Array
  /** Offset of the palette. */
  paletteAt: number
  /** Offset of the pixels if the file header does not specify it. */
  end: number
}

const MASKS_16: BitmapHeader['masks'] = [0x7c00, 0x03e0, 0x001f, 0]
const MASKS_32: BitmapHeader['masks'] = [0xff0000, 0xff00, 0xff, 0]

/** Values of biCompression ([MS-WMF] 2.1.1.7). */
const CODING: Record<number, BitmapHeader['coding'] | 'masks'> = {
  0: 'plain',
  1: 'rle8',
  2: 'rle4',
  3: 'masks',
  6: 'masks',
}

/** The header of OS/2 1.x: 16-bit sizes and a palette with three bytes per colour. */
function readCoreHeader(bytes: Uint8Array, start: number, format: string): BitmapHeader {
  requireBytes(bytes, start + 12, format)
  const view = viewOf(bytes)
  const bitsPerPixel = view.getUint16(start + 10, true)
  const colours = bitsPerPixel <= 8 ? 1 << bitsPerPixel : 0
  return {
    width: view.getUint16(start + 4, true),
    height: view.getUint16(start + 6, true),
    topDown: false,
    bitsPerPixel,
    coding: 'plain',
    masks: bitsPerPixel === 16 ? MASKS_16 : MASKS_32,
    hasAlphaMask: false,
    mayHaveAlpha: bitsPerPixel === 32,
    palette: readPalette(bytes, start + 12, colours, 3),
    paletteAt: start + 12,
    end: start + 12 + colours * 3,
  }
}

function readPalette(bytes: Uint8Array, start: number, colours: number, step: 3 | 4): Uint8Array {
  const palette = new Uint8Array(256 * 3)
  const count = Math.min(colours, 256, Math.floor(Math.max(0, bytes.length - start) / step))
  for (let index = 0; index < count; index++) {
    for (let channel = 0; channel < 3; channel++)
      palette[index * 3 + channel] = bytes[start + index * step + 2 - channel]!
  }
  return palette
}

/**
 * Reads the information header at `start`: OS/2 1 (12 bytes) and 2 (16 to 64), Windows 3 (40), V2, V3, V4, V5.
 * @param format the display name of the format, such as `BMP` or `icon`
 * @throws INVALID_FILE when it is truncated or contradictory, UNSUPPORTED_FILE_TYPE for printer and fax compression
 */
export function readBitmapHeader(bytes: Uint8Array, start: number, format: string): BitmapHeader {
  requireBytes(bytes, start + 4, format)
  const view = viewOf(bytes)
  const size = view.getUint32(start, true)
  if (size === 12) return checkDepth(readCoreHeader(bytes, start, format), format)
  if (size < 16 || size > 4096) throw damaged(`The ${format} file declares a header of ${size} bytes`)
  requireBytes(bytes, start + size, format)
  const field = (offset: number): number => (offset + 4 <= size ? view.getUint32(start + offset, true) : 0)
  const storedHeight = view.getInt32(start + 8, true)
  const bitsPerPixel = view.getUint16(start + 14, true)
  const compression = field(16)
  const coding = CODING[compression]
  const isOs2 = size === 16 || size === 64
  if (!coding || (isOs2 && coding === 'masks')) {
    throw unsupportedVariant(`The ${format} file uses compression ${compression}, which is not supported`)
  }
  let end = start + size
  let masks = bitsPerPixel === 16 ? MASKS_16 : MASKS_32
  if (coding === 'masks' && (bitsPerPixel === 16 || bitsPerPixel === 32)) {
    // The masks are part of the header from V2 on; before that they follow it, alpha only with compression 6.
    const count = size >= 56 || compression === 6 ? 4 : 3
    if (size < 52) end += count * 4
    requireBytes(bytes, start + 40 + count * 4, format)
    const mask = (index: number): number => (index < count ? view.getUint32(start + 40 + index * 4, true) : 0)
    masks = [mask(0), mask(1), mask(2), mask(3)]
  }
  const declared = field(32)
  const colours = bitsPerPixel > 8 ? declared : declared || 1 << bitsPerPixel
  return checkDepth(
    {
      width: view.getInt32(start + 4, true),
      height: Math.abs(storedHeight),
      topDown: storedHeight < 0,
      bitsPerPixel,
      coding: coding === 'masks' ? 'plain' : coding,
      masks,
      hasAlphaMask: masks[3] !== 0,
      mayHaveAlpha: bitsPerPixel === 32 && coding !== 'masks',
      palette: readPalette(bytes, end, bitsPerPixel > 8 ? 0 : colours, 4),
      paletteAt: end,
      end: end + colours * 4,
    },
    format,
  )
}

function checkDepth(header: BitmapHeader, format: string): BitmapHeader {
  const { bitsPerPixel, coding } = header
  const allowed = coding === 'rle8' ? [8] : coding === 'rle4' ? [4] : [1, 2, 4, 8, 16, 24, 32]
  if (allowed.includes(bitsPerPixel)) return header
  throw damaged(`The ${format} file declares ${bitsPerPixel} bits per pixel`)
}
