/** The content of an EXIF block, as plain JSON. */
export interface ExifReading {
  /** Tags of the image, photo and interoperability directories. */
  exif?: Record<string, unknown>
  gps?: Record<string, unknown>
}

/** For binary values longer than this, only the length is reported (catalogue: strip-metadata/inspect). In bytes. */
const MAX_BINARY_BYTES = 256

function plain(value: unknown): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
  if (value instanceof Uint8Array)
    return value.length > MAX_BINARY_BYTES ? `<binary ${value.length} bytes>` : [...value]
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === 'number' && !Number.isFinite(value)) return null
  return value
}

const plainTags = (tags: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(tags).map(([name, value]) => [name, plain(value)]))

/** Converts degrees, minutes and seconds with a hemisphere to decimal degrees; south and west are negative. */
function decimalDegrees(parts: unknown, hemisphere: unknown): number | undefined {
  if (!Array.isArray(parts) || !parts.every(Number.isFinite)) return undefined
  const [degrees = 0, minutes = 0, seconds = 0] = parts as number[]
  const value = degrees + minutes / 60 + seconds / 3600
  return /^[SW]/i.test(String(hemisphere)) ? -value : value
}

/**
 * Reads an EXIF block. GPS tags are returned raw plus `_latitude`, `_longitude` (decimal degrees) and `_altitude`
 * (metres). Throws exif-reader's error when the block is not EXIF.
 */
export async function readExif(block: Uint8Array): Promise<ExifReading> {
  const { default: exifReader } = await import('exif-reader')
  const { Image = {}, Photo = {}, Iop = {}, GPSInfo } = exifReader(Buffer.from(block))
  const merged = plainTags({ ...Image, ...Photo, ...Iop })
  const reading: ExifReading = {}
  if (Object.keys(merged).length > 0) reading.exif = merged
  if (!GPSInfo || Object.keys(GPSInfo).length === 0) return reading
  const latitude = decimalDegrees(GPSInfo.GPSLatitude, GPSInfo.GPSLatitudeRef)
  const longitude = decimalDegrees(GPSInfo.GPSLongitude, GPSInfo.GPSLongitudeRef)
  const altitude = GPSInfo.GPSAltitude
  reading.gps = {
    ...plainTags(GPSInfo),
    ...(latitude !== undefined && { _latitude: latitude }),
    ...(longitude !== undefined && { _longitude: longitude }),
    // GPSAltitudeRef 1 means below sea level (EXIF 2.3, tag 5).
    ...(typeof altitude === 'number' && { _altitude: Number(GPSInfo.GPSAltitudeRef) === 1 ? -altitude : altitude }),
  }
  return reading
}
