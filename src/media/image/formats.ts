import type { MetadataKind } from './metadata/subjects.ts'

/** The image formats that can be written, and their capabilities, shared by decoding, tools and encoding. */

export interface ImageFormat {
  id: string
  extension: string
  alpha: boolean
  animation: boolean
  /** Supported bits per channel. */
  depth: 8 | 16
  cmyk: boolean
  /** The maximum side length, in pixels, if realistic images can reach it. */
  maxSide?: number
  /** Grey images stay single-channel. */
  grey: boolean
  /** Supports an ICC profile, as written here. */
  profile: boolean
  /** Supported types of descriptive metadata, as written here. */
  metadata: readonly MetadataKind[]
  /** Has a quality setting. */
  lossy: boolean
  /** Default quality of `convert`; catalogue: convert. */
  defaultQuality?: number
  /** The encoder in use. */
  encoder: 'sharp' | 'heif' | 'jxl' | 'own' | 'ffmpeg' | 'plugin'
}

export const formatRow = (
  id: string,
  encoder: ImageFormat['encoder'],
  abilities: Partial<Omit<ImageFormat, 'id' | 'encoder'>> = {},
): ImageFormat => ({
  id,
  extension: id,
  alpha: false,
  animation: false,
  depth: 8,
  cmyk: false,
  grey: false,
  profile: false,
  metadata: [],
  lossy: false,
  encoder,
  ...abilities,
})

const [EXIF_XMP, EXIF_XMP_IPTC, PNG_METADATA] = [
  ['exif', 'xmp'],
  ['exif', 'xmp', 'iptc'],
  ['exif', 'xmp', 'iptc', 'text'],
] as const satisfies MetadataKind[][]

/**
 * The maximum side that an HEVC level allows: √(8 × 35,651,584) luma samples, level 6.2 (ITU-T H.265, A.4.1). heif-enc
 * takes minutes for larger images, or exits without a reason.
 */
const HEVC_SIDE = 16_888

const HEIC = {
  profile: true,
  metadata: EXIF_XMP,
  alpha: true,
  lossy: true,
  defaultQuality: 50,
  maxSide: HEVC_SIDE,
} as const

export const IMAGE_FORMATS = {
  jpg: formatRow('jpg', 'sharp', {
    profile: true,
    metadata: EXIF_XMP_IPTC,
    cmyk: true,
    grey: true,
    lossy: true,
    defaultQuality: 80,
    maxSide: 65_500,
  }),
  png: formatRow('png', 'sharp', { profile: true, metadata: PNG_METADATA, alpha: true, depth: 16, grey: true }),
  // Frames are always 8 bit sRGB.
  apng: formatRow('apng', 'own', { metadata: PNG_METADATA, alpha: true, animation: true }),
  webp: formatRow('webp', 'sharp', {
    profile: true,
    metadata: EXIF_XMP,
    alpha: true,
    animation: true,
    lossy: true,
    defaultQuality: 80,
    maxSide: 16_383,
  }),
  avif: formatRow('avif', 'sharp', {
    profile: true,
    metadata: EXIF_XMP,
    alpha: true,
    lossy: true,
    defaultQuality: 50,
    maxSide: 16_384,
  }),
  tiff: formatRow('tiff', 'sharp', {
    profile: true,
    metadata: EXIF_XMP_IPTC,
    alpha: true,
    depth: 16,
    cmyk: true,
    grey: true,
    lossy: true,
    defaultQuality: 80,
  }),
  gif: formatRow('gif', 'sharp', { alpha: true, animation: true, maxSide: 65_535 }),
  heic: formatRow('heic', 'heif', HEIC),
  heif: formatRow('heif', 'heif', HEIC),
  jxl: formatRow('jxl', 'jxl', {
    profile: true,
    metadata: EXIF_XMP,
    alpha: true,
    depth: 16,
    lossy: true,
    defaultQuality: 80,
  }),
  // ffmpeg's encoder does not support alpha.
  jp2: formatRow('jp2', 'ffmpeg', { metadata: EXIF_XMP, lossy: true, defaultQuality: 80 }),
  bmp: formatRow('bmp', 'own', { alpha: true }),
  ico: formatRow('ico', 'own', { alpha: true }),
  tga: formatRow('tga', 'own', { alpha: true }),
  qoi: formatRow('qoi', 'own', { alpha: true }),
  ppm: formatRow('ppm', 'own', { depth: 16 }),
  psd: formatRow('psd', 'own', { alpha: true, depth: 16, grey: true }),
  eps: formatRow('eps', 'own'),
} as const satisfies Record<string, ImageFormat>

export type ImageFormatId = keyof typeof IMAGE_FORMATS

/** All formats that `convert` writes: the above, then those of plugins. */
export const CONVERT_FORMATS = Object.keys(IMAGE_FORMATS) as ImageFormatId[]

/** Those that have a quality setting. */
export const LOSSY_FORMATS = CONVERT_FORMATS.filter((id) => IMAGE_FORMATS[id].lossy)

const added = new Map<string, ImageFormat>()

/** Adds a format that a plugin writes. */
export function addImageFormat(format: ImageFormat): void {
  added.set(format.id, format)
  // Settings accept it as they do the built-in ones; only `imageFormat` finds its abilities.
  CONVERT_FORMATS.push(format.id as ImageFormatId)
  if (format.lossy) LOSSY_FORMATS.push(format.id as ImageFormatId)
}

/** Whether mediaproc itself writes a format. */
export const isOwnImageFormat = (id: string): id is ImageFormatId => Object.hasOwn(IMAGE_FORMATS, id)

/** The abilities of a built-in or added format. */
export const imageFormat = (id: ImageFormatId): ImageFormat => added.get(id) ?? IMAGE_FORMATS[id]

/** Quality of a re-encode after an edit (catalogue: 'Re-encode quality 95 unless the tool says otherwise'). */
export const EDIT_QUALITY = 95

/**
 * A JPEG re-encoded as JPEG follows the input's quality within these bounds; `unknown` if its tables cannot be read.
 */
export const JPEG_EDIT_QUALITY = { lowest: 80, highest: EDIT_QUALITY, unknown: 90 } as const

const KEPT: Record<string, ImageFormatId> = {
  jpg: 'jpg',
  png: 'png',
  apng: 'apng',
  webp: 'webp',
  avif: 'avif',
  tiff: 'tiff',
  gif: 'gif',
}

/** Image formats of cameras and video tools: without alpha, they are treated as photographs. */
const PHOTOGRAPHS = new Set([
  'heic',
  'heif',
  'dng',
  'cr2',
  'cr3',
  'nef',
  'arw',
  'orf',
  'rw2',
  'raf',
  'pef',
  'jxl',
  'jp2',
  'hdr',
  'exr',
  'psd',
  'dpx',
  'tga',
  'bmp',
])

/**
 * The default output format of an edited image: the input's own if it has a common encoder; otherwise JPEG for opaque
 * photographs, and PNG for drawings and images with alpha.
 * @param typeId file type of the input, as in media/type.ts
 */
export function keptFormat(typeId: string, hasAlpha: boolean): ImageFormatId {
  return KEPT[typeId] ?? (PHOTOGRAPHS.has(typeId) && !hasAlpha ? 'jpg' : 'png')
}
