import { unsupportedVariant } from '../failures.ts'
import { checkRasterSize } from '../raster.ts'
import { readPlanes } from './psd-planes.ts'
import { PSD_MODE, type PsdSections, readSections } from './psd-sections.ts'

/** The merged image of a PSD file. */
export interface PsdPicture {
  width: number
  height: number
  /** cmyk: 0 is no ink; lab: L from 0, a and b centred at half of the range. */
  space: 'grey' | 'rgb' | 'cmyk' | 'lab'
  /** Colour channels, plus straight alpha if `hasAlpha`. */
  channels: 1 | 2 | 3 | 4 | 5
  hasAlpha: boolean
  /** 32: linear floating point with 1 as white. */
  depth: 8 | 16 | 32
  /** Interleaved, row by row from the top left. */
  data: Uint8Array | Uint16Array | Float32Array
  /** ICC profile of the pixels. */
  icc?: Uint8Array
  exif?: Uint8Array
  /** Dots per inch. */
  density?: number
}

/** Image resources that are read (same source, "Image Resource IDs"). */
const RESOURCE = { resolution: 1005, icc: 1039, transparentIndex: 1047, version: 1057, exif: 1058 }

const COLOURS: Record<number, { space: PsdPicture['space']; stored: number }> = {
  [PSD_MODE.bitmap]: { space: 'grey', stored: 1 },
  [PSD_MODE.grey]: { space: 'grey', stored: 1 },
  // Adobe: readers without duotone support should treat it as grey.
  [PSD_MODE.duotone]: { space: 'grey', stored: 1 },
  [PSD_MODE.indexed]: { space: 'rgb', stored: 1 },
  [PSD_MODE.rgb]: { space: 'rgb', stored: 3 },
  [PSD_MODE.cmyk]: { space: 'cmyk', stored: 4 },
  [PSD_MODE.lab]: { space: 'lab', stored: 3 },
}

type Samples = PsdPicture['data']

const emptySamples = (length: number, depth: 8 | 16 | 32): Samples =>
  depth === 32 ? new Float32Array(length) : depth === 16 ? new Uint16Array(length) : new Uint8Array(length)

/** Converts bitmap bits to grey: 1 is black. Rows start at whole bytes. */
function bitmapSamples(plane: Buffer, width: number, height: number): Uint8Array {
  const rowBytes = Math.ceil(width / 8)
  const data = new Uint8Array(width * height)
  for (let y = 0, target = 0; y < height; y++)
    for (let x = 0; x < width; x++, target++)
      data[target] = (plane[y * rowBytes + (x >> 3)]! >> (7 - (x & 7))) & 1 ? 0 : 255
  return data
}

/** Converts indices to colours of the table; one index can be transparent. */
function indexedSamples(plane: Buffer, { colourTable, resources }: PsdSections): { data: Uint8Array; alpha: boolean } {
  const clear = resources.get(RESOURCE.transparentIndex)
  const transparent = clear && clear.length >= 2 ? (clear[0]! << 8) | clear[1]! : -1
  const alpha = transparent >= 0 && transparent < 256 && plane.includes(transparent)
  const step = alpha ? 4 : 3
  const data = new Uint8Array(plane.length * step)
  for (let pixel = 0; pixel < plane.length; pixel++) {
    const index = plane[pixel]!
    for (let channel = 0; channel < 3; channel++) data[pixel * step + channel] = colourTable[index + channel * 256] ?? 0
    if (alpha) data[pixel * step + 3] = index === transparent ? 0 : 255
  }
  return { data, alpha }
}

function interleave(planes: Buffer[], depth: 8 | 16 | 32, pixels: number): Samples {
  const step = planes.length
  const data = emptySamples(pixels * step, depth)
  planes.forEach((plane, channel) => {
    for (let pixel = 0; pixel < pixels; pixel++) {
      data[pixel * step + channel] =
        depth === 8 ? plane[pixel]! : depth === 16 ? plane.readUInt16BE(pixel * 2) : plane.readFloatBE(pixel * 4)
    }
  })
  return data
}

/** Removes the white that Photoshop blends into merged images with alpha, giving straight colours. In place. */
function removeWhiteMatte(data: Samples, channels: number, white: number): void {
  for (let pixel = 0; pixel < data.length; pixel += channels) {
    const alpha = data[pixel + channels - 1]! / white
    if (alpha >= 1) continue
    for (let index = pixel; index < pixel + channels - 1; index++) {
      const straight = alpha === 0 ? 0 : (data[index]! - white * (1 - alpha)) / alpha
      data[index] = Math.max(0, Math.min(white, white === 1 ? straight : Math.round(straight)))
    }
  }
}

function densityOf(resources: PsdSections['resources']): number | undefined {
  const block = resources.get(RESOURCE.resolution)
  if (!block || block.length < 4) return undefined
  // Pixels per inch as 16.16 fixed point, regardless of the display unit.
  const density = Buffer.from(block.buffer, block.byteOffset, 4).readUInt32BE(0) / 65536
  return density >= 1 ? density : undefined
}

/**
 * Decodes the merged image of a PSD or PSB file: bitmap, grey, duotone (as grey), indexed, RGB, CMYK or Lab, of 1 to 32
 * bits.
 * @param maxPixels maximum number of pixels, 0 for no limit
 * @throws INVALID_FILE when damaged or truncated, LIMIT_EXCEEDED, UNSUPPORTED_FILE_TYPE for other modes and for files
 * saved without a merged image
 */
export function decodePsd(bytes: Uint8Array, maxPixels: number): PsdPicture {
  const sections = readSections(bytes)
  const { width, height, depth, mode, channels: stored, resources } = sections
  const kind = COLOURS[mode]
  if (!kind) throw unsupportedVariant(`PSD files of colour mode ${mode} are not supported`)
  if (stored < kind.stored)
    throw unsupportedVariant(`This PSD file has ${stored} of its ${kind.stored} colour channels`)
  if (
    (depth === 1) !== (mode === PSD_MODE.bitmap) ||
    (depth !== 8 && mode === PSD_MODE.indexed) ||
    (depth === 32 && kind.space !== 'grey' && kind.space !== 'rgb')
  )
    throw unsupportedVariant(`PSD files of colour mode ${mode} with ${depth} bits are not supported`)
  if (resources.get(RESOURCE.version)?.[4] === 0)
    throw unsupportedVariant('This PSD file holds only layers: it was saved without a merged picture')
  const hasAlpha = sections.transparent && stored > kind.stored && depth > 1 && mode !== PSD_MODE.indexed
  const planeCount = kind.stored + (hasAlpha ? 1 : 0)
  checkRasterSize(width, height, Math.max(planeCount, 4), Math.max(depth, 8), maxPixels)
  const planes = readPlanes(bytes, sections, planeCount)
  const [icc, exif, density] = [resources.get(RESOURCE.icc), resources.get(RESOURCE.exif), densityOf(resources)]
  const about = {
    width,
    height,
    space: kind.space,
    ...(icc && { icc }),
    ...(exif && { exif }),
    ...(density && { density }),
  }
  if (mode === PSD_MODE.bitmap)
    return { ...about, channels: 1, hasAlpha: false, depth: 8, data: bitmapSamples(planes[0]!, width, height) }
  if (mode === PSD_MODE.indexed) {
    const { data, alpha } = indexedSamples(planes[0]!, sections)
    return { ...about, channels: alpha ? 4 : 3, hasAlpha: alpha, depth: 8, data }
  }
  const samples = depth as 8 | 16 | 32
  const data = interleave(planes, samples, width * height)
  const white = samples === 32 ? 1 : samples === 16 ? 65535 : 255
  // In the file, 255 is no ink, so that white is the same number for every mode here.
  if (hasAlpha) removeWhiteMatte(data, planeCount, white)
  if (kind.space === 'cmyk')
    for (let index = 0; index < data.length; index++) if (index % planeCount < 4) data[index] = white - data[index]!
  return { ...about, channels: planeCount as PsdPicture['channels'], hasAlpha, depth: samples, data }
}
