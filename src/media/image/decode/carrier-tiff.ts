import { endianness } from 'node:os'

/** Interleaved samples of a colour space that PNG does not support, without alpha. */
export interface InkPixels {
  width: number
  height: number
  /** cmyk: 4 samples of 8 bits, 0 is no ink. lab: 3 samples of 16 bits, a and b centred at half. */
  space: 'cmyk' | 'lab'
  data: Uint8Array | Uint16Array
  icc?: Uint8Array
  /** Dots per inch. */
  density?: number
}

/** Tags of TIFF 6.0, and of ICC.1:2010 annex B for the profile. */
const TAG = {
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  photometric: 262,
  strip: 273,
  samples: 277,
  rows: 278,
  stripBytes: 279,
  resolutionX: 282,
  resolutionY: 283,
  resolutionUnit: 296,
  profile: 34675,
}

const TYPE = { short: 3, long: 4, rational: 5, bytes: 7 }
const PHOTOMETRIC = { cmyk: 5, lab: 8 }

/** Lab in TIFF has signed a and b, centred at 0 (TIFF 6.0, section 23). */
const signedLab = (data: Uint8Array | Uint16Array): Uint16Array =>
  Uint16Array.from(data, (value, index) => (index % 3 === 0 ? value : value ^ 0x8000))

/**
 * An uncompressed TIFF in memory, used to pass CMYK and Lab pixels from the built-in decoders to sharp with their
 * profile.
 */
export function inkTiff({ width, height, space, data, icc, density = 72 }: InkPixels): Buffer {
  const little = endianness() === 'LE'
  const samples = space === 'cmyk' ? 4 : 3
  const stored = space === 'lab' ? signedLab(data) : data
  const pixels = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength)
  const bitsAt = 8
  const resolutionAt = bitsAt + samples * 2
  const profileAt = resolutionAt + 8
  const pixelsAt = profileAt + Math.ceil((icc?.length ?? 0) / 2) * 2
  const directoryAt = pixelsAt + Math.ceil(pixels.length / 2) * 2
  const entries: [tag: number, type: number, count: number, value: number][] = [
    [TAG.width, TYPE.long, 1, width],
    [TAG.height, TYPE.long, 1, height],
    [TAG.bits, TYPE.short, samples, bitsAt],
    [TAG.compression, TYPE.long, 1, 1],
    [TAG.photometric, TYPE.long, 1, PHOTOMETRIC[space]],
    [TAG.strip, TYPE.long, 1, pixelsAt],
    [TAG.samples, TYPE.long, 1, samples],
    [TAG.rows, TYPE.long, 1, height],
    [TAG.stripBytes, TYPE.long, 1, pixels.length],
    [TAG.resolutionX, TYPE.rational, 1, resolutionAt],
    [TAG.resolutionY, TYPE.rational, 1, resolutionAt],
    [TAG.resolutionUnit, TYPE.long, 1, 2],
    ...(icc ? ([[TAG.profile, TYPE.bytes, icc.length, profileAt]] as [number, number, number, number][]) : []),
  ]
  const file = Buffer.alloc(directoryAt + 2 + entries.length * 12 + 4)
  const view = new DataView(file.buffer, file.byteOffset, file.length)
  file.write(little ? 'II' : 'MM', 0, 'latin1')
  view.setUint16(2, 42, little)
  view.setUint32(4, directoryAt, little)
  for (let sample = 0; sample < samples; sample++)
    view.setUint16(bitsAt + sample * 2, stored.BYTES_PER_ELEMENT * 8, little)
  view.setUint32(resolutionAt, Math.round(density * 1000), little)
  view.setUint32(resolutionAt + 4, 1000, little)
  if (icc) file.set(icc, profileAt)
  file.set(pixels, pixelsAt)
  view.setUint16(directoryAt, entries.length, little)
  entries.forEach(([tag, type, count, value], index) => {
    const at = directoryAt + 2 + index * 12
    view.setUint16(at, tag, little)
    view.setUint16(at + 2, type, little)
    view.setUint32(at + 4, count, little)
    view.setUint32(at + 8, value, little)
  })
  return file
}
