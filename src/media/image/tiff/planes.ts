import { openSharp } from '../../../engines/sharp.ts'
import { FORMAT, openTiffHeader, PHOTOMETRIC, PLANES, TAGS, type TiffHeader, valueBytes } from './header.ts'

/** A tag unknown to all readers: an entry with it has no effect. */
const UNKNOWN_TAG = 65_000

/** Samples of one channel, as bit patterns; floating point unchanged. */
export type PlaneSamples = Uint8Array | Uint16Array | Uint32Array | Float32Array

/** How the samples of a page are stored. */
export interface PlaneLayout {
  page: number
  bits: number
  isFloat: boolean
  /** Samples per pixel. */
  count: number
  isSeparate: boolean
}

const depthOf = ({ bits, isFloat }: PlaneLayout): 'uchar' | 'ushort' | 'uint' | 'float' =>
  isFloat ? 'float' : bits === 8 ? 'uchar' : bits === 16 ? 'ushort' : 'uint'

const ARRAYS = { uchar: Uint8Array, ushort: Uint16Array, uint: Uint32Array, float: Float32Array } as const

/**
 * Rewrites a directory so that it refers to the strips or tiles of one plane. Returns false if they are not a multiple
 * of the planes.
 */
function nameOnePlane(bytes: Buffer, header: TiffHeader, plane: number, layout: PlaneLayout): boolean {
  const isLittle = bytes[0] === 0x49
  const put = (at: number, value: number, size: 2 | 4): void =>
    void (isLittle ? bytes.writeUIntLE(value, at, size) : bytes.writeUIntBE(value, at, size))
  const isTiled = header.entryAt(TAGS.tileOffsets) !== undefined
  for (const tag of isTiled ? [TAGS.tileOffsets, TAGS.tileBytes] : [TAGS.stripOffsets, TAGS.stripBytes]) {
    const entry = header.entryAt(tag)
    const count = entry === undefined ? 0 : header.block.u32(entry + 4)
    if (entry === undefined || count === 0 || count % layout.count !== 0) return false
    const bytesEach = (valueBytes(header, entry) * count) / layout.count
    // Four bytes or fewer are stored in the entry itself.
    const start = (bytesEach * layout.count > 4 ? header.block.u32(entry + 8) : entry + 8) + plane * bytesEach
    put(entry + 4, count / layout.count, 4)
    if (bytesEach > 4) put(entry + 8, start, 4)
    else bytes.copy(bytes, entry + 8, start, start + bytesEach)
  }
  for (const [tag, value] of [
    [TAGS.bits, layout.bits],
    [TAGS.samplesPerPixel, 1],
    [TAGS.planes, PLANES.together],
    [TAGS.sampleFormat, layout.isFloat ? FORMAT.floating : FORMAT.unsigned],
  ] as const) {
    const entry = header.entryAt(tag)
    if (entry === undefined) continue
    put(entry + 4, 1, 4)
    put(entry + 8, value, 2)
  }
  const extra = header.entryAt(TAGS.extraSamples)
  if (extra !== undefined) put(extra, UNKNOWN_TAG, 2)
  return true
}

/**
 * Reads one channel of a page as a grey image. libvips rejects tiles of separate planes, mixes the rows of two separate
 * planes, and misinterprets colours of more than 16 bits, so the directory is changed in a copy.
 * @returns undefined if the strips or tiles do not match the number of planes
 */
export async function readPlane(
  bytes: Buffer,
  plane: number,
  layout: PlaneLayout,
): Promise<{ width: number; height: number; samples: PlaneSamples } | undefined> {
  const own = Buffer.from(bytes)
  const header = openTiffHeader(own, layout.page)
  if (!header || (layout.isSeparate && !nameOnePlane(own, header, plane, layout))) return undefined
  header.rewrite(TAGS.photometric, PHOTOMETRIC.blackIsZero)
  if (!layout.isFloat) header.rewrite(TAGS.sampleFormat, FORMAT.unsigned)
  const depth = depthOf(layout)
  const space = depth === 'ushort' ? 'grey16' : 'b-w'
  // Zero, because sharp rejects more than five channels by default.
  const image = await openSharp(own, { page: layout.page, ignoreIcc: true, limitInputChannels: 0 })
  const { data, info } = await image
    .pipelineColourspace(space)
    .toColourspace(space)
    .extractChannel((layout.isSeparate ? 0 : plane) as 0)
    .raw({ depth })
    .toBuffer({ resolveWithObject: true })
  const whole = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength) as ArrayBuffer
  return { width: info.width, height: info.height, samples: new ARRAYS[depth](whole) }
}
