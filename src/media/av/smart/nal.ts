/** A codec whose groups of pictures can be joined with encoded ones. */
export type JoinedCodec = 'h264' | 'hevc'

/** The types of network abstraction layer units that joining needs (ITU-T H.264, table 7-1; H.265, table 7-1). */
export const NAL = {
  h264: { idr: 5, sps: 7, pps: 8, aud: 9 },
  hevc: { firstIrap: 16, blaWithoutLeading: 18, cra: 21, lastIrap: 21, vps: 32, sps: 33, pps: 34, aud: 35 },
} as const

/** The type of a NAL unit. */
export const nalType = (codec: JoinedCodec, unit: Buffer): number => {
  const [first = 0] = unit
  return codec === 'h264' ? first & 0x1f : (first >> 1) & 0x3f
}

/** The NAL units of a byte stream (Annex B), without start codes and the zeros after a unit. */
export function nalUnits(stream: Buffer): Buffer[] {
  const units: Buffer[] = []
  let start = -1
  for (let at = stream.indexOf('\0\0\x01', 0, 'latin1'); at >= 0; ) {
    if (start >= 0) units.push(withoutZeros(stream.subarray(start, at)))
    start = at + 3
    at = stream.indexOf('\0\0\x01', start, 'latin1')
  }
  if (start >= 0) units.push(withoutZeros(stream.subarray(start)))
  return units.filter(({ length }) => length > 0)
}

function withoutZeros(unit: Buffer): Buffer {
  let end = unit.length
  while (end > 0 && unit[end - 1] === 0) end -= 1
  return unit.subarray(0, end)
}

/** The units of a sample as MP4 stores them: each after its length in four bytes (ISO/IEC 14496-15). */
export function lengthPrefixed(units: readonly Buffer[]): Buffer {
  return Buffer.concat(
    units.flatMap((unit) => {
      const length = Buffer.alloc(4)
      length.writeUInt32BE(unit.length)
      return [length, unit]
    }),
  )
}

/** The payload of a unit without emulation prevention: `00 00 03` becomes `00 00`. */
export function unescaped(unit: Buffer): Buffer {
  const bytes: number[] = []
  let zeros = 0
  for (const byte of unit) {
    if (zeros >= 2 && byte === 3) {
      zeros = 0
      continue
    }
    zeros = byte === 0 ? zeros + 1 : 0
    bytes.push(byte)
  }
  return Buffer.from(bytes)
}

/** Reads an unsigned Exp-Golomb number (ITU-T H.264, 9.1) at a bit. @returns the value and the bit after it */
export function expGolomb(bytes: Buffer, bit: number): { value: number; end: number } {
  const at = (index: number): number => ((bytes[index >> 3] ?? 0) >> (7 - (index & 7))) & 1
  let zeros = 0
  while (zeros < 31 && at(bit + zeros) === 0) zeros += 1
  let value = 0
  for (let index = 0; index <= zeros; index += 1) value = value * 2 + at(bit + zeros + index)
  return { value: value - 1, end: bit + 2 * zeros + 1 }
}
