import type { Sharp } from '../../../engines/sharp.ts'
import type { ImageFormat } from '../formats.ts'
import type { ImageFrame, ImageTarget } from '../frame.ts'
import { ASSUMED_DENSITY } from '../metadata/resolution.ts'

/** The pipeline with the format's encoder set. Values without a source come from the catalogue (convert, compress). */
export function encoder(image: Sharp, format: ImageFormat, frame: ImageFrame, quality: number): Sharp {
  const { target, bits } = frame
  const { thorough = false, isDraft = false, lossless = false, progressive } = target
  const timing = frame.pages > 1 ? { delay: [...frame.delays], loop: frame.loop } : {}
  switch (format.id) {
    case 'jpg': {
      return image.jpeg({
        quality,
        chromaSubsampling: chromaFor(frame, quality),
        mozjpeg: thorough && !isDraft,
        // MozJPEG's own tables are for lower qualities: from this value on, the standard tables look better at the same
        // size (bench/README).
        ...(thorough && { quantisationTable: quality >= FULL_CHROMA_QUALITY ? 0 : MOZJPEG_TABLES }),
        ...(progressive !== undefined && { progressive }),
      })
    }
    case 'png': {
      const compression = { compressionLevel: thorough ? 9 : 6, progressive: progressive ?? false }
      if (!target.paletteByQuality) return image.png(compression)
      // A palette has 8 bit; for 16 bit, sharp would ignore the palette and write full colour.
      const eight = bits === 16 ? image.toColourspace(frame.space === 'grey' ? 'b-w' : 'srgb') : image
      return eight.png({ ...compression, palette: true, quality, effort: 7 })
    }
    case 'webp':
      return image.webp({ quality, lossless, exact: target.exact ?? false, effort: thorough ? 6 : 4, ...timing })
    case 'avif':
      // bench/README: at equal similarity, effort 3 is a tenth smaller than 2 and takes two fifths longer, 4 six times
      // as long.
      return image.avif({ quality, lossless, tune: 'ssim', effort: thorough ? 4 : 3 })
    case 'gif':
      return image.gif({ ...gifOptions(target, quality), ...timing })
    default:
      return image.tiff({ ...tiffOptions(target, bits, frame.space), ...tiffResolution(frame) })
  }
}

/** The number of MozJPEG's own quantization tables in sharp. */
const MOZJPEG_TABLES = 3

/** From this quality on the result should be visually lossless: chroma is kept at full resolution. */
export const FULL_CHROMA_QUALITY = 90

/**
 * Depends on the quality. A JPEG re-encoded as JPEG without a requested quality keeps at least the chroma resolution it
 * has. sharp supports these two.
 */
function chromaFor({ target, origin }: ImageFrame, quality: number): '4:4:4' | '4:2:0' {
  if (target.chroma) return target.chroma
  const isAsked = target.quality !== undefined || target.targetBytes !== undefined
  const isFull =
    isAsked || origin.type.id !== 'jpg'
      ? quality >= FULL_CHROMA_QUALITY
      : !(origin.metadata.chromaSubsampling ?? '4:2:0').startsWith('4:2:0')
  return isFull ? '4:4:4' : '4:2:0'
}

/**
 * Identical consecutive frames stay separate, so that every delay is kept. If a palette is requested, the input's
 * palette, which sharp reuses if possible, must not be used, and identical frames are merged.
 */
function gifOptions({ gif, paletteByQuality }: ImageTarget, quality: number): Parameters<Sharp['gif']>[0] {
  if (!gif && !paletteByQuality) return { keepDuplicateFrames: true }
  return paletteByQuality ? gifByQuality(quality) : { reuse: false, ...gif }
}

/** GIF has no quality setting: fewer colours and a larger tolerance for equal frames make it smaller. */
function gifByQuality(quality: number): Parameters<Sharp['gif']>[0] {
  const colours = Math.max(2, Math.round((256 * quality) / 100))
  return {
    colours,
    // Keep the input's palette if possible: quantizing again would only add noise.
    reuse: colours > 16,
    dither: quality / 100,
    interFrameMaxError: Math.round((100 - quality) * 0.16),
    effort: 7,
  }
}

/** TIFF is written lossless (LZW) unless a quality was requested and JPEG in TIFF supports the image. */
function tiffOptions(target: ImageTarget, bits: number, space: string): Parameters<Sharp['tiff']>[0] {
  const jpeg = target.quality !== undefined && bits === 8 && space !== 'cmyk'
  return jpeg ? { compression: 'jpeg', quality: target.quality! } : { compression: 'lzw', predictor: 'horizontal' }
}

/** TIFF must contain a resolution, and sharp writes 25.4 by default. In pixels per millimetre. */
function tiffResolution({ target, origin }: ImageFrame): { xres: number; yres: number } {
  const perMillimetre = (target.density ?? origin.metadata.density ?? ASSUMED_DENSITY) / 25.4
  return { xres: perMillimetre, yres: perMillimetre }
}
