/** Tags of TIFF 6.0 and EXIF 2.3 that the tests use, with the values they expect in outputs. */
export const ARTIST = 'Jane Q. Public'
export const GPS_DATUM = 'SECRET-PLACE'

type Entry = [tag: number, type: number, count: number, value: number | Buffer]

/** One directory followed by its values, little-endian; `base` is its offset in the block. */
function directory(entries: readonly Entry[], base: number): Buffer {
  const head = Buffer.alloc(2 + entries.length * 12 + 4)
  head.writeUInt16LE(entries.length, 0)
  const bodies: Buffer[] = []
  let offset = base + head.length
  entries.forEach(([tag, type, count, value], index) => {
    const at = 2 + index * 12
    head.writeUInt16LE(tag, at)
    head.writeUInt16LE(type, at + 2)
    head.writeUInt32LE(count, at + 4)
    if (typeof value === 'number') head.writeUInt32LE(value, at + 8)
    else if (value.length <= 4) value.copy(head, at + 8)
    else {
      head.writeUInt32LE(offset, at + 8)
      bodies.push(value, Buffer.alloc(value.length % 2))
      offset += value.length + (value.length % 2)
    }
  })
  return Buffer.concat([head, ...bodies])
}

const ascii = (tag: number, text: string): Entry => [tag, 2, text.length + 1, Buffer.from(`${text}\0`, 'latin1')]

function rationals(...values: [number, number][]): Buffer {
  const bytes = Buffer.alloc(values.length * 8)
  values.flat().forEach((value, index) => {
    bytes.writeUInt32LE(value, index * 4)
  })
  return bytes
}

/** An EXIF block by script (no prefix): orientation, artist and coordinates, 52° 31' 12" north, 13° 24' 18" west. */
export function exifBlock(orientation = 1): Buffer {
  const header = Buffer.from([0x49, 0x49, 42, 0, 8, 0, 0, 0])
  const main = (gpsAt: number): Buffer =>
    directory([[0x0112, 3, 1, orientation], ascii(0x013b, ARTIST), [0x8825, 4, 1, gpsAt]], 8)
  const gpsAt = 8 + main(0).length
  const gps = directory(
    [
      ascii(1, 'N'),
      [2, 5, 3, rationals([52, 1], [31, 1], [12, 1])],
      ascii(3, 'W'),
      [4, 5, 3, rationals([13, 1], [24, 1], [18, 1])],
      ascii(0x12, GPS_DATUM),
    ],
    gpsAt,
  )
  return Buffer.concat([header, main(gpsAt), gps])
}

/** A JPEG with an EXIF block at its start. */
export function jpegWithExif(jpeg: Buffer, exif: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), exif])
  const marker = Buffer.from([0xff, 0xe1, 0, 0])
  marker.writeUInt16BE(body.length + 2, 2)
  return Buffer.concat([jpeg.subarray(0, 2), marker, body, jpeg.subarray(2)])
}

/** A JPEG with an XMP packet that contains `word`. */
export function jpegWithXmp(jpeg: Buffer, word: string): Buffer {
  const packet = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" dc:source="${word}"/></rdf:RDF></x:xmpmeta>`
  const body = Buffer.from(`http://ns.adobe.com/xap/1.0/\0${packet}`, 'latin1')
  const marker = Buffer.from([0xff, 0xe1, 0, 0])
  marker.writeUInt16BE(body.length + 2, 2)
  return Buffer.concat([jpeg.subarray(0, 2), marker, body, jpeg.subarray(2)])
}

/** The picture as a rotated camera stores it: turned back, so that `orientation` makes it upright. */
export const STORED: Record<number, { flop?: boolean; flip?: boolean; rotate?: number }> = {
  1: {},
  2: { flop: true },
  3: { rotate: 180 },
  4: { flip: true },
  // Mirrored along one diagonal: sharp mirrors before it rotates.
  5: { flop: true, rotate: 270 },
  6: { rotate: 270 },
  7: { flop: true, rotate: 90 },
  8: { rotate: 90 },
}
