import type { MediaInfo } from '../../engines/ffmpeg/ffprobe.ts'
import { readExif } from '../../media/image/metadata/exif.ts'
import type { Subject } from './subject.ts'

/** Types whose EXIF and XMP blocks the picture's header holds. */
export const WITH_BLOCKS = new Set(['jpg', 'png', 'apng', 'webp', 'gif', 'avif', 'heic', 'heif'])

/** Other types with metadata, which exiftool reads. */
export const WITH_TAGS = /^(tiff|jxl|jp2|psd|psb|dng|cr2|cr3|nef|arw|orf|rw2|raf|pef|eps|exr|dpx|fits)$/

/** EXIF tags that describe how the pixels are stored, and padding; they remain when metadata is removed. */
const STORAGE =
  /^(Orientation|[XY]Resolution|ResolutionUnit|YCbCrPositioning|ExifTag|GPSTag|ExifVersion|ComponentsConfiguration|FlashpixVersion|ColorSpace|(Pixel|ExifImage)(X|Y)?(Dimension|Width|Height)|InteroperabilityTag|Image(Width|Length)|59932)$/

/** What a picture says about its origin. */
export interface PictureMetadata {
  /** Names of descriptive EXIF tags, without those that describe the storage of the pixels. */
  exif: readonly string[]
  /** A position, in EXIF or XMP. */
  gps: boolean
}

const hasXmpPosition = (xmp: Buffer | undefined): boolean => xmp?.includes('GPSLatitude') === true

async function fromBlocks(subject: Subject): Promise<PictureMetadata> {
  const { exif: block, xmp } = (await subject.picture()).origin.metadata
  if (!block) return { exif: [], gps: hasXmpPosition(xmp) }
  let reading: Awaited<ReturnType<typeof readExif>>
  try {
    reading = await readExif(block)
  } catch {
    // Programs that are more tolerant may still read it, so it counts as present.
    return { exif: ['unreadable EXIF'], gps: hasXmpPosition(xmp) || block.includes('GPS') }
  }
  return {
    exif: Object.keys(reading.exif ?? {}).filter((name) => !STORAGE.test(name)),
    gps: Object.keys(reading.gps ?? {}).some((name) => name !== 'GPSVersionID') || hasXmpPosition(xmp),
  }
}

/** The EXIF tags and the position of a picture. */
export async function pictureMetadata(subject: Subject): Promise<PictureMetadata> {
  const { id } = subject.file.type
  if (WITH_BLOCKS.has(id)) return fromBlocks(subject)
  if (!WITH_TAGS.test(id)) return { exif: [], gps: false }
  const names = Object.keys(await subject.tags())
  return {
    exif: names.filter((name) => /^(ExifIFD|GPS):/.test(name)).map((name) => name.replace(/^\w+:/, '')),
    gps: names.some((name) => /^(GPS|XMP-exif):GPS(Lat|Long)itude$/.test(name)),
  }
}

/** Tags with a position: Apple's and Android's names, and those of ffmpeg for them. */
const POSITION_TAG = /location|gps|(^|[^a-z])xyz$/

/** Streams of cameras that record positions: GoPro, Google's camera motion, and others that are named so. */
const POSITION_STREAM = /gopro met|gpmd|camm|gps/i

/** Whether a video or audio file holds a position. */
export function hasPosition({ tags, streams }: MediaInfo): boolean {
  const all = [tags, ...streams.map((stream) => stream.tags)]
  return (
    all.some((own) => Object.keys(own).some((name) => POSITION_TAG.test(name))) ||
    streams.some(
      ({ type, codec, tags: own }) =>
        type === 'data' && POSITION_STREAM.test([codec, own.handler_name, own.codec_tag_string].join(' ')),
    )
  )
}
