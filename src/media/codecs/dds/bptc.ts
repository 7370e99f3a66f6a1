/** Common parts of BC6H and BC7: bits, subsets and weights, as in the OpenGL extension ARB_texture_compression_bptc. */

/** Two subsets (table P2): one bit per pixel for each partition, the first pixel lowest. */
const TWO_SUBSETS = [
  0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80, 0xc800, 0xffec, 0xfe80, 0xe800, 0xffe8, 0xff00,
  0xfff0, 0xf000, 0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310, 0x3100, 0x8cce, 0x088c, 0x3110, 0x6666, 0x366c,
  0x17e8, 0x0ff0, 0x718e, 0x399c, 0xaaaa, 0xf0f0, 0x5a5a, 0x33cc, 0x3c3c, 0x55aa, 0x9696, 0xa55a, 0x73ce, 0x13c8,
  0x324c, 0x3bdc, 0x6996, 0xc33c, 0x9966, 0x0660, 0x0272, 0x04e4, 0x4e40, 0x2720, 0xc936, 0x936c, 0x39c6, 0x639c,
  0x9336, 0x9cc6, 0x817e, 0xe718, 0xccf0, 0x0fcc, 0x7744, 0xee22,
]

/** Three subsets (table P3): two bits per pixel. */
const THREE_SUBSETS = [
  0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050, 0x5555a0a0, 0x5a5a5050, 0xaa550000,
  0xaa555500, 0xaaaa5500, 0x90909090, 0x94949494, 0xa4a4a4a4, 0xa9a59450, 0x2a0a4250, 0xa5945040, 0x0a425054,
  0xa5a5a500, 0x55a0a0a0, 0xa8a85454, 0x6a6a4040, 0xa4a45000, 0x1a1a0500, 0x0050a4a4, 0xaaa59090, 0x14696914,
  0x69691400, 0xa08585a0, 0xaa821414, 0x50a4a450, 0x6a5a0200, 0xa9a58000, 0x5090a0a8, 0xa8a09050, 0x24242424,
  0x00aa5500, 0x24924924, 0x24499224, 0x50a50a50, 0x500aa550, 0xaaaa4444, 0x66660000, 0xa5a0a5a0, 0x50a050a0,
  0x69286928, 0x44aaaa44, 0x66666600, 0xaa444444, 0x54a854a8, 0x95809580, 0x96969600, 0xa85454a8, 0x80959580,
  0xaa141414, 0x96960000, 0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000, 0x40804080, 0xa9a8a9a8, 0xaaaaaa44,
  0x2a4a5254,
]

/** The anchor pixel of each partition, as a hexadecimal digit (tables A2, A3a and A3b). */
const ANCHORS_OF_TWO = 'fffffffffffffffff282288f28228822ff6828ff28222ff66268ff22fffff22f'
const SECOND_ANCHORS_OF_THREE = '33ff83ff88666533338f336a588685ff8f356a8ff3f5ffff3f55585a5a8dfc33'
const THIRD_ANCHORS_OF_THREE = 'f883ff38fffffff8f8f3f8f83f6affa8f3faa89a6f8f3668f3ffffffffff3ff8'

/** Interpolation weights for indices of 2, 3 or 4 bits, in 64ths. */
export const WEIGHTS: Record<number, readonly number[]> = {
  2: [0, 21, 43, 64],
  3: [0, 9, 18, 27, 37, 46, 55, 64],
  4: [0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64],
}

/** How a block is divided into subsets. */
export interface Partition {
  /** The subset of each of the 16 pixels. */
  subsets: readonly number[]
  /** The anchor pixels, one per subset: their index has one bit less, because its highest bit is 0. */
  anchors: readonly number[]
}

const digit = (row: string, partition: number): number => Number.parseInt(row[partition]!, 16)

/** All partitions into one, two and three subsets, computed once because an image has so many blocks. */
const PARTITIONS: readonly (readonly Partition[])[] = [
  [{ subsets: new Array<number>(16).fill(0), anchors: [0] }],
  TWO_SUBSETS.map((bits, partition) => ({
    subsets: Array.from({ length: 16 }, (_, pixel) => (bits >> pixel) & 1),
    anchors: [0, digit(ANCHORS_OF_TWO, partition)],
  })),
  THREE_SUBSETS.map((bits, partition) => ({
    subsets: Array.from({ length: 16 }, (_, pixel) => (bits >>> (pixel * 2)) & 3),
    anchors: [0, digit(SECOND_ANCHORS_OF_THREE, partition), digit(THIRD_ANCHORS_OF_THREE, partition)],
  })),
]

/** Returns the partition with this number for a number of subsets. */
export const partitionOf = (count: 1 | 2 | 3, partition: number): Partition => PARTITIONS[count - 1]![partition]!

/** Reads the bits of a 16-byte block, lowest first. */
export class BlockBits {
  private at = 0

  constructor(
    private readonly bytes: Uint8Array,
    private readonly start: number,
  ) {}

  /** Reads a number of at most 16 bits. */
  read(count: number): number {
    const place = this.start + (this.at >> 3)
    const word = this.bytes[place]! | ((this.bytes[place + 1] ?? 0) << 8) | ((this.bytes[place + 2] ?? 0) << 16)
    const value = (word >> (this.at & 7)) & ((1 << count) - 1)
    this.at += count
    return value
  }

  /** Reads the indices of all pixels. */
  readIndices(bits: number, anchors: readonly number[]): number[] {
    const indices = new Array<number>(16)
    for (let pixel = 0; pixel < 16; pixel += 1) indices[pixel] = this.read(anchors.includes(pixel) ? bits - 1 : bits)
    return indices
  }
}

/** Interpolates between two endpoints. */
export const between = (first: number, second: number, weight: number): number =>
  ((64 - weight) * first + weight * second + 32) >> 6
