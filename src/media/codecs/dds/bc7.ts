import { BlockBits, between, partitionOf, WEIGHTS } from './bptc.ts'

interface Mode {
  subsets: 1 | 2 | 3
  partitionBits: number
  rotationBits: number
  /** Whether a bit specifies that colour and alpha swap their indices. */
  canSwap: boolean
  colourBits: number
  alphaBits: number
  /**
   * Lowest bit shared by all components of an endpoint (P-bit): one per endpoint, or one for both endpoints of a
   * subset.
   */
  lowestBits: 'none' | 'end' | 'subset'
  indexBits: number
  /** Bits of the second indices, 0 if there are none. */
  secondBits: number
}

const mode = (
  subsets: Mode['subsets'],
  [partitionBits, rotationBits, canSwap]: [number, number, boolean],
  [colourBits, alphaBits, lowestBits]: [number, number, Mode['lowestBits']],
  [indexBits, secondBits]: [number, number],
): Mode => ({
  ...{ subsets, partitionBits, rotationBits, canSwap, colourBits, alphaBits, lowestBits, indexBits, secondBits },
})

/** Table M of ARB_texture_compression_bptc. */
const MODES: readonly Mode[] = [
  mode(3, [4, 0, false], [4, 0, 'end'], [3, 0]),
  mode(2, [6, 0, false], [6, 0, 'subset'], [3, 0]),
  mode(3, [6, 0, false], [5, 0, 'none'], [2, 0]),
  mode(2, [6, 0, false], [7, 0, 'end'], [2, 0]),
  mode(1, [0, 2, true], [5, 6, 'none'], [2, 3]),
  mode(1, [0, 2, false], [7, 8, 'none'], [2, 2]),
  mode(1, [0, 0, false], [7, 7, 'end'], [4, 0]),
  mode(2, [6, 0, false], [5, 5, 'end'], [2, 0]),
]

/** Expands a number of `bits` bits to a byte: its highest bits are repeated in the low bits. */
const widen = (value: number, bits: number): number => (value << (8 - bits)) | ((value << (8 - bits)) >> bits)

/** The endpoints of all subsets, two each: red, green, blue and alpha as bytes. */
function readEnds(bits: BlockBits, { subsets, colourBits, alphaBits, lowestBits }: Mode): number[][] {
  const count = subsets * 2
  const component = (width: number): number[] => Array.from({ length: count }, () => bits.read(width))
  const widths = [colourBits, colourBits, colourBits, alphaBits].filter((width) => width > 0)
  const components = widths.map((width) => component(width))
  const lowest = Array.from({ length: lowestBits === 'end' ? count : lowestBits === 'subset' ? subsets : 0 }, () =>
    bits.read(1),
  )
  return Array.from({ length: count }, (_, end) => {
    const colour = components.map((values, index) => {
      if (lowestBits === 'none') return widen(values[end]!, widths[index]!)
      const low = lowest[lowestBits === 'end' ? end : end >> 1]!
      return widen((values[end]! << 1) | low, widths[index]! + 1)
    })
    return alphaBits > 0 ? colour : [...colour, 255]
  })
}

/**
 * Decodes a block of BC7 to RGBA, 16 pixels row by row. A block with the reserved mode is transparent black.
 * @param start offset of its 16 bytes
 */
export function decodeBc7(bytes: Uint8Array, start: number, pixels: Uint8Array): void {
  const number = 31 - Math.clz32(bytes[start]! & -bytes[start]!)
  if (number < 0) {
    pixels.fill(0)
    return
  }
  const bits = new BlockBits(bytes, start)
  bits.read(number + 1)
  const form = MODES[number]!
  const partition = bits.read(form.partitionBits)
  const rotation = bits.read(form.rotationBits)
  const isSwapped = form.canSwap && bits.read(1) === 1
  const ends = readEnds(bits, form)
  const { subsets, anchors } = partitionOf(form.subsets, partition)
  const first = { indices: bits.readIndices(form.indexBits, anchors), weights: WEIGHTS[form.indexBits]! }
  const second =
    form.secondBits > 0
      ? { indices: bits.readIndices(form.secondBits, anchors), weights: WEIGHTS[form.secondBits]! }
      : first
  const [colour, alpha] = isSwapped ? [second, first] : [first, second]
  // Rotation: swaps alpha with one of the colours.
  const places = [0, 1, 2, 3]
  if (rotation > 0) [places[3], places[rotation - 1]] = [rotation - 1, 3]
  for (let pixel = 0; pixel < 16; pixel += 1) {
    const end = subsets[pixel]! * 2
    const weight = colour.weights[colour.indices[pixel]!]!
    for (let channel = 0; channel < 3; channel += 1)
      pixels[pixel * 4 + places[channel]!] = between(ends[end]![channel]!, ends[end + 1]![channel]!, weight)
    pixels[pixel * 4 + places[3]!] = between(ends[end]![3]!, ends[end + 1]![3]!, alpha.weights[alpha.indices[pixel]!]!)
  }
}
