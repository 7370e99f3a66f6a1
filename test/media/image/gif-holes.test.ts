import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { gifLayout, unusedColour } from '../../../src/media/codecs/gif-blocks.ts'
import convert from '../../../tools/image/convert/convert.ts'
import { animation, at, fromSamples, photo, put, readPixels, readRgba } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const word = (value: number) => Buffer.from([value & 255, value >> 8])

/** Coded pixels of one colour: a clear code before every pixel keeps codes at their first width (GIF89a, appendix F). */
function coded(colour: number, pixels: number, bits: number): Buffer {
  const clear = 1 << bits
  const codes = Array.from({ length: pixels }, () => [clear, colour])
    .flat()
    .concat(clear + 1)
  const packed: number[] = []
  codes.forEach((code, index) => {
    for (let bit = 0; bit <= bits; bit += 1) {
      const place = index * (bits + 1) + bit
      if ((code >> bit) & 1) packed[place >> 3] = (packed[place >> 3] ?? 0) | (1 << (place & 7))
    }
  })
  const bytes = Uint8Array.from(packed, (byte) => byte ?? 0)
  const blocks: Buffer[] = [Buffer.from([bits])]
  for (let start = 0; start < bytes.length; start += 255) {
    const block = bytes.subarray(start, start + 255)
    blocks.push(Buffer.from([block.length]), Buffer.from(block))
  }
  return Buffer.concat([...blocks, Buffer.from([0])])
}

interface Rectangle {
  left: number
  top: number
  colour: number
  disposal: number
}

/** A GIF of opaque squares of 10 pixels on a canvas of 40 x 20, with a table of `2 ** bits` colours. */
function squares(rectangles: readonly Rectangle[], bits: number): Buffer {
  const table = Buffer.alloc(3 << bits, 255)
  table.set([255, 255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 255])
  const parts = rectangles.flatMap(({ left, top, colour, disposal }) => [
    Buffer.from([0x21, 0xf9, 4, disposal << 2, 10, 0, 0, 0, 0x2c]),
    ...[left, top, 10, 10].map(word),
    Buffer.from([0]),
    coded(colour, 100, bits),
  ])
  const loop = Buffer.concat([Buffer.from([0x21, 0xff, 11]), Buffer.from('NETSCAPE2.0'), Buffer.from([3, 1, 5, 0, 0])])
  const head = [Buffer.from('GIF89a'), word(40), word(20), Buffer.from([0x90 | (bits - 1), 0, 0]), table, loop]
  return Buffer.concat([...head, ...parts, Buffer.from([0x3b])])
}

const MOVING = [
  { left: 0, top: 0, colour: 1, disposal: 2 },
  { left: 20, top: 5, colour: 2, disposal: 2 },
  { left: 0, top: 0, colour: 3, disposal: 1 },
]

test.each([2, 8])(
  'appearing and disappearing squares leave the canvas transparent, as in a browser (%d bits)',
  async (bits) => {
    const source = await put(folder, `squares-${bits}.gif`, squares(MOVING, bits))
    for (const format of ['webp', 'gif'] as const) {
      const { paths } = await run(convert, folder, [source], { format, quality: 100 })
      const frames = await Promise.all([0, 1, 2].map((page) => readRgba(paths[0]!, page)))
      // Outside all squares; at the first one; at the second one.
      const alpha = (frame: number, x: number, y: number) => frames[frame]!.data[(y * 40 + x) * 4 + 3]
      expect(
        [0, 1, 2].map((frame) => [alpha(frame, 35, 2), alpha(frame, 4, 4), alpha(frame, 24, 9)]),
        format,
      ).toEqual([
        [0, 255, 0],
        [0, 0, 255],
        [0, 255, 0],
      ])
      expect(at(frames[0]!, 4, 4)[0]).toBeGreaterThan(230)
      expect(at(frames[1]!, 24, 9)[1]).toBeGreaterThan(230)
      expect((await sharp(paths[0]!).metadata()).loop).toBe((await sharp(source).metadata()).loop)
    }
  },
)

test('an animation that covers its canvas stays opaque', async () => {
  const source = await animation(join(folder, 'full.gif'), ['#ff0000', '#00ff00'])
  const { paths } = await run(convert, folder, [source], { format: 'webp', quality: 100 })
  expect((await sharp(paths[0]!).metadata()).hasAlpha).toBe(false)
  expect((await readPixels(paths[0]!)).channels).toBe(3)
})

test('detects an unused colour in codes of every width', async () => {
  const gif = await fromSamples(photo(200, 150)).gif({ colours: 256 }).toBuffer()
  const [picture] = gifLayout(gif)!.pictures
  const free = unusedColour(gif, picture!)
  if (free === undefined) return
  // Declared as the transparent one, it makes no pixel transparent.
  const path = await put(folder, 'named.gif', gif)
  const marked = await readFile(path)
  if (picture!.control !== undefined) {
    marked[picture!.control + 3]! |= 1
    marked[picture!.control + 6] = free
  }
  const { data } = await readRgba(marked)
  expect(data.filter((_, index) => index % 4 === 3).every((alpha) => alpha === 255)).toBe(true)
})
