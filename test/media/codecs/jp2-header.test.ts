import { expect, test } from 'vitest'
import { readJp2Facts } from '../../../src/media/codecs/jp2-header.ts'

/** SOC and SIZ of a codestream with components of the given bits. */
function codestream(...bits: number[]): Buffer {
  const siz = Buffer.alloc(38)
  siz.writeUInt16BE(38 + bits.length * 3, 0)
  siz.writeUInt16BE(bits.length, 36)
  return Buffer.concat([
    Buffer.from([0xff, 0x4f, 0xff, 0x51]),
    siz,
    Buffer.from(bits.flatMap((depth) => [depth - 1, 1, 1])),
  ])
}

test('the depth of the deepest component, signed or not, and 8 for less and for damage', () => {
  expect(readJp2Facts(codestream(8, 12, 10))).toEqual({ bits: 12, hasIcc: false })
  expect(readJp2Facts(codestream(0x80 + 16)).bits).toBe(16)
  expect(readJp2Facts(codestream(1)).bits).toBe(8)
  expect(readJp2Facts(Buffer.from([0xff, 0x4f])).bits).toBe(8)
})

test('a profile in the header of the file', () => {
  const colour = (method: number) => Buffer.concat([Buffer.from('....colr'), Buffer.from([method, 0, 0])])
  expect(readJp2Facts(Buffer.concat([colour(2), codestream(16)])).hasIcc).toBe(true)
  expect(readJp2Facts(Buffer.concat([colour(1), codestream(16)])).hasIcc).toBe(false)
})
