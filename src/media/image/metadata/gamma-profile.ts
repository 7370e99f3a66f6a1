/** Signed 15.16 fixed point (ICC.1:2010, 4.6). */
function fixed(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(Math.round(value * 65536))
  return bytes
}

const signed = (signature: string, ...parts: Buffer[]): Buffer =>
  Buffer.concat([Buffer.from(`${signature}\0\0\0\0`, 'latin1'), ...parts])

const xyz = (x: number, y: number, z: number): Buffer => signed('XYZ ', fixed(x), fixed(y), fixed(z))

/** The white point of profiles, and sRGB's primaries adapted to it (IEC 61966-2-1, annex; ICC.1:2010, 7.2.16). */
const D50 = [0.9642, 1, 0.8249] as const
const PRIMARIES = {
  rXYZ: [0.43607, 0.22249, 0.01392],
  gXYZ: [0.38515, 0.71687, 0.09708],
  bXYZ: [0.14307, 0.06061, 0.7141],
} as const

function description(text: string): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(text.length + 1)
  return signed('desc', length, Buffer.from(`${text}\0`, 'latin1'), Buffer.alloc(78))
}

/** A curve with a single exponent, in 8.8 fixed point (ICC.1:2001, 6.5.3). */
function curve(exponent: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt32BE(1, 0)
  bytes.writeUInt16BE(Math.round(exponent * 256), 4)
  return signed('curv', bytes)
}

/** An ICC profile, version 2.1, with sRGB's primaries (or grey) and a gamma curve with this `exponent`. */
export function gammaProfile(exponent: number, space: 'rgb' | 'grey'): Buffer {
  const tags: [signature: string, body: Buffer][] = [
    ['desc', description(`Gamma ${exponent.toFixed(2)}`)],
    ['cprt', signed('text', Buffer.from('No copyright\0', 'latin1'))],
    ['wtpt', xyz(...D50)],
  ]
  if (space === 'grey') tags.push(['kTRC', curve(exponent)])
  else {
    for (const [signature, [x, y, z]] of Object.entries(PRIMARIES)) tags.push([signature, xyz(x, y, z)])
    for (const signature of ['rTRC', 'gTRC', 'bTRC']) tags.push([signature, curve(exponent)])
  }
  const table = Buffer.alloc(4 + tags.length * 12)
  table.writeUInt32BE(tags.length, 0)
  const bodies: Buffer[] = []
  let offset = 128 + table.length
  tags.forEach(([signature, body], index) => {
    const padded = Buffer.concat([body, Buffer.alloc((4 - (body.length % 4)) % 4)])
    const entry = 4 + index * 12
    table.write(signature, entry, 'latin1')
    table.writeUInt32BE(offset, entry + 4)
    table.writeUInt32BE(body.length, entry + 8)
    bodies.push(padded)
    offset += padded.length
  })
  const header = Buffer.alloc(128)
  header.writeUInt32BE(offset, 0)
  header.set([2, 0x10], 8)
  header.write(space === 'grey' ? 'mntrGRAYXYZ ' : 'mntrRGB XYZ ', 12, 'latin1')
  header.write('acsp', 36, 'latin1')
  Buffer.concat(D50.map(fixed)).copy(header, 68)
  return Buffer.concat([header, table, ...bodies])
}
