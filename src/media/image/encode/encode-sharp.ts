import type { Sharp } from '../../../engines/sharp.ts'
import type { ImageFormat } from '../formats.ts'
import type { ImageFrame, ImageTarget } from '../frame.ts'
import { ASSUMED_DENSITY } from '../metadata/resolution.ts'

/** The pipeline with the format's encoder set. Figures without a source are the catalogue's (convert, compress). */
export function encoder(image: Sharp, format: ImageFormat, frame: ImageFrame, quality: number): Sharp {
  const { target, bits } = frame
  const { thorough = false, lossless = false, progressive } = target
  const timing = frame.pages > 1 ? { delay: [...frame.delays], loop: frame.loop } : {}
  switch (format.id) {
    case 'jpg': {
      return image.jpeg({
        quality,
        chromaSubsampling: chromaFor(frame, quality),
        mozjpeg: thorough,
        // MozJPEG's own tables are for lower qualities: from here on the standard's look better for the same bytes (bench/README).
        ...(thorough && quality >= FULL_CHROMA_QUALITY && { quantisationTable: 0 }),
        ...(progressive !== undefined && { progressive }),
      })
    }
    case 'png': {
      const compression = { compressionLevel: thorough ? 9 : 6, progressive: progressive ?? false }
      if (!target.paletteByQuality) return image.png(compression)
      // A palette has 8 bit; of 16, sharp would write all and leave the palette out.
      const eight = bits === 16 ? image.toColourspace(frame.space === 'grey' ? 'b-w' : 'srgb') : image
      return eight.png({ ...compression, palette: true, quality, effort: 7 })
    }
    case 'webp':
      return image.webp({ quality, lossless, exact: target.exact ?? false, effort: thorough ? 6 : 4, ...timing })
    case 'avif':
      // bench/README: at equal likeness, effort 3 is a tenth smaller than 2 and takes two fifths longer, 4 six times as long.
      return image.avif({ quality, lossless, tune: 'ssim', effort: thorough ? 4 : 3 })
    case 'gif':
      return image.gif({ ...gifOptions(target, quality), ...timing })
    default:
      return image.tiff({ ...tiffOptions(target, bits, frame.space), ...tiffResolution(frame) })
  }
}

/** From this quality on the eye is meant to see no difference: colour is then kept at full resolution. */
export const FULL_CHROMA_QUALITY = 90

/** By the quality; of a JPEG that stays one, where none was asked for, not less than it has. sharp knows these two. */
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
 * Alike frames in a row stay apart, so that every delay is kept. When the palette is asked for, it must not be the input's,
 * which sharp takes over where it can, and alike frames are one.
 */
function gifOptions({ gif, paletteByQuality }: ImageTarget, quality: number): Parameters<Sharp['gif']>[0] {
  if (!gif && !paletteByQuality) return { keepDuplicateFrames: true }
  return paletteByQuality ? gifByQuality(quality) : { reuse: false, ...gif }
}

/** GIF has no quality of its own: fewer colours and more frames taken as alike make it smaller. */
function gifByQuality(quality: number): Parameters<Sharp['gif']>[0] {
  const colours = Math.max(2, Math.round((256 * quality) / 100))
  return {
    colours,
    // The input's own palette, where it may stay: choosing again would only add noise.
    reuse: colours > 16,
    dither: quality / 100,
    interFrameMaxError: Math.round((100 - quality) * 0.16),
    effort: 7,
  }
}

/** TIFF is written without loss (LZW) unless a quality was asked for and JPEG inside TIFF can hold the picture. */
function tiffOptions(target: ImageTarget, bits: number, space: string): Parameters<Sharp['tiff']>[0] {
  const jpeg = target.quality !== undefined && bits === 8 && space !== 'cmyk'
  return jpeg ? { compression: 'jpeg', quality: target.quality! } : { compression: 'lzw', predictor: 'horizontal' }
}

/** TIFF must state a resolution, and sharp writes 25.4 unless it is told. In pixels per millimetre. */
function tiffResolution({ target, origin }: ImageFrame): { xres: number; yres: number } {
  const perMillimetre = (target.density ?? origin.metadata.density ?? ASSUMED_DENSITY) / 25.4
  return { xres: perMillimetre, yres: perMillimetre }
}
