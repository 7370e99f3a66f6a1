import { runGhostscript } from '../../../src/engines/ghostscript.ts'
import { copyEncryption } from '../../../src/engines/qpdf.ts'
import { MediaprocError } from '../../../src/errors.ts'
import type { EncryptionSource } from '../../../src/media/pdf/handle.ts'

/** Resolution of images and factor of JPEG's quantisation for a quality from 1 to 100 (formulas: catalogue, compress-pdf). */
export function leversOf(quality: number): { dpi: number; quantisation: number } {
  return {
    dpi: quality >= 50 ? 300 : Math.round(20 + (280 * quality) / 50),
    quantisation: 0.1 + 2.4 * ((100 - quality) / 99) ** 1.5,
  }
}

/** At most so many passes of a search, and none more when a result lies in the upper tenth of the budget. */
const PASSES = 8
const CLOSE_ENOUGH = 0.9

export interface RecompressOptions {
  signal: AbortSignal
  /** The source is encrypted, with no password to open it: the result is encrypted the same way. */
  encryption?: EncryptionSource | undefined
  onProgress?: (fraction: number) => void
}

function argumentsFor(quality: number): string[] {
  const { dpi, quantisation } = leversOf(quality)
  const images = (kind: 'Color' | 'Gray'): string[] => [
    `-dDownsample${kind}Images=true`,
    `-d${kind}ImageResolution=${dpi}`,
    `-d${kind}ImageDownsampleType=/Average`,
    `-d${kind}ImageDownsampleThreshold=1.0`,
    `-dAutoFilter${kind}Images=false`,
    `-d${kind}ImageFilter=/DCTEncode`,
  ]
  const dictionary = `<< /QFactor ${quantisation.toFixed(4)} /Blend 1 /HSamples [2 1 1 2] /VSamples [2 1 1 2] >>`
  return [
    '-sDEVICE=pdfwrite',
    '-dCompatibilityLevel=1.6',
    '-dPassThroughJPEGImages=false',
    '-dPassThroughJPXImages=false',
    '-dDetectDuplicateImages=true',
    '-dAutoRotatePages=/None',
    ...images('Color'),
    ...images('Gray'),
    '-dDownsampleMonoImages=true',
    `-dMonoImageResolution=${Math.min(600, 4 * dpi)}`,
    '-dMonoImageDownsampleType=/Subsample',
    '-dMonoImageDownsampleThreshold=1.0',
    '-sOutputFile=out.pdf',
    '-c',
    `<< /ColorImageDict ${dictionary} /GrayImageDict ${dictionary} >> setdistillerparams`,
    '-f',
    'in.pdf',
  ]
}

/** The document with its images encoded again at a quality from 1 to 100; text and drawings stay. */
export async function recompress(source: Uint8Array, quality: number, options: RecompressOptions): Promise<Uint8Array> {
  const written = await runGhostscript(argumentsFor(quality), { 'in.pdf': source }, { signal: options.signal })
  const result = written.get('out.pdf')
  if (!result || result.length === 0) throw new MediaprocError('PROCESSING_FAILED', 'The PDF could not be compressed')
  if (!options.encryption) return result
  return copyEncryption(result, options.encryption.bytes, options.encryption.password)
}

/** The largest result within the budget (bytes) that a search over the quality finds, or the smallest there is. */
export async function searchRecompress(
  source: Uint8Array,
  budget: number,
  options: RecompressOptions,
): Promise<Uint8Array> {
  let low = 1
  let high = 100
  let best: Uint8Array | undefined
  let smallest: Uint8Array | undefined
  for (let pass = 0; pass < PASSES && low <= high; pass += 1) {
    const quality = Math.floor((low + high) / 2)
    const result = await recompress(source, quality, options)
    options.onProgress?.((pass + 1) / PASSES)
    if (!smallest || result.length < smallest.length) smallest = result
    if (result.length > budget) high = quality - 1
    else {
      if (!best || result.length > best.length) best = result
      low = quality + 1
      if (result.length >= budget * CLOSE_ENOUGH) break
    }
  }
  return best ?? smallest!
}
