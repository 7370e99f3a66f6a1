import { openSharp } from '../../../engines/sharp.ts'
import { BLEND, DISPOSE } from '../../codecs/apng.ts'
import { PNG_SIGNATURE_BYTES, pngChunk, pngChunks } from '../../codecs/png-chunks.ts'
import { metadataChunks } from '../decode/carrier.ts'
import type { ImageFrame, Pixels } from '../frame.ts'

interface Area {
  left: number
  top: number
  width: number
  height: number
}

/** The header chunk has 13 bytes of data. */
const BEHIND_HEADER = PNG_SIGNATURE_BYTES + 25

/** Maximum display duration of a frame, in milliseconds: a 16-bit number. */
const LONGEST_DELAY = 65_535

/**
 * The bounding rectangle of the difference between two pages; a single pixel if they are equal, since a frame cannot be
 * empty.
 */
function changedArea({ data, width, channels, pageHeight }: Pixels, page: number): Area {
  const row = width * channels
  const [now, before] = [page * pageHeight * row, (page - 1) * pageHeight * row]
  let [left, right, top, bottom] = [width, -1, pageHeight, -1]
  for (let y = 0; y < pageHeight; y += 1) {
    const [at, other] = [now + y * row, before + y * row]
    if (data.compare(data, other, other + row, at, at + row) === 0) continue
    top = Math.min(top, y)
    bottom = y
    const differs = (x: number): boolean => {
      for (let byte = x * channels; byte < (x + 1) * channels; byte += 1)
        if (data[at + byte] !== data[other + byte]) return true
      return false
    }
    for (let x = 0; x < left; x += 1) if (differs(x)) left = x
    for (let x = width - 1; x > right; x -= 1) if (differs(x)) right = x
  }
  if (bottom < 0) return { left: 0, top: 0, width: 1, height: 1 }
  return { left, top, width: right - left + 1, height: bottom - top + 1 }
}

/** A region of a page as a PNG file. */
async function pngOf({ data, width, channels, pageHeight }: Pixels, page: number, area: Area, level: number) {
  const start = page * pageHeight * width * channels
  const pixels = data.subarray(start, start + pageHeight * width * channels)
  const image = await openSharp(pixels, { raw: { width, height: pageHeight, channels } })
  return image
    .extract(area)
    .png({ compressionLevel: level, adaptiveFiltering: level > 6 })
    .toBuffer()
}

function control(sequence: number, { left, top, width, height }: Area, delay: number): Buffer {
  const chunk = Buffer.alloc(26)
  for (const [index, value] of [sequence, width, height, left, top].entries()) chunk.writeUInt32BE(value, index * 4)
  chunk.writeUInt16BE(Math.min(LONGEST_DELAY, Math.max(0, Math.round(delay))), 20)
  chunk.writeUInt16BE(1000, 22)
  chunk[24] = DISPOSE.none
  chunk[25] = BLEND.source
  return pngChunk('fcTL', chunk)
}

const numbered = (sequence: number, data: Uint8Array): Buffer => {
  const number = Buffer.alloc(4)
  number.writeUInt32BE(sequence)
  return pngChunk('fdAT', Buffer.concat([number, data]))
}

/** Encodes an animated PNG: every frame in 8 bit sRGB, storing only the changed region. */
export async function encodeApng(frame: ImageFrame): Promise<Buffer> {
  const pixels = await frame.pixels()
  const { width, pageHeight: height } = pixels
  const level = frame.target.thorough ? 9 : 6
  const counts = Buffer.alloc(8)
  counts.writeUInt32BE(frame.pages, 0)
  counts.writeUInt32BE(frame.loop, 4)
  const parts: Buffer[] = []
  // Control and data chunks of all frames share one sequence, except the pixels of the first frame, which every viewer
  // reads.
  let sequence = 0
  for (let page = 0; page < frame.pages; page += 1) {
    const area = page === 0 ? { left: 0, top: 0, width, height } : changedArea(pixels, page)
    const png = await pngOf(pixels, page, area, level)
    const chunks = pngChunks(png).filter(({ type }) => type === 'IDAT')
    const coded = Buffer.concat(chunks.map(({ at, length }) => png.subarray(at + 8, at + 8 + length)))
    if (page === 0)
      parts.push(png.subarray(0, BEHIND_HEADER), ...metadataChunks(keptBlocks(frame)), pngChunk('acTL', counts))
    parts.push(control(sequence, area, frame.delays[page] ?? 0))
    parts.push(page === 0 ? pngChunk('IDAT', coded) : numbered(sequence + 1, coded))
    sequence += page === 0 ? 1 : 2
  }
  return Buffer.concat([...parts, pngChunk('IEND', Buffer.alloc(0))])
}

/** Selected metadata types are removed from the finished file, as for every format. */
function keptBlocks({ target, origin }: ImageFrame) {
  const { exif, xmp, density } = origin.metadata
  const dpi = target.density ?? density
  const isKept = target.metadata !== 'none'
  return { ...(isKept && exif && { exif }), ...(isKept && xmp && { xmp }), ...(dpi && { density: dpi }) }
}
