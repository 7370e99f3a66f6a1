/** Animated PNGs: all frames are read and written. */
import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { pngChunk, pngChunks } from '../../../src/media/codecs/png-chunks.ts'
import convert from '../../../tools/image/convert/convert.ts'
import resize from '../../../tools/image/geometry/resize.ts'
import rotate from '../../../tools/image/geometry/rotate.ts'
import info from '../../../tools/image/metadata/info.ts'
import { exifBlock } from '../../helpers/exif.ts'
import { at, frameOf, plain, png16, put, ramp16, readRgba, type Samples } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

interface Part {
  colour: string
  left?: number
  top?: number
  width?: number
  height?: number
  delay?: [number, number]
  dispose?: 0 | 1 | 2
  blend?: 0 | 1
}

const bytes = (...numbers: [value: number, size: 1 | 2 | 4][]): Buffer =>
  Buffer.concat(
    numbers.map(([value, size]) => {
      const one = Buffer.alloc(size)
      one.writeUIntBE(value, 0, size)
      return one
    }),
  )

/** An animated PNG of 20 x 10 pixels, created chunk by chunk; `cover` is a picture that is not a frame. */
async function apng(parts: Part[], loop = 0, cover?: string): Promise<Buffer> {
  let sequence = 0
  const body: Buffer[] = []
  let head: Buffer | undefined
  const dataOf = async (colour: string, width: number, height: number): Promise<Buffer> => {
    const full = colour.length > 7 ? colour : `${colour}ff`
    const png = await plain(width, height, full).png({ compressionLevel: 9 }).toBuffer()
    head ??= png.subarray(0, 33)
    const chunks = pngChunks(png).filter(({ type }) => type === 'IDAT')
    return Buffer.concat(chunks.map(({ at, length }) => png.subarray(at + 8, at + 8 + length)))
  }
  if (cover) body.push(pngChunk('IDAT', await dataOf(cover, 20, 10)))
  for (const [index, part] of parts.entries()) {
    const { colour, left = 0, top = 0, width = 20, height = 10, delay = [1, 10], dispose = 0, blend = 0 } = part
    const places: [number, 4][] = [sequence++, width, height, left, top].map((value) => [value, 4])
    body.push(pngChunk('fcTL', bytes(...places, [delay[0], 2], [delay[1], 2], [dispose, 1], [blend, 1])))
    const data = await dataOf(colour, width, height)
    if (index === 0 && !cover) body.push(pngChunk('IDAT', data))
    else body.push(pngChunk('fdAT', Buffer.concat([bytes([sequence++, 4]), data])))
  }
  const counts = pngChunk('acTL', bytes([parts.length, 4], [loop, 4]))
  return Buffer.concat([head!, counts, ...body, pngChunk('IEND', Buffer.alloc(0))])
}

const RED = [255, 0, 0]
const GREEN = [0, 255, 0]
const CLEAR = [0, 0, 0, 0]

/** The frames of a file from our decoder, RGBA. */
async function framesOf(path: string): Promise<Samples[]> {
  const { data, width, pageHeight, channels } = await (await frameOf(path)).pixels({ alpha: 'add' })
  const size = width * pageHeight * channels
  return Array.from({ length: data.length / size }, (_, page) => ({
    ...{ width, height: pageHeight, channels },
    data: data.subarray(page * size, (page + 1) * size),
  }))
}

describe('decodes frames as declared', () => {
  test('delays, loop count, positions', async () => {
    const parts: Part[] = [
      { colour: '#ff0000', delay: [1, 4] },
      { colour: '#00ff00', left: 10, width: 10, delay: [7, 0] },
    ]
    const frame = await frameOf(await put(folder, 'timed.png', await apng(parts, 3)))
    expect(frame).toMatchObject({ pages: 2, delays: [250, 70], loop: 3, width: 20, height: 10 })
    const [first, second] = await framesOf(frame.origin.path)
    expect([at(first!, 15, 5), at(second!, 5, 5), at(second!, 15, 5)]).toEqual([RED, RED, GREEN])
  })

  test('an area is kept, cleared or restored', async () => {
    const corner = { colour: '#00ff00', left: 10, width: 10 }
    const end: Part = { colour: '#0000ff', width: 2, height: 2 }
    const expected = { 0: GREEN, 1: CLEAR, 2: RED }
    for (const dispose of [0, 1, 2] as const) {
      const source = await put(
        folder,
        `d${dispose}.png`,
        await apng([{ colour: '#ff0000' }, { ...corner, dispose }, end]),
      )
      const [, second, third] = await framesOf(source)
      expect([at(second!, 15, 5), at(third!, 15, 5)], `dispose ${dispose}`).toEqual([GREEN, expected[dispose]])
    }
  })

  test('a semi-transparent frame replaces the area or is blended', async () => {
    for (const [blend, expected] of [
      [0, [0, 255, 0, 128]],
      [1, [127, 128, 0]],
    ] as const) {
      const source = await put(folder, 'blend.png', await apng([{ colour: '#ff0000' }, { colour: '#00ff0080', blend }]))
      expect(at((await framesOf(source))[1]!, 3, 3)).toEqual(expected)
    }
  })

  test('a cover picture is not a frame, and decoders of one picture still see one', async () => {
    const parts: Part[] = [{ colour: '#ff0000' }, { colour: '#00ff00' }]
    const source = await put(folder, 'cover.png', await apng(parts, 0, '#0000ff'))
    expect((await framesOf(source)).map((frame) => at(frame, 5, 5))).toEqual([RED, GREEN])
    expect((await run(info, folder, [source])).report).toMatchObject({ width: 20, format: 'apng' })
  })

  test('refuses or omits frames outside the canvas, and of a hostile size', async () => {
    const outside = await apng([
      { colour: '#ff0000' },
      { colour: '#00ff00', left: 19, width: 20 },
      { colour: '#00ff00' },
    ])
    expect((await frameOf(await put(folder, 'outside.png', outside))).pages).toBe(2)
    const many = await apng(Array.from({ length: 501 }, () => ({ colour: '#ff0000', width: 1, height: 1 })))
    await expect(frameOf(await put(folder, 'many.png', many))).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' })
  })

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('EXIF orientation %d rotates every frame once', async (orientation) => {
    const moving = await apng([{ colour: '#ff0000' }, { colour: '#00ff00', left: 15, width: 5, top: 7, height: 3 }])
    const chunk = pngChunk('eXIf', exifBlock(orientation))
    const source = await put(folder, 'o.png', Buffer.concat([moving.subarray(0, 33), chunk, moving.subarray(33)]))
    // A still picture of the second frame, rotated by libvips.
    const block = await plain(5, 3, '#00ff00').png().toBuffer()
    const drawn = await plain(20, 10, '#ff0000')
      .composite([{ input: block, left: 15, top: 7 }])
      .png()
      .toBuffer()
    const expected = await readRgba(
      await sharp(drawn)
        .withMetadata({ orientation })
        .png()
        .toBuffer()
        .then((png) => sharp(png).autoOrient().png().toBuffer()),
    )
    const copy = (await run(convert, folder, [source], { format: 'gif' })).paths[0]!
    for (const path of [source, copy]) {
      const [first, second] = await framesOf(path)
      expect([second!.width, second!.height], path).toEqual([expected.width, expected.height])
      expect(at(first!, 1, 1)).toEqual(RED)
      for (const [x, y] of [
        [0, 0],
        [expected.width - 1, 0],
        [0, expected.height - 1],
        [expected.width - 1, expected.height - 1],
      ] as const)
        expect(at(second!, x, y).slice(0, 3), `${path} ${x},${y}`).toEqual(at(expected, x, y).slice(0, 3))
    }
  })

  test('reads 16-bit frames with 8 bits and reports it', async () => {
    const png = await png16(ramp16(20, 10, 3))
    const [data] = pngChunks(png)
      .filter(({ type }) => type === 'IDAT')
      .map(({ at, length }) => png.subarray(at + 8, at + 8 + length))
    const control = (sequence: number) =>
      pngChunk('fcTL', bytes([sequence, 4], [20, 4], [10, 4], [0, 4], [0, 4], [1, 2], [10, 2], [0, 1], [0, 1]))
    const parts = [
      pngChunk('acTL', bytes([2, 4], [0, 4])),
      control(0),
      pngChunk('IDAT', data!),
      control(1),
      pngChunk('fdAT', Buffer.concat([bytes([2, 4]), data!])),
    ]
    const source = await put(
      folder,
      'deep.png',
      Buffer.concat([png.subarray(0, 33), ...parts, pngChunk('IEND', Buffer.alloc(0))]),
    )
    const { warnings, paths } = await run(resize, folder, [source], { width: 20 })
    expect(warnings).toEqual([expect.stringContaining('16 bit')])
    const [, second] = await framesOf(paths[0]!)
    const still = await readRgba(png)
    for (const x of [0, 7, 19]) expect(Math.abs(at(second!, x, 5)[0]! - at(still, x, 5)[0]!)).toBeLessThanOrEqual(1)
  })

  test('a cut file gives the available frames', async () => {
    const whole = await apng([{ colour: '#ff0000' }, { colour: '#00ff00' }, { colour: '#0000ff' }])
    const source = await put(folder, 'cut.png', whole.subarray(0, whole.length - 30))
    const { warnings, paths } = await run(resize, folder, [source], { width: 10 })
    expect(warnings).toEqual([expect.stringContaining('ends too early')])
    expect((await framesOf(paths[0]!)).map((frame) => at(frame, 2, 2))).toEqual([RED, GREEN])
  })
})

describe('written', () => {
  const moving = (): Promise<Buffer> =>
    apng(
      [
        { colour: '#ff0000', delay: [1, 10] },
        { colour: '#00ff00', left: 10, width: 10, delay: [2, 10] },
      ],
      2,
    )

  test('an edit keeps the animation, its timing, and its name', async () => {
    const source = await put(folder, 'moving.png', await moving())
    const { paths, names, warnings } = await run(resize, folder, [source], { width: 10 })
    expect([names, warnings]).toEqual([['moving_resize.png'], []])
    expect(await frameOf(paths[0]!)).toMatchObject({ pages: 2, delays: [100, 200], loop: 2, width: 10, height: 5 })
    const [first, second] = await framesOf(paths[0]!)
    expect([at(first!, 8, 2), at(second!, 1, 2), at(second!, 8, 2)]).toEqual([RED, RED, GREEN])
    // Viewers without animation show the first frame.
    expect(at(await readRgba(paths[0]!), 8, 2)).toEqual(RED)
    const turned = await run(rotate, folder, [source], { angle: 90 })
    expect(await frameOf(turned.paths[0]!)).toMatchObject({ pages: 2, width: 10, height: 20 })
  })

  test.each(['gif', 'webp'] as const)('to %s and back', async (format) => {
    const source = await put(folder, 'both.png', await moving())
    const there = await run(convert, folder, [source], { format, ...(format === 'webp' && { quality: 100 }) })
    const { pages, delay, loop } = await sharp(there.paths[0]!).metadata()
    expect({ pages, delay, loop }).toEqual({ pages: 2, delay: [100, 200], loop: 2 })
    const back = await run(convert, folder, there.paths, { format: 'apng' })
    expect(back.names).toEqual(['both.apng'])
    expect(await frameOf(back.paths[0]!)).toMatchObject({ pages: 2, delays: [100, 200], loop: 2 })
    const [, second] = await framesOf(back.paths[0]!)
    for (const [index, value] of GREEN.entries()) expect(at(second!, 15, 5)[index]! - value).toBeCloseTo(0, -1)
  })

  test('identical frames keep their times; transparent pixels stay transparent', async () => {
    const parts: Part[] = [
      { colour: '#ff0000', left: 0, dispose: 1 },
      { colour: '#00ff00', width: 10, delay: [3, 10] },
      { colour: '#00ff00', width: 10, delay: [4, 10] },
    ]
    const source = await put(folder, 'same.png', await apng(parts))
    const { paths } = await run(convert, folder, [source], { format: 'apng' })
    expect((await frameOf(paths[0]!)).delays).toEqual([100, 300, 400])
    const frames = await framesOf(paths[0]!)
    expect(frames.map((frame) => at(frame, 15, 5))).toEqual([RED, CLEAR, CLEAR])
    expect(readFileSync(paths[0]!).length).toBeLessThan(500)
  })

  test('one picture is an animation of one frame; reports a still PNG instead of an animation', async () => {
    const still = await put(folder, 'still.png', plain(8, 8, '#ff0000').png())
    const { paths } = await run(convert, folder, [still], { format: 'apng' })
    expect(pngChunks(readFileSync(paths[0]!)).map(({ type }) => type)).toContain('acTL')
    const { warnings } = await run(convert, folder, [await put(folder, 'a.png', await moving())], { format: 'png' })
    expect(warnings).toEqual([expect.stringContaining('has 2 frames; PNG holds one picture')])
  })
})
