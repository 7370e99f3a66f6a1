/** One picture of a GIF: where its parts stand, and what its control block says (GIF89a, 20 to 23). */
export interface GifPicture {
  /** Where the control block stands, its introducer first; undefined where there is none. */
  control: number | undefined
  /** Where the picture's own descriptor stands. */
  descriptor: number
  /** How its place is treated before the next: 2 clears it. */
  disposal: number
  isTransparent: boolean
  left: number
  top: number
  width: number
  height: number
  /** Where the coded pixels begin, with the size of their first codes. */
  data: number
}

export interface GifLayout {
  width: number
  height: number
  pictures: GifPicture[]
  /** Whether its end is missing. */
  isCutOff: boolean
}

const EXTENSION = 0x21
const CONTROL = 0xf9
const PICTURE = 0x2c

const tableBytes = (flags: number): number => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0)

/** Where the blocks of data that begin at `at` end. */
function behindBlocks(gif: Buffer, at: number): number {
  let next = at
  while (next < gif.length && gif[next] !== 0) next += gif[next]! + 1
  return next + 1
}

/** The pictures of a GIF, without decoding; undefined when not even its first header is there. */
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
  // Whatever stands there in place of a block, the trailer or what nobody knows, is its end.
  const isCutOff = at >= gif.length || gif[at] === EXTENSION || gif[at] === PICTURE
  return { width: gif.readUInt16LE(6), height: gif.readUInt16LE(8), pictures, isCutOff }
}

/** The largest code of GIF's LZW has so many bits (GIF89a, appendix F). */
const MAX_BITS = 12

/**
 * A colour number that no pixel of the picture has. Strings of LZW are made of numbers that were codes by themselves before,
 * so that the codes alone tell.
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
        // The first code after a clear makes no entry in the table: it has none before it.
        if (code === clear) [width, next] = [first + 1, clear + 1]
        else next += 1
        if (next === 1 << width && width < MAX_BITS) width += 1
      }
    }
  }
  // What lies beyond the first codes can be no pixel.
  if (clear < 256) return clear
  const free = used.lastIndexOf(0)
  return free < 0 ? undefined : free
}
