import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { drawText } from '../../../src/media/image/text/text.ts'
import vectorize from '../../../tools/image/convert/vectorize.ts'
import { at, difference, plain, put, quarters, readRgba } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

async function traced(input: string, settings: Record<string, unknown> = {}) {
  const { paths, names } = await run(vectorize, folder, [input], settings)
  const svg = await readFile(paths[0]!, 'utf8')
  return {
    name: names[0],
    svg,
    pixels: await readRgba(await sharp(paths[0]!).flatten({ background: '#ffffff' }).png().toBuffer()),
  }
}

const circle = (size = 100) =>
  `<svg width="${size}" height="${size}"><rect width="100%" height="100%" fill="#fff"/><circle cx="50" cy="50" r="30" fill="#303030"/></svg>`
const disc = () => put(folder, 'disc.png', sharp(Buffer.from(circle())).png())
const paths = (svg: string): string[] => svg.match(/<path [^>]*>/g) ?? []

describe('black and white', () => {
  test('the shape keeps its position when rendered', async () => {
    const { name, svg, pixels } = await traced(await disc())
    expect(name).toBe('disc.svg')
    expect(svg).toContain('viewBox="0 0 100 100"')
    expect([at(pixels, 50, 50), at(pixels, 50, 25), at(pixels, 50, 15), at(pixels, 5, 5)]).toEqual([
      [0, 0, 0],
      [0, 0, 0],
      [255, 255, 255],
      [255, 255, 255],
    ])
  })

  test('letters keep their shapes: soft edges give subpixel positions', async () => {
    const letters = await drawText({ text: 'Vag', font: 'Noto Sans', size: 64, color: '#000000', align: 'left' })
    const picture = sharp(letters.png)
      .flatten({ background: '#ffffff' })
      .extend({ left: 8, right: 8, background: '#fff' })
    const before = await readRgba(await picture.clone().png().toBuffer())
    const { pixels } = await traced(await put(folder, 'letters.png', picture.png()))
    expect([pixels.width, pixels.height]).toEqual([before.width, before.height])
    expect(difference(pixels, before).mean).toBeLessThan(4)
  })

  test('the threshold determines black', async () => {
    const grey = await put(folder, 'grey.png', plain(60, 40, '#646464').png())
    expect(at((await traced(grey, { threshold: 101 })).pixels, 30, 20)).toEqual([0, 0, 0])
    expect(at((await traced(grey, { threshold: 100 })).pixels, 30, 20)).toEqual([255, 255, 255])
  })

  test('invert exchanges black and white', async () => {
    const { pixels } = await traced(await disc(), { invert: true })
    expect([at(pixels, 50, 50), at(pixels, 5, 5)]).toEqual([
      [255, 255, 255],
      [0, 0, 0],
    ])
  })

  test('a transparent background is paper, also inverted', async () => {
    const clear = await put(folder, 'clear.png', sharp(Buffer.from(circle().replace(/<rect[^>]*>/, ''))).png())
    expect(at((await traced(clear)).pixels, 5, 5)).toEqual([255, 255, 255])
    expect(at((await traced(clear, { invert: true })).pixels, 5, 5)).toEqual([255, 255, 255])
  })

  test('omits small areas', async () => {
    const dots = Buffer.from(
      '<svg width="80" height="40"><rect width="80" height="40" fill="#fff"/><rect x="5" y="5" width="2" height="2"/><rect x="40" y="5" width="30" height="30"/></svg>',
    )
    const input = await put(folder, 'dots.png', sharp(dots).png())
    const [few, many] = [await traced(input, { filterSpeckle: 10 }), await traced(input, { filterSpeckle: 1 })]
    expect([at(few.pixels, 6, 6), at(many.pixels, 6, 6)[0]! < 128]).toEqual([[255, 255, 255], true])
    expect(at(few.pixels, 55, 20)).toEqual([0, 0, 0])
  })

  test('filterSpeckle counts pixels, instead of the side of a square', async () => {
    const dots = Buffer.from(
      '<svg width="80" height="40"><rect width="80" height="40" fill="#fff"/><rect x="5" y="5" width="3" height="3"/><rect x="20" y="5" width="5" height="5"/><rect x="40" y="5" width="10" height="10"/></svg>',
    )
    const input = await put(folder, 'areas.png', sharp(dots).png())
    for (const colorMode of ['bw', 'color']) {
      const { pixels } = await traced(input, { filterSpeckle: 16, colorMode })
      // Of 9, 25 and 100 pixels.
      expect(
        [at(pixels, 6, 6)[0]! > 128, at(pixels, 22, 7)[0]! > 128, at(pixels, 45, 10)[0]! > 128],
        colorMode,
      ).toEqual([true, false, false])
    }
  })

  test('outlines are stairs, lines or curves', async () => {
    const input = await disc()
    const [stairs, lines, curves] = await Promise.all(
      ['none', 'polygon', 'spline'].map(async (pathMode) => (await traced(input, { pathMode })).svg),
    )
    const isCurved = (svg: string | undefined) => / d="[^"]*c/i.test(svg ?? '')
    expect([isCurved(stairs), isCurved(lines), isCurved(curves)]).toEqual([false, false, true])
    expect(lines!.length).toBeLessThan(stairs!.length)
  })
})

describe('colours', () => {
  test('keeps flat colours', async () => {
    const { pixels } = await traced(await put(folder, 'quarters.png', await quarters(80, 80)), {
      colorMode: 'color',
      colorPrecision: 8,
    })
    const found = [at(pixels, 20, 20), at(pixels, 60, 20), at(pixels, 20, 60), at(pixels, 60, 60)]
    expect(found).toEqual([
      [255, 0, 0],
      [0, 255, 0],
      [0, 0, 255],
      [255, 255, 255],
    ])
  })

  test('curves of a small drawing keep their position, and soft edges are no separate areas', async () => {
    const drawing = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><rect width="100" height="100" fill="#ffffff"/><circle cx="50" cy="50" r="40.3" fill="#e4572e"/><circle cx="50" cy="50" r="21.6" fill="#ffc914"/></svg>',
    )
    const { svg } = await traced(await put(folder, 'rings.png', sharp(drawing).png()), { colorMode: 'color' })
    expect(paths(svg)).toHaveLength(3)
    // At four times the size, an offset of half a pixel is visible.
    const large = async (source: Buffer) => readRgba(await sharp(source, { density: 288 }).png().toBuffer())
    const [before, after] = [await large(drawing), await large(Buffer.from(svg))]
    expect([after.width, after.height]).toEqual([400, 400])
    let off = 0
    for (let place = 0; place < before.data.length; place += 4)
      if (
        Math.abs(before.data[place + 2]! - after.data[place + 2]!) > 60 ||
        before.data[place + 1]! - after.data[place + 1]! > 60
      )
        off += 1

    expect(off).toBeLessThan(800)
  })

  test('fewer bits and a larger layer difference give fewer shapes', async () => {
    const bars = Array.from(
      { length: 16 },
      (_, i) => `<rect x="${i * 20}" width="20" height="60" fill="rgb(${i * 16},${i * 8},40)"/>`,
    )
    const ramp = await put(
      folder,
      'bars.png',
      sharp(Buffer.from(`<svg width="320" height="60">${bars.join('')}</svg>`)).png(),
    )
    const count = async (settings: object) =>
      paths((await traced(ramp, { colorMode: 'color', ...settings })).svg).length
    expect(await count({ layerDifference: 64 })).toBeLessThan(await count({ layerDifference: 6 }))
    expect(await count({ colorPrecision: 2 })).toBeLessThan(await count({ colorPrecision: 6 }))
    expect(await count({ colorPrecision: 16 })).toBe(await count({ colorPrecision: 8 }))
  })

  test('invert keeps transparency', async () => {
    const half = await put(
      folder,
      'half.png',
      plain(60, 60, '#ff000000')
        .composite([{ input: await plain(30, 60, '#00ff00').png().toBuffer(), left: 0, top: 0 }])
        .png(),
    )
    const { pixels } = await traced(half, { colorMode: 'color', invert: true })
    expect([at(pixels, 10, 30), at(pixels, 50, 30)]).toEqual([
      [255, 0, 255],
      [255, 255, 255],
    ])
  })
})

describe('drawings', () => {
  /** Symmetric difference of the dark areas of two drawings, percent of the first, at four times the size. */
  async function differenceOf(drawn: Buffer, made: string): Promise<number> {
    const dark = async (svg: Buffer) =>
      await sharp(svg, { density: 288 }).flatten({ background: '#ffffff' }).greyscale().raw().toBuffer()
    const [one, other] = [await dark(drawn), await dark(Buffer.from(made))]
    expect(other.length).toBe(one.length)
    let [area, off] = [0, 0]
    one.forEach((value, place) => {
      if (value < 128) area += 1
      if (value < 128 !== (other[place] ?? 255) < 128) off += 1
    })
    return (100 * off) / area
  }
  const logo = (body: string) =>
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200"><rect width="200" height="200" fill="#ffffff"/>${body}</svg>`,
    )
  /** The pixels of a drawing, each the mean of four by four. */
  const pixelsOf = async (drawn: Buffer) =>
    sharp(await sharp(drawn, { density: 288 }).png().toBuffer()).resize(200, 200, { kernel: 'linear', fit: 'fill' })

  test('straight lines are straight, corners sharp, roundings curves', async () => {
    const cases = [
      { body: '<path d="M100 12L176 56V144L100 188L24 144V56Z"/>', pieces: 8, limit: 0.3 },
      { body: '<rect x="30.4" y="40.7" width="140.2" height="110.6" rx="24"/>', pieces: 16, limit: 0.3 },
      { body: '<circle cx="100.3" cy="99.6" r="80.2"/>', pieces: 10, limit: 0.3 },
    ]
    for (const [index, { body, pieces, limit }] of cases.entries()) {
      const drawn = logo(body)
      for (const type of ['png', 'jpeg'] as const) {
        const input = await put(
          folder,
          `logo-${index}.${type}`,
          (await pixelsOf(drawn)).toFormat(type, { quality: 90 }),
        )
        const { svg } = await traced(input)
        expect(await differenceOf(drawn, svg), `${body} ${type}`).toBeLessThan(limit)
        expect(svg.length, `${body} ${type}`).toBeLessThan(140 + pieces * 36)
      }
    }
  })

  test('one path for each of five shapes and their background, also after JPEG', async () => {
    const shapes =
      '<circle cx="60" cy="60" r="40.3" fill="#e4572e"/><rect x="80.5" y="30.2" width="85" height="55" fill="#17bebb"/><polygon points="30,180 80,105 130,180" fill="#ffc914"/><rect x="118" y="125" width="62" height="50" rx="12" fill="#2e282a"/><circle cx="165" cy="85" r="21" fill="#76b041"/>'
    for (const type of ['png', 'jpeg'] as const) {
      const input = await put(
        folder,
        `five.${type}`,
        (await pixelsOf(logo(shapes))).toFormat(type, { quality: 92, chromaSubsampling: '4:4:4' }),
      )
      const count = paths((await traced(input, { colorMode: 'color' })).svg).length
      if (type === 'png') expect(count).toBe(6)
      else expect(count).toBeLessThan(16)
    }
  })

  test('small letters and thin lines in colours are not lost', async () => {
    const [red, grey] = await Promise.all(
      [
        { text: 'Thin red', size: 22, color: '#c0392b' },
        { text: 'Grey caption', size: 15, color: '#777777' },
      ].map((style) => drawText({ ...style, font: 'Noto Sans', align: 'left' })),
    )
    const lines = logo(
      '<rect x="20" y="16" width="70" height="44" fill="#222"/><path d="M100 20L190 50" stroke="#888" stroke-width="2"/><path d="M10 70.5H190" stroke="#888" stroke-width="2"/>',
    )
    const picture = sharp(await (await pixelsOf(lines)).png().toBuffer()).composite([
      { input: red?.png, left: 10, top: 90 },
      { input: grey?.png, left: 10, top: 140 },
    ])
    const whole = await picture.png().toBuffer()
    /** The ink in a part of the picture: the sum of what its pixels are darker than white. */
    const ink = async (input: Buffer | Uint8Array, top: number, height: number): Promise<number> => {
      const { data } = await sharp(input)
        .flatten({ background: '#ffffff' })
        .extract({ left: 0, top, width: 200, height })
        .greyscale()
        .raw()
        .toBuffer({ resolveWithObject: true })
      return data.reduce((sum, value) => sum + 255 - value, 0)
    }
    for (const type of ['png', 'jpeg'] as const) {
      const input = await put(folder, `details.${type}`, sharp(whole).toFormat(type, { quality: 85 }))
      const { svg } = await traced(input, { colorMode: 'color' })
      for (const [what, top, height] of [
        ['lines', 62, 16],
        ['red', 84, 40],
        ['grey', 130, 40],
      ] as const)
        expect(
          (await ink(Buffer.from(svg), top, height)) / (await ink(whole, top, height)),
          `${what} ${type}`,
        ).toBeGreaterThan(0.75)
    }
  })

  test('fewer turns stay corners with a higher threshold', async () => {
    const input = await put(folder, 'square.png', (await pixelsOf(logo('<path d="M40 40H160V160H40Z"/>'))).png())
    const curves = async (cornerThreshold: number) =>
      (await traced(input, { cornerThreshold })).svg.match(/c[-.\d ]+/g)?.length ?? 0
    expect([await curves(0), await curves(60), await curves(180)]).toEqual([0, 0, 4])
  })
})

test('applies the orientation, accepts CMYK and drawings', async () => {
  const turned = await put(
    folder,
    'turned.jpg',
    sharp(await quarters(60, 40))
      .withMetadata({ orientation: 6 })
      .jpeg({ quality: 100 }),
  )
  const { pixels } = await traced(turned, { colorMode: 'color' })
  expect([pixels.width, pixels.height]).toEqual([40, 60])
  const cmyk = await put(folder, 'cmyk.jpg', plain(40, 40, '#101010').toColourspace('cmyk').jpeg())
  expect(at((await traced(cmyk)).pixels, 20, 20)).toEqual([0, 0, 0])
  const drawing = await put(
    folder,
    'drawing.svg',
    Buffer.from(circle().replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg"')),
  )
  expect(at((await traced(drawing)).pixels, 50, 50)).toEqual([0, 0, 0])
})
