/** Facts of a JPEG 2000 file that its decoder does not return. */
export interface Jp2Facts {
  /** Bits per sample of the deepest component. */
  bits: number
  /** It contains an ICC profile. */
  hasIcc: boolean
}

/** SOC and SIZ, the first markers of a codestream. */
const CODESTREAM = Buffer.from([0xff, 0x4f, 0xff, 0x51])
/** Offset of the first component from the codestream, after their number; each has three bytes. */
const COMPONENTS = 42
/** Value of METH in a colour specification box (ISO/IEC 15444-1, I.5.3.3). */
const RESTRICTED_ICC = 2

/** Reads depth and profile of a JP2 or J2K file; 8 bits if it has no codestream header. */
export function readJp2Facts(bytes: Uint8Array): Jp2Facts {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const start = file.indexOf(CODESTREAM)
  const colour = file.subarray(0, Math.max(0, start)).indexOf('colr')
  const hasIcc = colour >= 0 && file[colour + 4] === RESTRICTED_ICC
  const first = start + COMPONENTS
  if (start < 0 || first > file.length) return { bits: 8, hasIcc }
  const count = file.readUInt16BE(first - 2)
  const depths = Array.from({ length: count }, (_, index) => ((file[first + index * 3] ?? 7) & 0x7f) + 1)
  return { bits: Math.max(8, ...depths), hasIcc }
}
