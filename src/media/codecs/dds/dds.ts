import { dropAlpha, hasUniformAlpha, unpremultiply } from '../convert.ts'
import { damaged, requireBytes, unsupportedVariant, viewOf } from '../failures.ts'
import { checkRasterSize, createRaster, type Raster } from '../raster.ts'
import { type BlockCoding, readBc6h, readBc7, readBlocks, readLevels } from './dds-blocks.ts'

const HEADER = 128
const DX10_HEADER = 20
/** Flags of DDS_PIXELFORMAT.dwFlags. */
const HAS_ALPHA = 0x1
const ALPHA_ONLY = 0x2
const FOUR_CHARACTERS = 0x4
const COLOUR = 0x40
const LUMINANCE = 0x20000

interface Layout {
  blocks?: BlockCoding | 'bc4' | 'bc5' | 'bc4-signed' | 'bc5-signed' | 'bc6h' | 'bc6h-signed' | 'bc7'
  isPremultiplied?: boolean
  bits: number
  /** Bit masks of red (or luminance), green, blue, alpha; 0 if absent. */
  masks: [number, number, number, number]
}

const BLOCK_CODES: Record<string, Pick<Layout, 'blocks' | 'isPremultiplied'>> = {
  DXT1: { blocks: 'bc1' },
  DXT2: { blocks: 'bc2', isPremultiplied: true },
  DXT3: { blocks: 'bc2' },
  DXT4: { blocks: 'bc3', isPremultiplied: true },
  DXT5: { blocks: 'bc3' },
  ATI1: { blocks: 'bc4' },
  BC4U: { blocks: 'bc4' },
  ATI2: { blocks: 'bc5' },
  BC5U: { blocks: 'bc5' },
  BC4S: { blocks: 'bc4-signed' },
  BC5S: { blocks: 'bc5-signed' },
}

const RGBA_MASKS: Layout['masks'] = [0xff, 0xff00, 0xff0000, 0xff000000]
const BGRA_MASKS: Layout['masks'] = [0xff0000, 0xff00, 0xff, 0xff000000]
/** DXGI_FORMAT values in the extended header; a typeless format is read as its unsigned one. */
const DXGI_LAYOUTS: Record<number, Partial<Layout>> = {
  27: { bits: 32, masks: RGBA_MASKS },
  28: { bits: 32, masks: RGBA_MASKS },
  29: { bits: 32, masks: RGBA_MASKS },
  61: { bits: 8, masks: [0xff, 0, 0, 0] },
  70: { blocks: 'bc1' },
  71: { blocks: 'bc1' },
  72: { blocks: 'bc1' },
  73: { blocks: 'bc2' },
  74: { blocks: 'bc2' },
  75: { blocks: 'bc2' },
  76: { blocks: 'bc3' },
  77: { blocks: 'bc3' },
  78: { blocks: 'bc3' },
  79: { blocks: 'bc4' },
  80: { blocks: 'bc4' },
  81: { blocks: 'bc4-signed' },
  82: { blocks: 'bc5' },
  83: { blocks: 'bc5' },
  84: { blocks: 'bc5-signed' },
  87: { bits: 32, masks: BGRA_MASKS },
  91: { bits: 32, masks: BGRA_MASKS },
  94: { blocks: 'bc6h' },
  95: { blocks: 'bc6h' },
  96: { blocks: 'bc6h-signed' },
  97: { blocks: 'bc7' },
  98: { blocks: 'bc7' },
  99: { blocks: 'bc7' },
}

function readLayout(bytes: Uint8Array, view: DataView): { layout: Layout; start: number } {
  const flags = view.getUint32(80, true)
  const plain: Layout = { bits: 0, masks: [0, 0, 0, 0] }
  if (flags & FOUR_CHARACTERS) {
    const code = Buffer.from(bytes.subarray(84, 88)).toString('latin1')
    const blocks = BLOCK_CODES[code]
    if (blocks) return { layout: { ...plain, ...blocks }, start: HEADER }
    if (code !== 'DX10') {
      const name = /^[\x20-\x7e]{4}$/.test(code) ? code.trim() : String(view.getUint32(84, true))
      throw unsupportedVariant(`The DDS file has the pixel format ${name}, which is not supported`)
    }
    requireBytes(bytes, HEADER + DX10_HEADER, 'DDS')
    const format = view.getUint32(HEADER, true)
    const layout = DXGI_LAYOUTS[format]
    if (!layout) throw unsupportedVariant(`The DDS file has the pixel format DXGI ${format}, which is not supported`)
    return { layout: { ...plain, ...layout }, start: HEADER + DX10_HEADER }
  }
  if (!(flags & (COLOUR | LUMINANCE | ALPHA_ONLY))) {
    throw unsupportedVariant(`The DDS file has pixels of kind ${flags}, which are not supported`)
  }
  const mask = (at: number): number => view.getUint32(at, true)
  const alpha = flags & (HAS_ALPHA | ALPHA_ONLY) ? mask(104) : 0
  const isColour = (flags & COLOUR) !== 0
  const masks: Layout['masks'] = [mask(92), isColour ? mask(96) : 0, isColour ? mask(100) : 0, alpha]
  const bits = view.getUint32(88, true)
  if (![8, 16, 24, 32].includes(bits)) throw damaged(`The DDS file declares ${bits} bits per pixel`)
  if (flags & ALPHA_ONLY) return { layout: { bits, masks: [0, 0, 0, alpha] }, start: HEADER }
  return { layout: { bits, masks: isColour ? masks : luminanceMasks(masks, bits, alpha !== 0) }, start: HEADER }
}

/** Some writers store a luminance mask that is 0 or outside the pixel; the usual mask is then used. */
function luminanceMasks(masks: Layout['masks'], bits: number, hasAlpha: boolean): Layout['masks'] {
  const pixel = bits === 32 ? 0xffffffff : 2 ** bits - 1
  if ((masks[0] & pixel) !== 0) return masks
  return hasAlpha && bits > 8 ? [pixel >>> (bits / 2), 0, 0, (pixel << (bits / 2)) & pixel] : [pixel, 0, 0, 0]
}

/** Returns a function that extracts one component of a pixel and scales it to 0-255. */
function component(mask: number): (pixel: number) => number {
  if (mask === 0) return () => 0
  const shift = 31 - Math.clz32(mask & -mask)
  const most = mask >>> shift
  return (pixel) => Math.round((((pixel & mask) >>> shift) * 255) / most)
}

function readMasked(bytes: Uint8Array, start: number, width: number, height: number, layout: Layout): Raster {
  const step = layout.bits / 8
  requireBytes(bytes, start + width * height * step, 'DDS')
  const [red, green, blue, alpha] = layout.masks
  const hasColour = green !== 0 || blue !== 0
  const channels = ((hasColour ? 3 : 1) + (alpha ? 1 : 0)) as Raster['channels']
  const raster = createRaster(width, height, channels, 8, 0)
  const parts = (hasColour ? [red, green, blue] : [red]).concat(alpha ? [alpha] : []).map(component)
  for (let at = start, target = 0; target < raster.data.length; at += step) {
    let pixel = 0
    for (let byte = step - 1; byte >= 0; byte--) pixel = ((pixel << 8) | bytes[at + byte]!) >>> 0
    for (const part of parts) raster.data[target++] = part(pixel)
  }
  return raster
}

/**
 * Decodes the first image (largest mipmap level, first face or layer) of a DDS file: masks of 8 to 32 bits as colour,
 * luminance or alpha only (as black), DXT1 to DXT5, BC4 (grey), BC5 (red and green, as in normal maps; signed from 0 to 255), BC6H (linear
 * floats) and BC7. DXT1 and BC7 without a transparent pixel are returned as RGB.
 * @param maxPixels maximum number of pixels, 0 for no limit
 * @throws INVALID_FILE when damaged or truncated, LIMIT_EXCEEDED, UNSUPPORTED_FILE_TYPE for plain signed numbers, plain
 * floats and YUV
 */
export function decodeDds(bytes: Uint8Array, maxPixels: number): Raster {
  requireBytes(bytes, HEADER, 'DDS')
  const view = viewOf(bytes)
  if (view.getUint32(0) !== 0x44445320) throw damaged('The file is not a DDS picture: it does not begin with DDS')
  const [height, width] = [view.getUint32(12, true), view.getUint32(16, true)]
  checkRasterSize(width, height, 4, 8, maxPixels)
  const { layout, start } = readLayout(bytes, view)
  if (!layout.blocks) return readMasked(bytes, start, width, height, layout)
  const [coding, sign] = layout.blocks.split('-')
  if (coding === 'bc4' || coding === 'bc5')
    return readLevels(bytes, start, { width, height, count: coding === 'bc4' ? 1 : 2, isSigned: sign !== undefined })
  if (layout.blocks === 'bc6h' || layout.blocks === 'bc6h-signed')
    return readBc6h(bytes, start, width, height, layout.blocks === 'bc6h-signed')
  if (layout.blocks === 'bc7') {
    const raster = readBc7(bytes, start, width, height)
    return hasUniformAlpha(raster, 255) ? dropAlpha(raster) : raster
  }
  const raster = readBlocks(bytes, start, width, height, layout.blocks as BlockCoding)
  if (layout.isPremultiplied) unpremultiply(raster)
  return layout.blocks === 'bc1' && hasUniformAlpha(raster, 255) ? dropAlpha(raster) : raster
}
