/** One picture of a GIF: the offsets of its parts, and the content of its control block (GIF89a, 20 to 23). */
export interface GifPicture {
  /** Offset of the control block, starting with its introducer; undefined if there is none. */
  control: number | undefined
  /** Offset of the image descriptor. */
  descriptor: number
  /** Disposal method before the next picture: 2 clears its region. */
  disposal: number
  isTransparent: boolean
  left: number
  top: number
  width: number
  height: number
  /** Offset of the encoded pixels, starting with the minimum code size. */
  data: number
}

export interface GifLayout {
  width: number
  height: number
  pictures: GifPicture[]
  /** Whether the end of the file is missing. */
  isCutOff: boolean
}

const EXTENSION = 0x21
const CONTROL = 0xf9
const PICTURE = 0x2c

const tableBytes = (flags: number): number => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0)

/** Returns the end of the data blocks that start at `at`. */
function behindBlocks(gif: Buffer, at: number): number {
  let next = at
  while (next < gif.length && gif[next] !== 0) next += gif[next]! + 1
  return next + 1
}

/** Lists the pictures of a GIF without decoding; undefined if even the file header is missing. */
export function gifLayout(gif: Buffer): GifLayout | undefined {
  if (gif.length < 13) return undefined
  const pictures: GifPicture[] = []
  let control: number | undefined
  let at: number
  for (at = 13 + tableBytes(gif[10]!); at < gif.length; ) {
    if (gif[at] === EXTENSION) {
      if (gif[at + 1] === CONTROL && at + 8 <= gif.length) control = at
      at = behindBlocks(gif, at + 2)
    } else if (gif[at] === PICTURE && at + 11 <= gif.length) {
      const flags = control === undefined ? 0 : gif[control + 3]!
      const data = at + 10 + tableBytes(gif[at + 9]!)
      const [left, top, width, height] = [1, 3, 5, 7].map((offset) =>
        gif.readUInt16LE(at + offset),
      ) as never as number[]
      pictures.push({
        ...{ control, descriptor: at, disposal: (flags >> 2) & 7, isTransparent: (flags & 1) === 1, data },
        ...{ left: left!, top: top!, width: width!, height: height! },
      })
      control = undefined
      at = behindBlocks(gif, data + 1)
    } else break
  }
  // Anything else in place of a block, the trailer or unknown data, ends the file.
  const isCutOff = at >= gif.length || gif[at] === EXTENSION || gif[at] === PICTURE
  return { width: gif.readUInt16LE(6), height: gif.readUInt16LE(8), pictures, isCutOff }
}

/** Maximum code length of GIF's LZW, bits (GIF89a, appendix F). */
const MAX_BITS = 12

/**
 * Finds a colour index that no pixel of the picture uses. LZW strings consist of indices that occurred as single codes
 * before, so checking the codes is sufficient.
 */
export function unusedColour(gif: Buffer, { data }: GifPicture): number | undefined {
  const first = gif[data]!
  const clear = 1 << first
  const used = new Uint8Array(clear)
  let [bits, count, width, next] = [0, 0, first + 1, clear + 1]
  for (let at = data + 1; at < gif.length && gif[at] !== 0; at += gif[at]! + 1) {
    const end = Math.min(gif.length, at + 1 + gif[at]!)
    for (let byte = at + 1; byte < end; byte += 1) {
      bits |= gif[byte]! << count
      count += 8
      while (count >= width) {
        const code = bits & ((1 << width) - 1)
        bits >>>= width
        count -= width
        if (code < clear) used[code] = 1
        // The first code after a clear code adds no table entry, because it has no predecessor.
        if (code === clear) [width, next] = [first + 1, clear + 1]
        else next += 1
        if (next === 1 << width && width < MAX_BITS) width += 1
      }
    }
  }
  // Indices beyond the root codes cannot be pixels.
  if (clear < 256) return clear
  const free = used.lastIndexOf(0)
  return free < 0 ? undefined : free
}
