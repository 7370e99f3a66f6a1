import { beyondFormat, damaged } from './failures.ts'

/** Bytes per value by type (TIFF 6.0, section 2; 13 is a directory offset, Technical Note 1). */
const TYPE_BYTES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]

/** Tags whose values are file offsets: pixels, old-style JPEG, and further directories. */
const PIXEL_PLACES = new Set([273, 324, 288, 513])
const DIRECTORY_PLACES = new Set([330, 34665, 34853, 40965])

const LARGEST = 2 ** 32 - 1

/** Reads and writes the numbers of one file in its byte order. */
class Numbers {
  readonly bytes: Buffer
  readonly isLittle: boolean

  constructor(bytes: Buffer) {
    this.bytes = bytes
    this.isLittle = bytes.toString('latin1', 0, 2) === 'II'
    if (this.u16(2) !== 42) throw damaged('The page is not a classic TIFF file')
  }
  u16(at: number): number {
    return this.isLittle ? this.bytes.readUInt16LE(at) : this.bytes.readUInt16BE(at)
  }
  u32(at: number): number {
    return this.isLittle ? this.bytes.readUInt32LE(at) : this.bytes.readUInt32BE(at)
  }
  put32(at: number, value: number): void {
    if (this.isLittle) this.bytes.writeUInt32LE(value, at)
    else this.bytes.writeUInt32BE(value, at)
  }
}

/** Shifts the offsets in a directory. @returns the position of its link to the next directory */
function moveDirectory(file: Numbers, start: number, by: number): number {
  const end = start + 2 + file.u16(start) * 12
  for (let entry = start + 2; entry < end; entry += 12) {
    const [tag, type, count] = [file.u16(entry), file.u16(entry + 2), file.u32(entry + 4)]
    const isElsewhere = (TYPE_BYTES[type] ?? 1) * count > 4
    const values = isElsewhere ? file.u32(entry + 8) : entry + 8
    const isDirectory = DIRECTORY_PLACES.has(tag)
    // Offsets with fewer than 32 bits cannot be shifted; current writers do not use them.
    if ((isDirectory || PIXEL_PLACES.has(tag)) && TYPE_BYTES[type] === 4)
      for (let at = values; at < values + count * 4; at += 4) {
        if (isDirectory) moveDirectory(file, file.u32(at), by)
        file.put32(at, file.u32(at) + by)
      }
    if (isElsewhere) file.put32(entry + 8, values + by)
  }
  return end
}

/**
 * Joins single-page TIFF files into one file; the encoding of each page is unchanged.
 * @throws TARGET_UNREACHABLE when the result exceeds the 4 GB limit of TIFF
 */
export function joinTiffs(pages: readonly Buffer[]): Buffer {
  const parts: Buffer[] = []
  let size = 0
  let link: { file: Numbers; at: number } | undefined
  for (const page of pages) {
    const file = new Numbers(Buffer.from(page))
    const directory = file.u32(4)
    const end = moveDirectory(file, directory, size)
    if (link) link.file.put32(link.at, directory + size)
    file.put32(end, 0)
    link = { file, at: end }
    // Directories start at even offsets.
    const padded = file.bytes.length % 2 === 0 ? file.bytes : Buffer.concat([file.bytes, Buffer.alloc(1)])
    parts.push(padded)
    size += padded.length
    if (size > LARGEST)
      throw beyondFormat('The pages together are larger than the 4 GB of a TIFF', 'Choose a quality, or fewer pages.')
  }
  return Buffer.concat(parts)
}
