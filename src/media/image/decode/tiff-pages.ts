import { open } from 'node:fs/promises'
import { openTiffBlock } from './tiff-directory.ts'

/** Marks a page as a reduced-size copy of another (TIFF 6.0: NewSubfileType, bit 0). */
const NEW_SUBFILE_TYPE = 254
const REDUCED = 1

const TILE_WIDTH = 322
const PHOTOMETRIC = 262
const SEPARATED = 5
const SAMPLES_PER_PIXEL = 277
const PLANES = 284
const SEPARATE = 2
const SHORT = 3

const COMPRESSION = 259
/** JPEG of TIFF 6.0, and LZMA: libvips reads only the header. */
const UNREAD_COMPRESSIONS = new Set([6, 34_925])

/**
 * libvips rejects tiles of separate planes, mixes the rows of two planes, and treats the first of several extra
 * channels as alpha whatever the file declares.
 */
function isMisread(values: ReadonlyMap<number, number>): boolean {
  if (UNREAD_COMPRESSIONS.has(values.get(COMPRESSION) ?? 1)) return true
  const samples = values.get(SAMPLES_PER_PIXEL) ?? 1
  if (samples > 4 && values.get(PHOTOMETRIC) !== SEPARATED) return true
  return values.get(PLANES) === SEPARATE && (values.has(TILE_WIDTH) || samples === 2)
}

/** Maximum number of pages that are inspected individually. */
const MOST_PAGES = 10_000

/**
 * The indexes of a TIFF's pages among all directories, without thumbnails and pyramid levels. Undefined if unreadable
 * (BigTIFF, damage): then every directory is a page. Also returns the file offsets of their directories, and which of
 * them have planes that libvips misreads.
 */
export async function pagePlaces(
  path: string,
): Promise<{ places: number[]; starts: number[]; misreadPlanes: Set<number> } | undefined> {
  const file = await open(path)
  try {
    const head = Buffer.alloc(8)
    await file.read(head, 0, 8, 0)
    const header = openTiffBlock(head)
    if (header?.u16(2) !== 42) return undefined
    const places: number[] = []
    const starts: number[] = []
    const misreadPlanes = new Set<number>()
    let at = header.u32(4)
    for (let index = 0; at !== 0 && index < MOST_PAGES; index += 1) {
      const count = Buffer.concat([head.subarray(0, 8), Buffer.alloc(2)])
      if ((await file.read(count, 8, 2, at)).bytesRead < 2) return undefined
      const length = openTiffBlock(count)!.u16(8) * 12 + 4
      const block = openTiffBlock(Buffer.concat([head, Buffer.alloc(length)]))!
      if ((await file.read(block.bytes, 8, length, at + 2)).bytesRead < length) return undefined
      const values = new Map<number, number>()
      for (let entry = 8; entry + 12 <= block.bytes.length; entry += 12)
        values.set(block.u16(entry), block.u16(entry + 2) === SHORT ? block.u16(entry + 8) : block.u32(entry + 8))
      const isReduced = ((values.get(NEW_SUBFILE_TYPE) ?? 0) & REDUCED) !== 0
      if (isMisread(values)) misreadPlanes.add(index)
      if (!isReduced) {
        places.push(index)
        starts.push(at)
      }
      at = block.u32(block.bytes.length - 4)
    }
    return places.length > 0 ? { places, starts, misreadPlanes } : undefined
  } finally {
    await file.close()
  }
}
