/** DER, the encoding of certificates and signatures (ITU-T X.690). */

export const TAG = {
  integer: 0x02,
  bitString: 0x03,
  octets: 0x04,
  null: 0x05,
  oid: 0x06,
  sequence: 0x30,
  set: 0x31,
  /** Context-specific, constructed: [0], [1] … */
  context: 0xa0,
} as const

/** Maximum nesting depth and number of values of one structure. */
const MAX_DEPTH = 40
const MAX_NODES = 20_000

export interface Node {
  tag: number
  /** The whole encoding, with tag and length. */
  whole: Buffer
  content: Buffer
  /** The values inside, for constructed ones. */
  children: Node[]
}

export function encode(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const digits: number[] = []
  for (let rest = content.length; rest > 0; rest = Math.floor(rest / 256)) digits.unshift(rest % 256)
  const length = content.length < 128 ? [content.length] : [0x80 | digits.length, ...digits]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

export function encodeOid(oid: string): Buffer {
  const [first = 0, second = 0, ...rest] = oid.split('.').map(Number)
  const bytes = [first * 40 + second, ...rest].flatMap((part) => {
    const groups = [part % 128]
    for (let left = Math.floor(part / 128); left > 0; left = Math.floor(left / 128)) groups.unshift(128 | (left % 128))
    return groups
  })
  return encode(TAG.oid, Buffer.from(bytes))
}

export function oidOf({ content }: Node): string {
  const parts: number[] = []
  let value = 0
  for (const byte of content) {
    value = value * 128 + (byte & 127)
    if (byte & 128) continue
    if (parts.length === 0)
      parts.push(Math.min(2, Math.floor(value / 40)), value - 40 * Math.min(2, Math.floor(value / 40)))
    else parts.push(value)
    value = 0
  }
  return parts.join('.')
}

/**
 * Reads the value at the beginning of the bytes; bytes after it are ignored. Indefinite lengths (BER) are read, too.
 * @throws Error for a structure that is cut, too deep or too large
 */
export function decode(bytes: Buffer): Node {
  let nodes = 0
  const read = (at: number, end: number, depth: number): { node: Node; next: number } => {
    if (depth > MAX_DEPTH || ++nodes > MAX_NODES) throw new Error('The structure is too deep or too large')
    const tag = bytes[at]
    const first = bytes[at + 1]
    if (tag === undefined || first === undefined || at + 2 > end) throw new Error('The structure is cut')
    let start = at + 2
    let length = first
    const isOpen = first === 0x80
    if (first > 0x80) {
      const count = first & 0x7f
      if (count > 4) throw new Error('A length is too large')
      length = bytes.readUIntBE(start, count)
      start += count
    }
    const limit = isOpen ? end : start + length
    if (limit > end) throw new Error('The structure is cut')
    const children: Node[] = []
    let position = start
    if (tag & 0x20)
      while (position < limit) {
        if (isOpen && bytes[position] === 0 && bytes[position + 1] === 0) break
        const child = read(position, limit, depth + 1)
        children.push(child.node)
        position = child.next
      }
    else if (isOpen) throw new Error('A length is missing')
    const stop = isOpen ? position : limit
    const next = isOpen ? position + 2 : limit
    return { node: { tag, whole: bytes.subarray(at, next), content: bytes.subarray(start, stop), children }, next }
  }
  return read(0, bytes.length, 0).node
}
