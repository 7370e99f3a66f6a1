import type { Sharp } from '../../../engines/sharp.ts'
import type { ImageFormat } from '../formats.ts'
import type { ImageFrame, ImageTarget } from '../frame.ts'
import { ASSUMED_DENSITY } from '../metadata/resolution.ts'

/**
 * Everything is kept, or nothing; single kinds are taken out of the finished file. A picture that brought no EXIF gets
 * none: libvips would write a block of its own.
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
 * The resolution to write, where it is for us to say: libvips keeps that of the pixels it was given, which have none in
 * WebP and AVIF and lose theirs in raw form, and would write its own into an EXIF block that is kept.
 */
function statedDensity({ target, origin }: ImageFrame, format: ImageFormat): number | undefined {
  const { exif, density } = origin.metadata
  if (target.density) return target.density
  if (drops(target, 'exif')) return undefined
  if (exif) return density ?? ASSUMED_DENSITY
  // Without EXIF, PNG has a chunk of its own; the others get a small EXIF block, where that says more than none.
  if (format.id === 'png') return undefined
  const isWorthIt = density !== undefined && density !== ASSUMED_DENSITY && origin.rasterisedAtDpi === undefined
  return isWorthIt ? density : undefined
}

/** Whether a kind of metadata was asked to be left out. */
export const drops = ({ metadata }: ImageTarget, kind: 'exif' | 'gps' | 'icc' | 'xmp'): boolean =>
  metadata === 'none' || (metadata?.drop.includes(kind) ?? false)
