import { MediaprocError } from '../../errors.ts'
import { runGhostscript } from './ghostscript.ts'

/** The drawing's box in points: `%%HiResBoundingBox` or `%%BoundingBox` (Adobe EPSF 3.0), in the header or the trailer. */
function boundingBox(text: string): [number, number, number, number] | undefined {
  const numbers = String.raw`\s+(-?[\d.]+)\s+(-?[\d.]+)\s+(-?[\d.]+)\s+(-?[\d.]+)`
  for (const name of ['%%HiResBoundingBox:', '%%BoundingBox:']) {
    const found = new RegExp(name + numbers).exec(text)
    if (found) return found.slice(1, 5).map(Number) as [number, number, number, number]
  }
  return undefined
}

/** Windows EPS files have a preview before the PostScript; their header contains its offset (EPSF 3.0, 8). */
function postScriptOf(bytes: Buffer): Buffer {
  if (bytes.length < 30 || bytes.readUInt32BE(0) !== 0xc5d0d3c6) return bytes
  const start = bytes.readUInt32LE(4)
  return bytes.subarray(start, start + bytes.readUInt32LE(8))
}

/**
 * Converts an EPS drawing to PNG, cropped to its bounding box, with a transparent background.
 * @param check called with the size in pixels before rendering; throws when it is too large
 */
export async function rasteriseEps(
  bytes: Buffer,
  dpi: number,
  name: string,
  check: (width: number, height: number) => void,
): Promise<Buffer> {
  const source = postScriptOf(bytes)
  const box = boundingBox(source.toString('latin1'))
  if (!box) throw new MediaprocError('INVALID_FILE', `${name} has no bounding box, so it is not a complete EPS file`)
  const [left, bottom, right, top] = box
  const width = Math.ceil(((right - left) * dpi) / 72)
  const height = Math.ceil(((top - bottom) * dpi) / 72)
  if (width < 1 || height < 1) throw new MediaprocError('INVALID_FILE', `${name} has an empty bounding box`)
  check(width, height)
  const args = [
    '-dEPSCrop',
    '-sDEVICE=pngalpha',
    `-r${dpi}`,
    // Buffers the whole image in memory (bytes): rendering in bands fails in the WebAssembly build (1.1.0).
    '-dMaxBitmap=1000000000',
    '-dTextAlphaBits=4',
    '-dGraphicsAlphaBits=4',
    '-sOutputFile=out.png',
    'in.eps',
  ]
  const drawn = (await runGhostscript(args, { 'in.eps': source })).get('out.png')
  if (!drawn || drawn.length === 0) throw new MediaprocError('INVALID_FILE', `${name} draws nothing`)
  return Buffer.from(drawn)
}
