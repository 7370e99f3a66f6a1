import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import gifTools from '../../../tools/image/convert/gif-tools.ts'
import { animation, at, fromSamples, photo, put, quarters, readRgba } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const COLOURS = ['#ff0000', '#00ff00', '#0000ff', '#ffffff']
const DELAY = [50, 100, 150, 200]
const source = () => animation(join(folder, 'moving.gif'), COLOURS, { delay: DELAY, loop: 3 })
const about = (path: string) => sharp(path, { animated: true }).metadata()
const colourAt = async (path: string, page: number) => at(await readRgba(path, page), 12, 8)

async function edited(settings: Record<string, unknown>, input?: string): Promise<string> {
  const { paths } = await run(gifTools, folder, [input ?? (await source())], settings)
  return paths[0]!
}

describe('resize', () => {
  test.each([
    [{ percentage: 50 }, 20, 12],
    [{ width: 20 }, 20, 12],
    [{ height: 6 }, 10, 6],
    [{ width: 20, height: 6 }, 10, 6],
    [{ width: 80, height: 80 }, 80, 48],
    [{ percentage: 200, width: 5 }, 80, 48],
  ])('%j', async (settings, width, pageHeight) => {
    const path = await edited(settings)
    expect(await about(path)).toMatchObject({ format: 'gif', width, pageHeight, pages: 4, delay: DELAY, loop: 3 })
    expect(
      await sharp(path, { page: 2 })
        .raw()
        .toBuffer()
        .then((data) => [...data.subarray(0, 3)]),
    ).toEqual([0, 0, 255])
  })

  test('limits', async () => {
    for (const settings of [{ width: 16383, height: 16383 }, {}])
      await expect(edited(settings)).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
  })
})

test('optimize: fewer colours, fewer bytes, the same frames', async () => {
  const frames = await Promise.all(
    [0, 1].map(async (turn) => {
      const image = fromSamples(photo(120, 90))
      return (turn ? image.flop() : image).png().toBuffer()
    }),
  )
  const input = await put(folder, 'photo.gif', sharp(frames, { join: { animated: true } }).gif({ delay: [90, 90] }))
  const path = await edited({ action: 'optimize', colors: 8, dither: 0 }, input)
  expect((await stat(path)).size).toBeLessThan((await stat(input)).size / 2)
  expect(await about(path)).toMatchObject({ pages: 2, delay: [90, 90] })
  const { data } = await readRgba(path, 0)
  const colours = new Set(Array.from({ length: data.length / 4 }, (_, pixel) => data.readUInt32LE(pixel * 4)))
  // sharp's palettes have 2, 4, 16 or 256 colours.
  expect(colours.size).toBeLessThanOrEqual(16)
  expect(colours.size).toBeGreaterThan(3)
})

describe('timing', () => {
  test("speed divides every delay, in GIF's hundredths, at least 20 ms", async () => {
    expect((await about(await edited({ action: 'speed', speedFactor: 2 }))).delay).toEqual([20, 50, 80, 100])
    expect((await about(await edited({ action: 'speed', speedFactor: 10 }))).delay).toEqual([20, 20, 20, 20])
    expect((await about(await edited({ action: 'speed', speedFactor: 0.5 }))).delay).toEqual([100, 200, 300, 400])
  })

  test('reverse reverses frames and delays', async () => {
    const path = await edited({ action: 'reverse' })
    expect((await about(path)).delay).toEqual([...DELAY].reverse())
    expect([await colourAt(path, 0), await colourAt(path, 3)]).toEqual([
      [255, 255, 255],
      [255, 0, 0],
    ])
    expect((await about(await edited({ action: 'reverse', speedFactor: 0.5 }))).delay).toEqual([400, 300, 200, 100])
  })

  test('reverse returns a single frame', async () => {
    const single = await put(folder, 'single.gif', sharp(await quarters(20, 10)).gif())
    expect(at(await readRgba(await edited({ action: 'reverse' }, single)), 2, 2)).toEqual([255, 0, 0])
  })

  test('loop', async () => {
    expect((await about(await edited({ action: 'speed', loop: 0 }))).loop).toBe(0)
    expect((await about(await edited({ action: 'reverse' }))).loop).toBe(3)
    expect((await about(await edited({ action: 'speed', loop: 7 }))).loop).toBe(7)
  })
})

describe('rotate', () => {
  const input = async () => {
    const frame = await quarters(40, 24)
    // Similar frames must stay two.
    const gif = { delay: [70, 80], keepDuplicateFrames: true }
    return put(folder, 'turning.gif', sharp([frame, frame], { join: { animated: true } }).gif(gif))
  }
  // Red is at the top left, green at the top right, blue at the bottom left, white at the bottom right; afterwards at the top left:
  test.each([
    [{ angle: 90 }, 24, [0, 0, 255]],
    [{ angle: 180 }, 40, [255, 255, 255]],
    [{ angle: 270 }, 24, [0, 255, 0]],
    [{ flipH: true }, 40, [0, 255, 0]],
    [{ flipV: true }, 40, [0, 0, 255]],
    [{ flipH: true, flipV: true }, 40, [255, 255, 255]],
    [{ angle: 90, flipH: true }, 24, [255, 0, 0]],
  ])('%j', async (settings, width, colour) => {
    const path = await edited({ action: 'rotate', ...settings }, await input())
    expect(await about(path)).toMatchObject({ width, pages: 2, delay: [70, 80] })
    for (const page of [0, 1]) expect(at(await readRgba(path, page), 2, 2)).toEqual(colour)
  })

  test('refuses no changes', async () => {
    await expect(edited({ action: 'rotate' })).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
  })
})

describe('extract-frames', () => {
  const extracted = async (settings: Record<string, unknown>) =>
    run(gifTools, folder, [await source()], { action: 'extract-frames', ...settings })

  test('one', async () => {
    const { names, paths, set } = await extracted({ frameNumber: 2 })
    expect([names, set]).toEqual([['moving_frame2.png'], undefined])
    expect(at(await readRgba(paths[0]!), 2, 2)).toEqual([0, 0, 255])
  })

  test('a range, named by the original index; open-ended', async () => {
    const { names, paths, set } = await extracted({
      extractMode: 'range',
      frameStart: 1,
      frameEnd: 2,
      extractFormat: 'webp',
    })
    expect([names, set]).toEqual([['frame_0001.webp', 'frame_0002.webp'], 'moving_frames'])
    expect(at(await readRgba(paths[0]!), 2, 2)).toEqual([0, 255, 0])
    expect((await extracted({ extractMode: 'range', frameStart: 2 })).names).toEqual([
      'frame_0002.png',
      'frame_0003.png',
    ])
  })

  test('all', async () => {
    const { names, paths } = await extracted({ extractMode: 'all' })
    expect(names).toEqual([0, 1, 2, 3].map((index) => `frame_000${index}.png`))
    expect(await Promise.all(paths.map(async (path) => at(await readRgba(path), 2, 2)))).toEqual([
      [255, 0, 0],
      [0, 255, 0],
      [0, 0, 255],
      [255, 255, 255],
    ])
  })

  test('missing frames', async () => {
    for (const settings of [
      { frameNumber: 4 },
      { extractMode: 'range', frameStart: 4 },
      { extractMode: 'range', frameEnd: 9 },
    ])
      await expect(extracted(settings)).rejects.toMatchObject({ code: 'TARGET_UNREACHABLE', status: 400 })
    await expect(extracted({ extractMode: 'range', frameStart: 3, frameEnd: 1 })).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
    })
  })
})

describe('add-text', () => {
  const wide = () => animation(join(folder, 'wide.gif'), ['#003000', '#300000'], { width: 200, height: 120 })
  /** Rows of a frame with bright letters. */
  async function rows(path: string, page: number): Promise<number[]> {
    const { data, width, height } = await readRgba(path, page)
    return Array.from({ length: height }, (_, y) => y).filter((y) =>
      Array.from({ length: width }, (_, x) => data[(y * width + x) * 4 + 2]!).some((blue) => blue > 200),
    )
  }
  const text = { action: 'add-text', text: 'Hello', fontSize: 24 }

  test.each([
    ['top', 0, 45],
    ['center', 40, 85],
    ['bottom', 75, 120],
  ])('%s, on every frame', async (position, from, to) => {
    const path = await edited({ ...text, position }, await wide())
    expect((await about(path)).pages).toBe(2)
    for (const page of [0, 1]) {
      const found = await rows(path, page)
      expect(found.length).toBeGreaterThan(10)
      expect([found[0]! >= from, found.at(-1)! < to]).toEqual([true, true])
    }
  })

  test('x and y position it, even half outside', async () => {
    const found = await rows(await edited({ ...text, x: -10, y: 100 }, await wide()), 1)
    expect(found[0]).toBeGreaterThanOrEqual(100)
    expect(found.length).toBeGreaterThan(5)
    expect(await rows(await edited({ ...text, x: 5000, y: 5000 }, await wide()), 0)).toEqual([])
  })

  test('wraps long text to the width', async () => {
    const one = await rows(await edited({ ...text, position: 'center' }, await wide()), 0)
    const several = await rows(
      await edited({ ...text, text: 'Hello to all of you out there', position: 'center' }, await wide()),
      0,
    )
    expect(several.length).toBeGreaterThan(one.length * 1.6)
  })

  test('refuses no text', async () => {
    await expect(edited({ action: 'add-text', text: ' ' })).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
  })
})

describe('info', () => {
  test('of an animation', async () => {
    const path = await source()
    const { report } = await run(gifTools, folder, [path], {}, { action: 'info' })
    expect(report).toEqual({
      width: 40,
      height: 24,
      pages: 4,
      delay: DELAY,
      loop: 3,
      fileSize: (await readFile(path)).length,
      duration: 500,
    })
  })

  test('of an unreadable file', async () => {
    const path = await put(folder, 'broken.gif', Buffer.from('GIF89a\x01'))
    await expect(run(gifTools, folder, [path], {}, { action: 'info' })).rejects.toMatchObject({ code: 'INVALID_FILE' })
  })
})
