import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { CANVASES, cellBoxes } from '../../../tools/image/compose/collage/layout.ts'
import { TEMPLATES, type TemplateName } from '../../../tools/image/compose/collage/templates.ts'
import collage from '../../../tools/image/compose/collage.ts'
import { useSmallCanvases } from '../../helpers/collage-canvases.ts'
import { at, plain, put, readPixels, readRgba } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const COLOURS = ['#ff0000', '#00ff00', '#0000ff', '#ffff00', '#ff00ff', '#00ffff', '#804020', '#208040', '#402080']
const rgb = (colour: string) => [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16))
const solids = (count: number) =>
  Promise.all(
    COLOURS.slice(0, count).map((colour, index) => put(folder, `solid-${index}.png`, plain(30, 20, colour).png())),
  )

/** Three vertical bands: red, green, blue. */
async function bands(): Promise<string> {
  const band = async (colour: string) => plain(100, 100, colour).png().toBuffer()
  return put(
    folder,
    'bands.png',
    plain(300, 100, '#ff0000')
      .composite([
        { input: await band('#00ff00'), left: 100, top: 0 },
        { input: await band('#0000ff'), left: 200, top: 0 },
      ])
      .png(),
  )
}

async function drawn(inputs: string[], settings: Record<string, unknown>) {
  const { paths } = await run(collage, folder, inputs, settings)
  return readRgba(paths[0]!)
}

test('every template fills the canvas with adjacent cells and gaps', () => {
  for (const [name, template] of Object.entries(TEMPLATES)) {
    const { width, height } = CANVASES.free
    const covered = cellBoxes(template, { width, height }, 0).reduce((sum, box) => sum + box.width * box.height, 0)
    expect(covered, name).toBe(width * height)
    const boxes = cellBoxes(template, { width, height }, 10)
    expect(Math.min(...boxes.map((box) => box.left)), name).toBe(10)
    expect(Math.abs(Math.max(...boxes.map((box) => box.left + box.width)) - (width - 10)), name).toBeLessThanOrEqual(3)
    expect(Math.abs(Math.max(...boxes.map((box) => box.top + box.height)) - (height - 10)), name).toBeLessThanOrEqual(3)
    for (const one of boxes)
      for (const other of boxes)
        if (one !== other)
          expect(
            one.left + one.width <= other.left ||
              other.left + other.width <= one.left ||
              one.top + one.height <= other.top ||
              other.top + other.height <= one.top,
            name,
          ).toBe(true)
  }
})

describe('templates', () => {
  useSmallCanvases()

  test.each(Object.keys(TEMPLATES) as TemplateName[])(
    '%s: every cell shows its picture, gaps show the background',
    async (template) => {
      const count = TEMPLATES[template].cells.length
      const pixels = await drawn(await solids(count), { template, gap: 20, backgroundColor: '#101010' })
      expect(pixels).toMatchObject(CANVASES.free)
      const boxes = cellBoxes(TEMPLATES[template], CANVASES.free, 20)
      boxes.forEach((box, index) => {
        const colour = rgb(COLOURS[index]!)
        const [right, bottom] = [box.left + box.width - 1, box.top + box.height - 1]
        for (const [x, y] of [
          [box.left, box.top],
          [right, bottom],
          [box.left, bottom],
          [right, box.top],
        ] as const)
          expect(at(pixels, x, y)).toEqual(colour)
        expect(at(pixels, box.left - 1, box.top + 5)).toEqual([16, 16, 16])
        expect(at(pixels, box.left + 5, box.top - 1)).toEqual([16, 16, 16])
      })
    },
  )

  test.each([
    [1, '2-h-equal'],
    [2, '2-h-equal'],
    [3, '3-left-large'],
    [4, '4-grid'],
    [5, '5-top2-bottom3'],
    [6, '6-grid-3x2'],
    [7, '7-mosaic'],
    [8, '8-mosaic'],
    [9, '9-grid'],
  ] as const)('%i pictures without a template: %s', async (count, template) => {
    const pixels = await drawn(await solids(count), {})
    const boxes = cellBoxes(TEMPLATES[template], CANVASES.free, 8)
    const last = boxes[count - 1]!
    expect(at(pixels, last.left + 3, last.top + 3)).toEqual(rgb(COLOURS[count - 1]!))
  })
})

describe('canvas', () => {
  test.each([
    ['free', { width: 2400, height: 1800 }],
    ['1:1', { width: 2400, height: 2400 }],
    ['4:3', { width: 2400, height: 1800 }],
    ['3:2', { width: 2400, height: 1600 }],
    ['16:9', { width: 2400, height: 1350 }],
    ['9:16', { width: 1350, height: 2400 }],
    ['4:5', { width: 1920, height: 2400 }],
  ])('%s', async (aspectRatio, size) => {
    // JPEG is written and read many times as fast as PNG.
    const settings = { template: '2-h-equal', aspectRatio, outputFormat: 'jpeg' }
    const { paths } = await run(collage, folder, await solids(1), settings)
    expect(await sharp(paths[0]!).metadata()).toMatchObject(size)
    expect(CANVASES[aspectRatio as keyof typeof CANVASES]).toEqual(size)
  })

  test('fewer pictures leave background, extra ones are omitted', async () => {
    const few = await drawn(await solids(1), { template: '2-h-equal' })
    expect(at(few, 600, 900)).toEqual([255, 0, 0])
    expect(at(few, 1800, 900)).toEqual([255, 255, 255])
    const many = await drawn(await solids(5), { template: '2-h-equal' })
    expect(at(many, 1800, 900)).toEqual([0, 255, 0])
  })
})

describe('cells', () => {
  // One cell of about 1192 x 1792: only the middle of the three bands is visible.
  const cell = cellBoxes(TEMPLATES['2-h-equal'], CANVASES.free, 0)[0]!
  const middle = [cell.left + cell.width / 2, cell.top + cell.height / 2] as const
  const shown = async (options: Record<string, unknown>) =>
    drawn([await bands()], { template: '2-h-equal', gap: 0, cells: [{ imageIndex: 0, ...options }] })

  test('cover shows the middle; pan moves to the ends, and not beyond', async () => {
    // Cells of 800 x 900: only one of the three bands is visible.
    const boxes = cellBoxes(TEMPLATES['6-grid-3x2'], CANVASES.free, 0)
    const cells = [0, 100, 200, -100, -200].map((panX) => ({ imageIndex: 0, panX }))
    const pixels = await drawn([await bands()], { template: '6-grid-3x2', gap: 0, cells })
    const seen = (index: number, x: number) => at(pixels, boxes[index]!.left + x, boxes[index]!.top + 450)
    expect(seen(0, 400)).toEqual([0, 255, 0])
    for (const index of [1, 2]) expect(seen(index, 5)).toEqual([255, 0, 0])
    for (const index of [3, 4]) expect(seen(index, 795)).toEqual([0, 0, 255])
  })

  test('zoom makes the middle larger', async () => {
    const normal = await drawn([await bands()], { template: '2-v-equal', gap: 0 })
    const zoomed = await drawn([await bands()], { template: '2-v-equal', gap: 0, cells: [{ imageIndex: 0, zoom: 3 }] })
    // At zoom 1 the cell of 2400 x 900 shows parts of all bands, at 3 only the middle one.
    expect(at(normal, 40, 450)).toEqual([255, 0, 0])
    for (const x of [40, 2360]) expect(at(zoomed, x, 450)).toEqual([0, 255, 0])
  })

  test('contain shows all of it on the background', async () => {
    const pixels = await shown({ objectFit: 'contain' })
    expect(at(pixels, 100, middle[1])).toEqual([255, 0, 0])
    expect(at(pixels, cell.width - 100, middle[1])).toEqual([0, 0, 255])
    expect(at(pixels, middle[0], 100)).toEqual([255, 255, 255])
  })

  test('imageIndex selects the picture', async () => {
    const pixels = await drawn(await solids(2), {
      template: '2-h-equal',
      gap: 0,
      cells: [{ imageIndex: 1 }, { imageIndex: 0 }],
    })
    expect(at(pixels, 600, 900)).toEqual([0, 255, 0])
    expect(at(pixels, 1800, 900)).toEqual([255, 0, 0])
  })

  test('round corners', async () => {
    const pixels = await drawn(await solids(1), {
      template: '2-h-equal',
      gap: 0,
      borderRadius: 100,
      backgroundColor: 'transparent',
    })
    expect(at(pixels, 5, 5)[3]).toBe(0)
    expect(at(pixels, 100, 5)).toEqual([255, 0, 0])
    // The corner's arc passes at 100 - 100 / root 2 = 29.3 on the diagonal.
    expect(at(pixels, 26, 26)[3]).toBe(0)
    expect(at(pixels, 33, 33)).toEqual([255, 0, 0])
  })
})

describe('output', () => {
  useSmallCanvases()

  test('jpeg has the extension jpg, and transparency becomes white', async () => {
    const { paths, names } = await run(collage, folder, await solids(1), {
      template: '2-h-equal',
      outputFormat: 'jpeg',
      backgroundColor: 'transparent',
    })
    expect(names).toEqual(['collage.jpg'])
    expect(at(await readPixels(paths[0]!), 225, 112)).toEqual([255, 255, 255])
  })

  test.each(['webp', 'avif'])('%s keeps transparency', async (outputFormat) => {
    const { paths, names } = await run(collage, folder, await solids(1), {
      template: '2-h-equal',
      outputFormat,
      backgroundColor: 'transparent',
    })
    expect(names).toEqual([`collage.${outputFormat}`])
    const pixels = await readRgba(paths[0]!)
    expect(at(pixels, 225, 112)[3]).toBe(0)
    expect(at(pixels, 75, 112)[0]).toBeGreaterThan(245)
  })

  test('jxl', async () => {
    const { names } = await run(collage, folder, await solids(1), { template: '2-h-equal', outputFormat: 'jxl' })
    expect(names).toEqual(['collage.jxl'])
  })
})

test('names an unreadable file', async () => {
  const broken = await put(
    folder,
    'broken.png',
    (
      await sharp(await bands())
        .png()
        .toBuffer()
    ).subarray(0, 60),
  )
  await expect(drawn([(await solids(1))[0]!, broken], {})).rejects.toMatchObject({
    code: 'INVALID_FILE',
    message: expect.stringContaining('broken.png'),
  })
  await expect(drawn(await solids(1), { backgroundColor: 'reddish' })).rejects.toMatchObject({
    code: 'INVALID_SETTINGS',
  })
})
