const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})

/**
 * CRC-32 as used by ZIP (APPNOTE 4.4.7). `zlib.crc32` does not exist in Node 20.18.
 * @param before the checksum of the preceding bytes, to continue from
 * @param start start and end offset in the array: creating views of many small parts would cost more than the checksums
 */
export function crc32(bytes: Uint8Array, before = 0, start = 0, end = bytes.length): number {
  let crc = before ^ 0xffffffff
  for (let at = start; at < end; at += 1) crc = TABLE[(crc ^ bytes[at]!) & 0xff]! ^ (crc >>> 8)
  return (crc ^ 0xffffffff) >>> 0
}
