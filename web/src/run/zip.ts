/** A ZIP of results, without compression: they are compressed already. */
import { STRINGS } from '../strings.ts'

/** Limits of the format without extensions: files, and bytes with all headers. */
const [MOST_FILES, MOST_BYTES] = [0xffff, 0xffff_ffff]
/** Bytes of the headers of a file, besides its name. */
const HEADERS = 30 + 46

/** Refuses what the format cannot hold: its numbers would wrap, and the archive would be damaged. @throws Error */
export function checkZip(files: readonly { name: string; bytes: number }[]): void {
  const size = files.reduce((sum, { name, bytes }) => sum + bytes + HEADERS + 2 * 3 * (name.length + 8), 22)
  if (files.length > MOST_FILES || size > MOST_BYTES) throw new Error(STRINGS.results.zipTooLarge)
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value >>> 0
})

/** CRC-32 as in ISO 3309. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8)
  return (crc ^ 0xffffffff) >>> 0
}

interface Entry {
  name: Uint8Array
  size: number
  crc: number
  at: number
}

/** Names are UTF-8 (bit 11); the date is 1980-01-01. */
function header(isCentral: boolean, { name, size, crc, at }: Entry): Uint8Array<ArrayBuffer> {
  const fixed = isCentral ? 46 : 30
  const bytes = new Uint8Array(fixed + name.length)
  const view = new DataView(bytes.buffer)
  const common = isCentral ? 6 : 4
  view.setUint32(0, isCentral ? 0x02014b50 : 0x04034b50, true)
  if (isCentral) view.setUint16(4, 20, true)
  view.setUint16(common, 20, true)
  view.setUint16(common + 2, 0x0800, true)
  view.setUint16(common + 8, 0x21, true)
  view.setUint32(common + 10, crc, true)
  view.setUint32(common + 14, size, true)
  view.setUint32(common + 18, size, true)
  view.setUint16(common + 22, name.length, true)
  if (isCentral) view.setUint32(42, at, true)
  bytes.set(name, fixed)
  return bytes
}

/** `a.png`, `a_1.png`, … for equal names. */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set<string>()
  return names.map((name) => {
    const dot = name.lastIndexOf('.')
    const [stem, end] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
    let unique = name
    for (let count = 1; taken.has(unique.toLowerCase()); count += 1) unique = `${stem}_${count}${end}`
    taken.add(unique.toLowerCase())
    return unique
  })
}

/** Packs files under their names. @throws Error for more than the format can hold */
export async function zipOf(files: readonly { name: string; blob: Blob }[]): Promise<Blob> {
  checkZip(files.map(({ name, blob }) => ({ name, bytes: blob.size })))
  const names = uniqueNames(files.map(({ name }) => name))
  const parts: BlobPart[] = []
  const entries: Entry[] = []
  let at = 0
  for (const [index, { blob }] of files.entries()) {
    const bytes = new Uint8Array(await blob.arrayBuffer())
    const name = new TextEncoder().encode(names[index] ?? '')
    const entry = { name, size: bytes.length, crc: crc32(bytes), at }
    const head = header(false, entry)
    parts.push(head, blob)
    at += head.length + bytes.length
    entries.push(entry)
  }
  const central = entries.map((entry) => header(true, entry))
  const size = central.reduce((sum, { length }) => sum + length, 0)
  const end = new DataView(new ArrayBuffer(22))
  end.setUint32(0, 0x06054b50, true)
  end.setUint16(8, entries.length, true)
  end.setUint16(10, entries.length, true)
  end.setUint32(12, size, true)
  end.setUint32(16, at, true)
  return new Blob([...parts, ...central, end.buffer], { type: 'application/zip' })
}
