/** The bytes at the start of a content type; `at` is their offset, 0 when absent. */
interface Signature {
  id: string
  hex: string
  at?: number
}

function text(id: string, characters: string, at = 0): Signature {
  return { id, at, hex: Buffer.from(characters, 'latin1').toString('hex') }
}

/**
 * Content types that the first bytes identify. Containers with several types (RIFF, ISO media, TIFF, ZIP, Ogg, XML …)
 * have separate functions. Longer signatures precede shorter ones that they contain.
 */
const SIGNATURES: Signature[] = [
  { id: 'jpg', hex: 'ffd8ff' },
  text('gif', 'GIF87a'),
  text('gif', 'GIF89a'),
  { id: 'jxl', hex: 'ff0a' },
  { id: 'jxl', hex: '0000000c4a584c200d0a870a' },
  { id: 'jp2', hex: '0000000c6a5020200d0a870a' },
  { id: 'jp2', hex: 'ff4fff51' },
  text('psd', '8BPS\0\x01'),
  text('psb', '8BPS\0\x02'),
  text('xcf', 'gimp xcf '),
  { id: 'exr', hex: '762f3101' },
  text('hdr', '#?RADIANCE'),
  text('hdr', '#?RGBE'),
  text('orf', 'IIRO'),
  text('orf', 'IIRS'),
  text('orf', 'MMOR'),
  text('rw2', 'IIU\0'),
  text('raf', 'FUJIFILMCCD-RAW'),
  text('qoi', 'qoif'),
  text('icns', 'icns\0'),
  text('dds', 'DDS '),
  text('fits', 'SIMPLE  ='),
  text('dpx', 'SDPX'),
  text('dpx', 'XPDS'),
  { id: 'eps', hex: 'c5d0d3c6' },
  text('flv', 'FLV\x01'),
  { id: 'mpg', hex: '000001ba' },
  { id: 'mpg', hex: '000001b3' },
  // The key of the header partition (SMPTE ST 377-1, 7.1); its last bytes are the type and the status.
  { id: 'mxf', hex: '060e2b34020501010d01020101' },
  text('flac', 'fLaC'),
  text('amr', '#!AMR'),
  { id: 'ac3', hex: '0b77' },
  text('gz', '\x1f\x8b\x08'),
  { id: '7z', hex: '377abcaf271c' },
  text('rar', 'Rar!\x1a\x07'),
  { id: 'bz2', hex: '314159265359', at: 4 },
  { id: 'xz', hex: 'fd377a585a00' },
  text('tar', 'ustar', 257),
  text('rtf', '{\\rtf'),
]

const COMPILED = SIGNATURES.map(({ id, hex, at = 0 }) => ({ id, at, bytes: Buffer.from(hex, 'hex') }))

/** Whether `bytes` contains `mark` (Latin-1) at `offset`. */
export function hasMark(bytes: Uint8Array, mark: string, offset = 0): boolean {
  if (bytes.length < offset + mark.length) return false
  for (let index = 0; index < mark.length; index++) {
    if (bytes[offset + index] !== mark.charCodeAt(index)) return false
  }
  return true
}

/** The id of the first signature in the table that matches the start of the bytes. */
export function matchSignature(head: Uint8Array): string | undefined {
  for (const { id, at, bytes } of COMPILED) {
    if (head.length >= at + bytes.length && bytes.every((byte, index) => head[at + index] === byte)) return id
  }
  return undefined
}
