import type { Kind } from './strip-kind.ts'

const EXTENSION = 0x21
const PICTURE = 0x2c
const TRAILER = 0x3b
const COMMENT = 0xfe
const APPLICATION = 0xff

const tableBytes = (flags: number): number => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0)

/** The end of the data blocks that start at `at`; undefined if they are truncated. */
function behindBlocks(gif: Buffer, at: number): number | undefined {
  let next = at
  while (next < gif.length && gif[next] !== 0) next += gif[next]! + 1
  return next < gif.length ? next + 1 : undefined
}

/** Classifies an extension; the loop count of an animation belongs to the image (GIF89a, 23 to 26). */
function kindOfExtension(gif: Buffer, at: number): Kind | undefined {
  if (gif[at + 1] === COMMENT) return 'other'
  if (gif[at + 1] !== APPLICATION) return undefined
  const name = gif.toString('latin1', at + 3, at + 14)
  if (name === 'NETSCAPE2.0' || name === 'ANIMEXTS1.0') return undefined
  if (name === 'XMP DataXMP') return 'xmp'
  return name.startsWith('ICCRGBG1') ? 'icc' : 'other'
}

/** Removes blocks of the given types from a GIF, and data after its end; undefined for a truncated file. */
export function stripGif(gif: Buffer, drops: ReadonlySet<Kind>): Buffer | undefined {
  if (gif.length < 14) return undefined
  const start = 13 + tableBytes(gif[10]!)
  const parts = [gif.subarray(0, start)]
  for (let at = start; at < gif.length; ) {
    if (gif[at] === TRAILER) {
      parts.push(gif.subarray(at, drops.has('other') ? at + 1 : gif.length))
      return Buffer.concat(parts)
    }
    const isPicture = gif[at] === PICTURE
    if (!isPicture && gif[at] !== EXTENSION) return undefined
    const end = behindBlocks(gif, isPicture ? at + 11 + tableBytes(gif[at + 9] ?? 0) : at + 2)
    if (end === undefined) return undefined
    const kind = isPicture ? undefined : kindOfExtension(gif, at)
    if (kind === undefined || !drops.has(kind)) parts.push(gif.subarray(at, end))
    at = end
  }
  return undefined
}
