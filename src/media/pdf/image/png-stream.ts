/** The parts of a PNG that a PDF image can reuse unchanged: its rows are FlateDecode with PNG predictors. */
export interface PngStream {
  width: number
  height: number
  /** Bits per sample: 1, 2, 4, 8 or 16. */
  bits: number
  colour: 'grey' | 'rgb' | 'palette'
  /** Red, green and blue of each colour, for `palette`. */
  palette?: Buffer
  /** All IDAT chunks as one zlib stream. */
  data: Buffer
}

const SIGNATURE = 8

/** Colour types without alpha (PNG specification, table 11.1). */
const COLOURS: Readonly<Record<number, PngStream['colour']>> = { 0: 'grey', 2: 'rgb', 3: 'palette' }

/** Parses a PNG. Undefined if a PDF cannot hold it unchanged: alpha, a transparent colour, interlacing, damage. */
export function takePngStream(png: Buffer): PngStream | undefined {
  const parts: Buffer[] = []
  let header: Buffer | undefined
  let palette: Buffer | undefined
  for (let at = SIGNATURE; at + 12 <= png.length; ) {
    const length = png.readUInt32BE(at)
    const type = png.toString('latin1', at + 4, at + 8)
    const body = png.subarray(at + 8, at + 8 + length)
    if (body.length < length) return undefined
    if (type === 'IHDR') header = body
    else if (type === 'PLTE') palette = body
    else if (type === 'tRNS') return undefined
    else if (type === 'IDAT') parts.push(body)
    else if (type === 'IEND') break
    at += 12 + length
  }
  if (!header || header.length < 13 || parts.length === 0) return undefined
  const colour = COLOURS[header[9]!]
  const isInterlaced = header[12] !== 0
  if (!colour || isInterlaced || (colour === 'palette' && !palette)) return undefined
  return {
    width: header.readUInt32BE(0),
    height: header.readUInt32BE(4),
    bits: header[8]!,
    colour,
    ...(colour === 'palette' && { palette: palette! }),
    data: parts.length === 1 ? parts[0]! : Buffer.concat(parts),
  }
}
