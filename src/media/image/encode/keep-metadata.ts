import type { Sharp } from '../../../engines/sharp.ts'
import type { ImageFormat } from '../formats.ts'
import type { ImageFrame, ImageTarget } from '../frame.ts'
import { ASSUMED_DENSITY } from '../metadata/resolution.ts'

/**
 * Keeps all metadata or none; single types are removed from the finished file. An image without EXIF gets none: libvips
 * would write a block of its own.
 */
export function withMetadata(image: Sharp, frame: ImageFrame, format: ImageFormat): Sharp {
  const density = statedDensity(frame, format)
  const described = frame.target.metadata === 'none' ? image : withKept(image, frame.origin.metadata)
  return density ? described.withDensity(density) : described
}

function withKept(image: Sharp, { exif, xmp, iptc, icc }: ImageFrame['origin']['metadata']): Sharp {
  if (exif || iptc) return image.keepMetadata()
  const described = icc ? image.keepIccProfile() : image
  return xmp ? described.keepXmp() : described
}

/**
 * The resolution to write, if it must be set explicitly. libvips keeps the resolution of the pixels it receives, but
 * WebP and AVIF have none and raw pixels lose theirs, and it would write its own into an EXIF block that is kept.
 */
function statedDensity({ target, origin }: ImageFrame, format: ImageFormat): number | undefined {
  const { exif, density } = origin.metadata
  if (target.density) return target.density
  if (drops(target, 'exif')) return undefined
  if (exif) return density ?? ASSUMED_DENSITY
  // Without EXIF, PNG stores the resolution in a chunk; other formats get a small EXIF block if the resolution is not
  // the default.
  if (format.id === 'png') return undefined
  const isWorthIt = density !== undefined && density !== ASSUMED_DENSITY && origin.rasterisedAtDpi === undefined
  return isWorthIt ? density : undefined
}

/** Whether a metadata type was requested to be dropped. */
export const drops = ({ metadata }: ImageTarget, kind: 'exif' | 'gps' | 'icc' | 'xmp'): boolean =>
  metadata === 'none' || (metadata?.drop.includes(kind) ?? false)
