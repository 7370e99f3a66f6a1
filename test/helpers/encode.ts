import { decodeBytes } from '../../src/media/encoding/decoder.ts'

const tables = new Map<string, Map<string, readonly number[]>>()

/** Every character of an encoding of one or two bytes, found by decoding all of them. */
function tableOf(encoding: string): Map<string, readonly number[]> {
  const known = tables.get(encoding)
  if (known) return known
  const table = new Map<string, readonly number[]>()
  const put = (...bytes: number[]): void => {
    const text = decodeBytes(Uint8Array.from(bytes), encoding)
    if ([...text].length === 1 && text !== '\ufffd' && !table.has(text)) table.set(text, bytes)
  }
  for (let first = 0; first < 256; first += 1) put(first)
  if (/shift|euc|gb|big5/.test(encoding))
    for (let first = 0x81; first < 0xff; first += 1)
      for (let second = 0x40; second < 0xff; second += 1) put(first, second)
  tables.set(encoding, table)
  return table
}

/** Text as bytes of an encoding of one or two bytes. @throws Error for an unsupported character */
export function encodeText(text: string, encoding: string): Buffer {
  const table = tableOf(encoding)
  return Buffer.from(
    [...text].flatMap((character) => {
      const bytes = table.get(character)
      if (!bytes) throw new Error(`${encoding} has no ${character}`)
      return bytes
    }),
  )
}
