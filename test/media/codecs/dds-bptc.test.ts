/** Blocks of BC7 and BC6H in DDS. */
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { decodeDds } from '../../../src/media/codecs/dds/dds.ts'
import convert from '../../../tools/image/convert/convert.ts'
import { at, put, readRgba } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'
import { expectCutsRefused, expectSafe, little } from './helpers.ts'

const [BC6H, BC6H_SIGNED, BC7] = [95, 96, 98]

const dds = (format: number, blocks: Uint8Array, width = 4, height = 4): Buffer =>
  Buffer.concat([
    Buffer.from('DDS '),
    ...[little([124, 4], [0x1007, 4], [height, 4], [width, 4], [0, 4], [0, 4], [1, 4]), Buffer.alloc(44)],
    ...[little([32, 4], [4, 4]), Buffer.from('DX10'), Buffer.alloc(20)],
    little([0x1000, 4], [0, 4], [0, 4], [0, 4], [0, 4], [format, 4], [3, 4], [0, 4], [1, 4], [0, 4]),
    blocks,
  ])

/** Numbers of some bits each, the lowest first; the rest of the block is ones. */
function block(...fields: [value: number, bits: number][]): Buffer {
  let [sum, at] = [0n, 0n]
  for (const [value, bits] of fields) {
    sum |= BigInt.asUintN(bits, BigInt(value)) << at
    at += BigInt(bits)
  }
  sum |= ((1n << (128n - at)) - 1n) << at
  return Buffer.from(Array.from({ length: 16 }, (_, byte) => Number((sum >> BigInt(byte * 8)) & 255n)))
}

const hash = (data: Uint8Array): string => createHash('sha1').update(data).digest('hex').slice(0, 12)

describe('BC7', () => {
  /** Fields between the number of the mode and the colours, bits of colour and alpha, ends, lowest bits in common. */
  const MODES: [front: number, colour: number, alpha: number, ends: number, lowest: number, made: number[]][] = [
    [4, 4, 0, 6, 6, [255, 8, 140, 255]],
    [6, 6, 0, 4, 2, [255, 2, 131, 255]],
    [6, 5, 0, 6, 0, [255, 0, 132, 255]],
    [6, 7, 0, 4, 4, [255, 1, 129, 255]],
    [3, 5, 6, 2, 0, [255, 0, 132, 130]],
    [2, 7, 8, 2, 0, [255, 0, 129, 128]],
    [0, 7, 7, 2, 2, [255, 1, 129, 129]],
    [6, 5, 5, 4, 4, [255, 4, 134, 134]],
  ]

  /** Red is all ones, green zeros, blue and alpha the highest bit alone; the lowest bits are ones. */
  const oneColour = (mode: number): Buffer => {
    const [front, colour, alpha, ends, lowest] = MODES[mode]!
    const component = (value: number, bits: number): [number, number][] => Array(bits ? ends : 0).fill([value, bits])
    return block(
      [1 << mode, mode + 1],
      [0, front],
      ...component((1 << colour) - 1, colour),
      ...component(0, colour),
      ...component(1 << (colour - 1), colour),
      ...component(1 << (alpha - 1), alpha),
      [2 ** lowest - 1, lowest],
    )
  }

  test.each(MODES.map((_, mode) => mode))('mode %i: one colour', (mode) => {
    const { data, channels } = decodeDds(dds(BC7, oneColour(mode)), 0)
    const colour = MODES[mode]![5].slice(0, channels)
    expect(channels).toBe(mode < 4 ? 3 : 4)
    expect([...data]).toEqual(Array(16).fill(colour).flat())
  })

  // Random blocks; their values were checked with another decoder (Pillow 12.3), 333 blocks of each mode, to the bit.
  test.each([
    [0, '457c769f39d8644199c0e5bdbcfbc85b', '25b0c984be87'],
    [1, '36ce91cbde1fc1b0ea6b44f130436dd7', 'bb0bd9332084'],
    [2, '2cfe69bd9e8ceba6a07d1dec25b1b087', 'f05910615c27'],
    [3, 'e8e26c07ff0d21d7db0b33777738a5c6', '6bdf0859b99a'],
    [4, '70d37ff136eac13f553223a63841460d', '1a1615e90d19'],
    [5, '206aa1e68d682728f610fb1c7fd92d5f', '96ed850a9e66'],
    [6, 'c0e81478007152dea8651f3fce597961', '896876a9195d'],
    [7, '80e9338b87fe1a1a45cfed925923d43f', 'bb101425540a'],
  ] as const)('mode %i: every part of a block', (_mode, bytes, wanted) => {
    // Next to a transparent block alpha stays.
    const { data } = decodeDds(dds(BC7, Buffer.concat([Buffer.from(bytes, 'hex'), Buffer.alloc(16)]), 4, 8), 0)
    expect(hash(data.subarray(0, 64) as Uint8Array)).toBe(wanted)
    expect([...data.subarray(64)]).toEqual(Array(64).fill(0))
  })

  test('partitions: the right half is white; rotation: alpha goes to red', () => {
    const ends: [number, number][] = Array(3).fill([0b1111111_1111111_0000000_0000000, 28])
    const halves = decodeDds(dds(BC7, block([8, 4], [0, 6], ...ends, [0b1100, 4])), 0)
    expect([...halves.data.subarray(0, 12)]).toEqual([0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255])
    const turned = block([32, 6], [1, 2], ...Array(6).fill([0, 7]), [200, 8], [200, 8])
    expect([...decodeDds(dds(BC7, turned), 0).data.subarray(0, 4)]).toEqual([200, 0, 0, 0])
  })

  test('sizes that are not a multiple of four; cut and damaged files', () => {
    const file = dds(BC7, Buffer.concat(Array(4).fill(oneColour(6))), 6, 5)
    expect(decodeDds(file, 0)).toMatchObject({ width: 6, height: 5 })
    expect([...decodeDds(file, 0).data]).toEqual(Array(30).fill([255, 1, 129, 129]).flat())
    expectCutsRefused(file, (bytes) => decodeDds(bytes, 0))
    expectSafe(file, (bytes) => decodeDds(bytes, 1e6))
  })
})

describe('BC6H', () => {
  /** The mode of two ends of 10 bits, whose components are the same. */
  const twoEnds = (first: number, second: number): Buffer =>
    block([3, 5], ...Array(3).fill([first, 10]), ...Array(3).fill([second, 10]))
  const floats = (format: number, bytes: Buffer): number[] => [...decodeDds(dds(format, bytes), 0).data]

  test('from zero to the largest float, signed and unsigned', () => {
    expect(decodeDds(dds(BC6H, twoEnds(0, 0)), 0)).toMatchObject({ channels: 3, depth: 32 })
    expect(floats(BC6H, twoEnds(0, 0))).toEqual(Array(48).fill(0))
    expect(floats(BC6H, twoEnds(1023, 1023))).toEqual(Array(48).fill(65504))
    expect(floats(BC6H_SIGNED, twoEnds(511, 511))).toEqual(Array(48).fill(65504))
    expect(floats(BC6H_SIGNED, twoEnds(-511, -511))).toEqual(Array(48).fill(-65504))
  })

  test('a delta endpoint keeps its sign', () => {
    // 11 bits: -1000 and 24 below it, which is the minimum; the anchor has index 7 of 15, the others the last.
    const relative = block([7, 5], ...Array(3).fill([-1000 & 1023, 10]), ...Array(3).fill([(1 << 9) | (-24 & 511), 10]))
    expect(floats(BC6H_SIGNED, relative).slice(3)).toEqual(Array(45).fill(-65504))
  })

  test('reserved modes are black', () => {
    expect(floats(BC6H, block([19, 5]))).toEqual(Array(48).fill(0))
  })

  // As above; of floats, Pillow shows 0 to 1 as bytes.
  test.each([
    [0, '000dd3d7131aa9c5d537b53a18ba98d5', '17a8f77bcd91'],
    [1, 'c914bf26f6aa33d7aadaf5344a49e499', 'db23472002f1'],
    [2, 'e2660fa71f4c1e655b837cc4d77e3610', 'e367811aff82'],
    [3, '23ada1b5d91588c4b57e8670e42992b4', '3241cfe77116'],
    [6, '66205d3386710017934863a97bec6893', '1caae7adc9fb'],
    [7, '675bd2b6db17b773e03c4b33593b315f', '360eca2776a8'],
    [10, 'eaf72fbf67c621f625bd09e80261e793', 'f7f25da910d5'],
    [11, '4b2dab69b8269b7421392131bda2b66d', 'f165a605a740'],
    [14, 'eeb07db6ed75bfbd378df24f26bc43ea', 'f9e2acbda397'],
    [15, '2fb5bbeedd9f2578f870fa2912030a60', '47b666c84b17'],
    [18, '52cc778bdfad4627748d89a9f23d7357', '39d8fe0e3b85'],
    [22, '362d89d7d2f5222a4a218afa0442a8a5', '85cc9293dcd3'],
    [26, '9a14c9d518740ce15152b71a638ff86b', '451a2bc50478'],
    [30, 'de65f079072b8c29bd515a925f0666d3', 'ed73e3c3a5c2'],
  ] as const)('mode %i: every part of a block', (_mode, bytes, wanted) => {
    const shown = Uint8Array.from(floats(BC6H, Buffer.from(bytes, 'hex')), (value) => Math.min(1, value) * 255)
    expect(hash(shown)).toBe(wanted)
  })

  test('as a picture, grey and bright areas are in place', async () => {
    const folder = temporaryFolder()
    const source = await put(folder, 'sky.dds', dds(BC6H, twoEnds(500, 500)))
    const { paths } = await run(convert, folder, [source], { format: 'png' })
    const [red, green, blue] = at(await readRgba(paths[0]!), 2, 2)
    expect([red, green]).toEqual([blue, blue])
    expect(red).toBeGreaterThan(100)
  })

  test('cut and damaged files', () => {
    const file = dds(BC6H, Buffer.concat([twoEnds(0, 500), twoEnds(700, 5)]), 8, 4)
    expectCutsRefused(file, (bytes) => decodeDds(bytes, 0))
    expectSafe(file, (bytes) => decodeDds(bytes, 1e6))
  })
})
