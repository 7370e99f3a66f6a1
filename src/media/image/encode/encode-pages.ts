import { copyFile, readFile, rm, writeFile } from 'node:fs/promises'
import { joinTiffs } from '../../codecs/tiff-join.ts'
import type { ImageFrame } from '../frame.ts'
import { type Encoded, encodeImage } from './encode.ts'

/** The pages of a document after the open one, each created on demand. */
export interface FurtherPages {
  /** Total number of pages. */
  count: number
  /** Returns a page by number, from 1: the first is already open. */
  open(index: number): Promise<ImageFrame>
}

/**
 * Writes a multi-page TIFF, one page at a time, each with its own size, depth and colours.
 * @param first the open page
 */
export async function encodePages(first: ImageFrame, further: FurtherPages, path: string): Promise<Encoded> {
  const { neverLarger, targetBytes, keepsPixels } = first.target
  if (keepsPixels) {
    // Stripping metadata applies to the whole file, with all its pages.
    const made = await encodeImage(first, path)
    if (made.stripped) return made
  }
  const pages: Buffer[] = []
  const losses = new Set<string>()
  let encoded: Encoded | undefined
  const own = `${path}.page`
  for (let index = 0; index < further.count; index += 1) {
    const frame = index === 0 ? first : await further.open(index)
    // The target size is that of the whole file.
    const share = targetBytes && { targetBytes: Math.floor(targetBytes / further.count) }
    const made = await encodeImage(frame.withTarget({ ...share }), own)
    encoded ??= made
    if (made.loss) losses.add(made.loss)
    pages.push(await readFile(own))
  }
  await rm(own, { force: true })
  const whole = joinTiffs(pages)
  const { origin, untouched, target } = first
  const mayKeep = neverLarger && untouched && !target.metadata && origin.type.id === 'tiff'
  const kept = mayKeep && whole.length >= origin.bytes
  if (kept) await copyFile(origin.path, path)
  else await writeFile(path, whole)
  const bytes = kept ? origin.bytes : whole.length
  return {
    ...encoded!,
    bytes,
    ...(kept && { kept }),
    ...(targetBytes !== undefined && { targetMet: bytes <= targetBytes }),
    ...(losses.size > 0 && { loss: [...losses].join('; ') }),
  }
}
