import type { MetadataKind } from './metadata/subjects.ts'

/** The picture formats that can be written, and what each can hold: the facts that decoding, tools and encoding share. */

export interface ImageFormat {
  id: string
  extension: string
  alpha: boolean
  animation: boolean
  /** Bits a channel can have. */
  depth: 8 | 16
  cmyk: boolean
  /** The longest side that it holds, in pixels, where pictures come near it. */
  maxSide?: number
  /** Grey pictures stay one channel. */
  grey: boolean
  /** Holds an ICC profile, as we write it. */
  profile: boolean
  /** The kinds of descriptive metadata that it holds, as we write it. */
  metadata: readonly MetadataKind[]
  /** Has a quality setting. */
  lossy: boolean
  /** Quality when `convert` is not told; catalogue: convert. */
  defaultQuality?: number
  /** Who encodes it. */
  encoder: 'sharp' | 'heif' | 'jxl' | 'own' | 'ffmpeg'
}

const row = (
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
 * The largest side that a level of HEVC allows: √(8 × 35,651,584) luma samples, level 6.2 (ITU-T H.265, A.4.1). heif-enc
 * takes minutes for larger pictures or ends without a reason.
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
  jpg: row('jpg', 'sharp', {
    profile: true,
    metadata: EXIF_XMP_IPTC,
    cmyk: true,
    grey: true,
    lossy: true,
    defaultQuality: 80,
    maxSide: 65_500,
  }),
  png: row('png', 'sharp', { profile: true, metadata: PNG_METADATA, alpha: true, depth: 16, grey: true }),
  // Frames are of 8 bit, and sRGB, as everywhere.
  apng: row('apng', 'own', { metadata: PNG_METADATA, alpha: true, animation: true }),
  webp: row('webp', 'sharp', {
    profile: true,
    metadata: EXIF_XMP,
    alpha: true,
    animation: true,
    lossy: true,
    defaultQuality: 80,
    maxSide: 16_383,
  }),
  avif: row('avif', 'sharp', {
    profile: true,
    metadata: EXIF_XMP,
    alpha: true,
    lossy: true,
    defaultQuality: 50,
    maxSide: 16_384,
  }),
  tiff: row('tiff', 'sharp', {
    profile: true,
    metadata: EXIF_XMP_IPTC,
    alpha: true,
    depth: 16,
    cmyk: true,
    grey: true,
    lossy: true,
    defaultQuality: 80,
  }),
  gif: row('gif', 'sharp', { alpha: true, animation: true, maxSide: 65_535 }),
  heic: row('heic', 'heif', HEIC),
  heif: row('heif', 'heif', HEIC),
  jxl: row('jxl', 'jxl', {
    profile: true,
    metadata: EXIF_XMP,
    alpha: true,
    depth: 16,
    lossy: true,
    defaultQuality: 80,
  }),
  // ffmpeg's encoder has no alpha.
  jp2: row('jp2', 'ffmpeg', { metadata: EXIF_XMP, lossy: true, defaultQuality: 80 }),
  bmp: row('bmp', 'own', { alpha: true }),
  ico: row('ico', 'own', { alpha: true }),
  tga: row('tga', 'own', { alpha: true }),
  qoi: row('qoi', 'own', { alpha: true }),
  ppm: row('ppm', 'own', { depth: 16 }),
  psd: row('psd', 'own', { alpha: true, depth: 16, grey: true }),
  eps: row('eps', 'own'),
} as const satisfies Record<string, ImageFormat>

export type ImageFormatId = keyof typeof IMAGE_FORMATS

/** The formats that have a quality setting. */
export const LOSSY_FORMATS = (Object.keys(IMAGE_FORMATS) as ImageFormatId[]).filter((id) => IMAGE_FORMATS[id].lossy)

/** Quality of a re-encode that only follows an edit (catalogue: 'Re-encode quality 95 unless the tool says otherwise'). */
export const EDIT_QUALITY = 95

/** Of a JPEG that stays one it follows the input's own, within these bounds; `unknown` where its tables cannot be read. */
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

/** Pictures that come from a camera or a film tool: without alpha they are photographs. */
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
 * The format that an edited picture is written in when nothing was asked for: the input's own where it has an everyday
 * encoder; else JPEG for opaque photographs and PNG for all that is drawn or has alpha.
 * @param typeId file type of the input, as in media/type.ts
 */
export function keptFormat(typeId: string, hasAlpha: boolean): ImageFormatId {
  return KEPT[typeId] ?? (PHOTOGRAPHS.has(typeId) && !hasAlpha ? 'jpg' : 'png')
}
