import { PicturePdf } from '../../../../src/media/pdf/image/picture-pages.ts'
import { searchQuality } from '../../../../src/media/search-quality.ts'
import type { Job } from '../../../../src/tool/contract.ts'
import { jpegPicture, losslessPicture, type PagePicture, type PageSource, readyToRepeat } from './sources.ts'

/** The planned documents, each with its pages. */
export type Documents = readonly (readonly PageSource[])[]

/** Finished documents; `length` is their total size in bytes. */
export interface MadePdf {
  length: number
  pdfs: Uint8Array[]
}

export interface Compression {
  targetRequested: number
  targetMet: boolean
  jpegQuality: number
}

/** JPEG qualities to try (catalogue: image-to-pdf). */
const QUALITIES = { lowest: 10, highest: 95 }

/** Reported when nothing was re-encoded. */
const UNCHANGED = 100

/** Types that never take less space losslessly than the file itself. */
const PACKED = new Set(['jpg', 'png', 'webp', 'avif', 'heic', 'heif', 'jxl'])

/** Writes the documents page by page. */
async function make(
  documents: Documents,
  picture: (source: PageSource) => Promise<PagePicture>,
  signal: AbortSignal,
  onPage?: () => void,
): Promise<MadePdf> {
  const pdfs: Uint8Array[] = []
  for (const pages of documents) {
    const pdf = await PicturePdf.create()
    try {
      for (const source of pages) {
        signal.throwIfAborted()
        const one = await picture(source)
        pdf.add(one.picture, one.placement)
        onPage?.()
      }
      pdfs.push(await pdf.save())
    } finally {
      pdf.close()
    }
  }
  return { length: pdfs.reduce((sum, { length }) => sum + length, 0), pdfs }
}

/** The documents without loss. */
export async function losslessPdfs(documents: Documents, job: Pick<Job, 'signal' | 'progress'>): Promise<MadePdf> {
  const count = documents.reduce((sum, pages) => sum + pages.length, 0)
  let done = 0
  return make(documents, losslessPicture, job.signal, () => {
    done += 1
    job.progress(done / count, 'adding pages')
  })
}

/** Internal error that aborts a pointless attempt; never shown to users. */
class TooLarge extends Error {}

/** The lossless documents if they fit into `largest` bytes; aborts as soon as that is impossible. */
async function losslessWithin(
  documents: Documents,
  largest: number,
  signal: AbortSignal,
): Promise<MadePdf | undefined> {
  let length = 0
  const count = (more: number): void => {
    if (length + more > largest) throw new TooLarge()
  }
  try {
    const made = await make(
      documents,
      async (source) => {
        if (PACKED.has(source.file.type.id)) count(source.file.bytes)
        const one = await losslessPicture(source)
        const { bytes, mask } = one.picture
        count(bytes.length + (mask?.bytes.length ?? 0))
        length += bytes.length + (mask?.bytes.length ?? 0)
        return one
      },
      signal,
    )
    return made.length <= largest ? made : undefined
  } catch (error) {
    if (error instanceof TooLarge) return undefined
    throw error
  }
}

/**
 * The documents with at most `target` bytes in total: lossless if they fit, otherwise with every image as a JPEG of the
 * best quality that fits, or of the lowest if none does.
 */
export async function pdfsWithin(
  documents: Documents,
  target: number,
  job: Pick<Job, 'signal' | 'progress' | 'scratch'>,
): Promise<{ made: MadePdf; compression: Compression }> {
  const whole = await losslessWithin(documents, target, job.signal)
  if (whole) return { made: whole, compression: { targetRequested: target, targetMet: true, jpegQuality: UNCHANGED } }
  const scratch = await job.scratch()
  let index = 0
  const ready: PageSource[][] = []
  for (const pages of documents) {
    const own: PageSource[] = []
    for (const source of pages) own.push(await readyToRepeat(source, scratch, index++))
    ready.push(own)
  }
  const encode = (quality: number): Promise<MadePdf> =>
    make(ready, (source) => jpegPicture(source, quality), job.signal)
  const onProgress = (fraction: number): void => job.progress(fraction, 'searching')
  const { data, quality, met } = await searchQuality(encode, target, { ...QUALITIES, onProgress })
  return { made: data, compression: { targetRequested: target, targetMet: met, jpegQuality: quality } }
}
