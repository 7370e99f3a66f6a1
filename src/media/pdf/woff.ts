import { inflateSync } from 'node:zlib'

const HEADER_LENGTH = 44
const ENTRY_LENGTH = 20
const SFNT_HEADER_LENGTH = 12
const SFNT_ENTRY_LENGTH = 16
/** No font that we ship or meet is larger; a bomb is. In bytes. */
const MAX_FONT_LENGTH = 64 * 1024 * 1024

/**
 * The OpenType font inside a WOFF file (version 1, https://www.w3.org/TR/WOFF/), which MuPDF's build cannot read by
 * itself; other bytes come back as they are. Throws a RangeError for a broken file.
 */
export function openTypeFromWoff(bytes: Uint8Array): Uint8Array {
  const woff = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (woff.toString('latin1', 0, 4) !== 'wOFF') return bytes
  const tables = woff.readUInt16BE(12)
  const tableStart = SFNT_HEADER_LENGTH + tables * SFNT_ENTRY_LENGTH
  const header = Buffer.alloc(tableStart)
  const bodies: Buffer[] = []
  // Search fields of the table directory: https://learn.microsoft.com/typography/opentype/spec/otff
  const power = 2 ** Math.floor(Math.log2(Math.max(tables, 1)))
  header.writeUInt32BE(woff.readUInt32BE(4), 0)
  header.writeUInt16BE(tables, 4)
  header.writeUInt16BE(power * 16, 6)
  header.writeUInt16BE(Math.log2(power), 8)
  header.writeUInt16BE((tables - power) * 16, 10)
  let position = tableStart
  for (let index = 0; index < tables; index++) {
    const entry = HEADER_LENGTH + index * ENTRY_LENGTH
    const [start, packedLength, length] = [4, 8, 12].map((offset) => woff.readUInt32BE(entry + offset)) as [
      number,
      number,
      number,
    ]
    if (length > MAX_FONT_LENGTH || position + length > MAX_FONT_LENGTH || start + packedLength > woff.length) {
      throw new RangeError('not a sound WOFF font')
    }
    const packed = woff.subarray(start, start + packedLength)
    const table = packedLength === length ? packed : inflateSync(packed, { maxOutputLength: length })
    const target = SFNT_HEADER_LENGTH + index * SFNT_ENTRY_LENGTH
    woff.copy(header, target, entry, entry + 4)
    header.writeUInt32BE(woff.readUInt32BE(entry + 16), target + 4)
    header.writeUInt32BE(position, target + 8)
    header.writeUInt32BE(length, target + 12)
    const padding = Buffer.alloc((4 - (length % 4)) % 4)
    bodies.push(table, padding)
    position += length + padding.length
  }
  return Buffer.concat([header, ...bodies])
}
