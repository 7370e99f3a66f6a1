import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { SCREENSHOT_FRAMES, type ScreenshotFrameName } from '../../../tools/image/compose/beautify/screenshot-frames.ts'
import beautify from '../../../tools/image/compose/beautify.ts'
import {
  animation,
  at,
  difference,
  plain,
  png16,
  pngWithProfile,
  put,
  quarters,
  ramp16,
  read16,
  readPixels,
  readRgba,
  type Samples,
  swappedProfile,
} from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const rgb = (colour: string) => [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16))
const shot = (width = 400, height = 300) => put(folder, `shot-${width}.png`, plain(width, height, '#3264c8').png())
const SHOT = [0x32, 0x64, 0xc8]

/** Only the requested options. */
const BARE = { backgroundType: 'transparent', padding: 0, borderRadius: 0, shadowPreset: 'none' }

async function dressed(settings: Record<string, unknown> = {}, input?: string, backgroundImage?: string) {
  const { paths, names, warnings } = await run(beautify, folder, [input ?? (await shot())], settings, {
    ...(backgroundImage && { secondary: { backgroundImage } }),
  })
  return { path: paths[0]!, name: names[0]!, warnings, pixels: await readRgba(paths[0]!) }
}

const near = (found: readonly number[], wanted: readonly number[], within = 3) =>
  wanted.forEach((value, index) => {
    expect(Math.abs(found[index]! - value)).toBeLessThanOrEqual(within)
  })

/** The rectangle in which two pictures differ. */
function changed(one: Samples, other: Samples) {
  const box = { left: one.width, top: one.height, right: -1, bottom: -1 }
  for (let y = 0; y < one.height; y++)
    for (let x = 0; x < one.width; x++) {
      if (at(one, x, y).every((value, index) => Math.abs(value - at(other, x, y)[index]!) < 12)) continue
      box.left = Math.min(box.left, x)
      box.top = Math.min(box.top, y)
      box.right = Math.max(box.right, x)
      box.bottom = Math.max(box.bottom, y)
    }
  return box
}

test('the default: round corners, a subtle shadow, 64 pixels of gradient', async () => {
  const { pixels, path } = await dressed()
  // The shadow grows the picture by twice its blur, 40 pixels, moved down by 4.
  expect(pixels).toMatchObject({ width: 400 + 80 + 128, height: 300 + 80 + 128 })
  expect((await sharp(path).metadata()).channels).toBe(3)
  near(at(pixels, 0, 0), rgb('#667eea'))
  near(at(pixels, 607, 507), rgb('#764ba2'))
  const [left, top] = [104, 64 + 36]
  expect(at(pixels, left + 1, top + 1)).not.toEqual(SHOT)
  expect([at(pixels, left + 12, top), at(pixels, left, top + 12), at(pixels, left + 399, top + 150)]).toEqual(
    Array(3).fill(SHOT),
  )
  const below = at(pixels, 304, top + 300 + 5)
  const beside = at(
    (await dressed({ shadowOpacity: 0, shadowBlur: 20, shadowOffsetY: 4, shadowPreset: 'custom' })).pixels,
    304,
    top + 305,
  )
  // Under the edge, about half of the 20 percent of black.
  near(
    below,
    beside.map((value) => value * 0.9),
    8,
  )
  expect(below[0]).toBeLessThan(beside[0]!)
})

describe('background', () => {
  const look = { ...BARE, padding: 50 }

  test('solid', async () => {
    const { pixels, path } = await dressed({ ...look, backgroundType: 'solid', backgroundColor: '#ff0000' })
    expect(pixels).toMatchObject({ width: 500, height: 400 })
    expect((await sharp(path).metadata()).channels).toBe(3)
    expect([at(pixels, 0, 0), at(pixels, 49, 200), at(pixels, 50, 50)]).toEqual([[255, 0, 0], [255, 0, 0], SHOT])
  })

  test('transparent', async () => {
    const { pixels } = await dressed(look)
    expect([at(pixels, 49, 200)[3], at(pixels, 50, 200)]).toEqual([0, SHOT])
  })

  test('linear gradient: stops in percent, along its angle', async () => {
    const gradientStops = [
      { color: '#ff0000', position: 0 },
      { color: '#00ff00', position: 25 },
      { color: '#0000ff', position: 100 },
    ]
    const across = (await dressed({ ...look, backgroundType: 'linear-gradient', gradientStops, gradientAngle: 90 }))
      .pixels
    near(at(across, 0, 10), [255, 0, 0])
    near(at(across, 125, 10), [0, 255, 0])
    near(at(across, 312, 390), [0, 127, 128])
    near(at(across, 499, 10), [0, 0, 255])
    const up = (await dressed({ ...look, backgroundType: 'linear-gradient', gradientStops, gradientAngle: 0 })).pixels
    near(at(up, 10, 399), [255, 0, 0])
    near(at(up, 10, 300), [0, 255, 0], 4)
    near(at(up, 10, 0), [0, 0, 255])
  })

  test('radial gradient: from the middle to 70 percent', async () => {
    const gradientStops = [
      { color: '#ff0000', position: 0 },
      { color: '#0000ff', position: 100 },
    ]
    const wide = await shot(20, 20)
    const { pixels } = await dressed({ ...look, padding: 100, backgroundType: 'radial-gradient', gradientStops }, wide)
    for (const x of [0, 40, 80]) {
      const share = (110 - (x + 0.5)) / (0.7 * 220)
      near(at(pixels, x, 110), [255 * (1 - share), 0, 255 * share], 4)
    }
    near(at(pixels, 0, 0), [0, 0, 255], 4)
  })

  test('an image covers the canvas', async () => {
    const picture = await put(folder, 'behind.png', await quarters(1000, 400))
    const { pixels } = await dressed({ ...look, backgroundType: 'image' }, undefined, picture)
    expect(pixels).toMatchObject({ width: 500, height: 400 })
    expect([at(pixels, 5, 5), at(pixels, 490, 5), at(pixels, 5, 390), at(pixels, 490, 390)]).toEqual([
      [255, 0, 0],
      [0, 255, 0],
      [0, 0, 255],
      [255, 255, 255],
    ])
    // The middle of the picture is the middle of the canvas.
    expect([at(pixels, 248, 5), at(pixels, 251, 5)]).toEqual([
      [255, 0, 0],
      [0, 255, 0],
    ])
    await expect(dressed({ ...look, backgroundType: 'image' })).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
  })
})

describe('frames', () => {
  const windows = Object.entries(SCREENSHOT_FRAMES).filter(([, frame]) => frame.kind === 'window')
  const devices = Object.entries(SCREENSHOT_FRAMES).filter(([, frame]) => frame.kind === 'device')

  test.each(windows)('%s: a bar above the image', async (frame, facts) => {
    const { titleBarPx, bar } = facts as { titleBarPx: number; bar: string }
    const { pixels } = await dressed({ ...BARE, frame })
    expect(pixels).toMatchObject({ width: 400, height: 300 + titleBarPx })
    expect([at(pixels, 1, 1), at(pixels, 2, titleBarPx - 3)]).toEqual([rgb(bar), rgb(bar)])
    expect([at(pixels, 0, titleBarPx), at(pixels, 399, titleBarPx + 299)]).toEqual([SHOT, SHOT])
    if (!frame.startsWith('windows'))
      for (const [x, colour] of [
        [20, '#ff5f57'],
        [40, '#febc2e'],
        [60, '#28c840'],
      ] as const) {
        expect(at(pixels, x, 18)).toEqual(rgb(colour))
        expect(at(pixels, x - 7, 18)).toEqual(rgb(bar))
      }
  })

  test.each(windows)('%s: corners of the whole are round', async (frame, facts) => {
    const { pixels } = await dressed({ ...BARE, frame, borderRadius: 20 })
    const { bar } = facts as { bar: string }
    expect([at(pixels, 1, 1)[3], at(pixels, 398, pixels.height - 2)[3]]).toEqual([0, 0])
    expect([at(pixels, 22, 1), at(pixels, 20, pixels.height - 1)]).toEqual([rgb(bar), SHOT])
  })

  test('windows have three buttons of 46 pixels on the right', async () => {
    const { pixels } = await dressed({ ...BARE, frame: 'windows-light' })
    for (const middle of [285, 331, 377]) {
      const glyph = { left: 400, right: 0 }
      for (let x = middle - 20; x <= middle + 20; x++)
        for (let y = 5; y < 31; y++)
          if (at(pixels, x, y)[0]! < 0xd0) {
            glyph.left = Math.min(glyph.left, x)
            glyph.right = Math.max(glyph.right, x)
          }
      expect(Math.abs((glyph.left + glyph.right) / 2 - middle)).toBeLessThanOrEqual(1)
      expect(glyph.right - glyph.left + 1).toBeGreaterThanOrEqual(9)
      expect(glyph.right - glyph.left + 1).toBeLessThanOrEqual(11)
    }
  })

  test.each([
    ['macos-light', { left: 150, right: 250 }],
    ['macos-dark', { left: 150, right: 250 }],
    ['windows-light', { left: 12, right: 120 }],
    ['windows-dark', { left: 12, right: 120 }],
  ] as const)('%s: the title is in its place', async (frame, bounds) => {
    const [without, with_] = [
      (await dressed({ ...BARE, frame })).pixels,
      (await dressed({ ...BARE, frame, frameTitle: 'My notes' })).pixels,
    ]
    const box = changed(without, with_)
    expect(box.left).toBeGreaterThanOrEqual(bounds.left - 1)
    expect(box.right).toBeLessThan(bounds.right)
    expect(box.right - box.left).toBeGreaterThan(30)
    expect(box.top).toBeGreaterThan(8)
    expect(box.bottom).toBeLessThan(28)
    if (frame.startsWith('macos')) expect(Math.abs((box.left + box.right) / 2 - 199.5)).toBeLessThan(2)
  })

  test('cuts a long title before the buttons', async () => {
    const frameTitle = 'A title that is far too long for so small a window '.repeat(9)
    const macos = changed(
      (await dressed({ ...BARE, frame: 'macos-light' })).pixels,
      (await dressed({ ...BARE, frame: 'macos-light', frameTitle })).pixels,
    )
    expect([macos.left >= 79, macos.right <= 321, macos.right - macos.left > 200]).toEqual([true, true, true])
    const windows = changed(
      (await dressed({ ...BARE, frame: 'windows-light' })).pixels,
      (await dressed({ ...BARE, frame: 'windows-light', frameTitle })).pixels,
    )
    expect(windows.right).toBeLessThan(400 - 3 * 46)
  })

  test.each(['browser-light', 'browser-dark'] as const)('%s: tab and address', async (frame) => {
    const { tab, address } = SCREENSHOT_FRAMES[frame]
    const plainBar = (await dressed({ ...BARE, frame })).pixels
    expect([at(plainBar, 97, 30), at(plainBar, 294, 30)]).toEqual([rgb(tab.color), rgb(tab.color)])
    expect(at(plainBar, 297, 30)).not.toEqual(rgb(tab.color))
    expect([at(plainBar, 20, 44), at(plainBar, 380, 64)]).toEqual([rgb(address.color), rgb(address.color)])
    // The lock: its colour somewhere at the start of the field.
    const inks = Array.from({ length: 12 * 20 }, (_, index) =>
      at(plainBar, 22 + (index % 12), 44 + Math.floor(index / 12)),
    )
    expect(inks).toContainEqual(rgb(address.lock))
    const textIn = (pixels: Samples, left: number, right: number, top: number, ground: string) => {
      let count = 0
      for (let x = left; x < right; x++)
        for (let y = top; y < top + 18; y++) if (Math.abs(at(pixels, x, y)[0]! - rgb(ground)[0]!) > 40) count++
      return count
    }
    // Without a title the tab says so, and the address is empty.
    expect(textIn(plainBar, 108, 284, 12, tab.color)).toBeGreaterThan(40)
    expect(textIn(plainBar, 45, 380, 45, address.color)).toBe(0)
    const titled = (await dressed({ ...BARE, frame, frameTitle: 'example.com' })).pixels
    expect(textIn(titled, 108, 284, 12, tab.color)).toBeGreaterThan(40)
    expect(textIn(titled, 45, 380, 45, address.color)).toBeGreaterThan(40)
  })

  test.each(devices)('%s: bezel, screen and body in proportion', async (frame, facts) => {
    const device = facts as { bezel: number; color: string; base?: { height: number; overhang: number } }
    const { pixels } = await dressed({ ...BARE, frame, borderRadius: 64 }, await shot(400, 500))
    const bezel = Math.round(device.bezel * 400)
    const overhang = Math.round((device.base?.overhang ?? 0) * 400)
    const base = Math.round((device.base?.height ?? 0) * 400)
    expect(pixels).toMatchObject({ width: 400 + 2 * (bezel + overhang), height: 500 + 2 * bezel + base })
    const middle = Math.round(pixels.width / 2)
    // A metal band in the colour of the device, brighter or darker by light, and glass inside it.
    const band = at(pixels, overhang + Math.floor(bezel * 0.2), 150)
    for (const [index, value] of rgb(device.color).entries()) expect(Math.abs(band[index]! - value)).toBeLessThan(64)
    expect(Math.max(...at(pixels, overhang + Math.round(bezel * 0.7), 150).slice(0, 3))).toBeLessThan(16)
    expect(at(pixels, overhang, 0)[3]).toBe(0)
    expect(at(pixels, middle, bezel + 150)).toEqual(SHOT)
    expect(at(pixels, overhang + bezel + 2, bezel + 150)).toEqual(SHOT)
    if (base > 0) {
      expect(at(pixels, 2, 150)[3]).toBe(0)
      expect(at(pixels, 2, 500 + 2 * bezel + 3)).toHaveLength(3)
      expect(at(pixels, 0, pixels.height - 1)[3]).toBe(0)
    }
  })

  test.each(['iphone', 'iphone-dark'] as const)('%s: an island in the screen, below its edge', async (frame) => {
    const { pixels } = await dressed({ ...BARE, frame }, await shot(400, 500))
    const bezel = 18
    const middle = pixels.width / 2
    const isDark = (x: number, y: number) => Math.max(...at(pixels, x, y).slice(0, 3)) < 16
    // 0.094 of 400 high, 0.028 of 400 below the edge, 0.32 of 400 wide.
    expect([isDark(middle, bezel + 13), isDark(middle, bezel + 46)]).toEqual([true, true])
    expect([at(pixels, middle, bezel + 8), at(pixels, middle, bezel + 52)]).toEqual([SHOT, SHOT])
    expect([isDark(middle - 58, bezel + 30), isDark(middle + 30, bezel + 30)]).toEqual([true, true])
    expect([at(pixels, middle - 68, bezel + 30), at(pixels, middle + 68, bezel + 30)]).toEqual([SHOT, SHOT])
    // Corners of the screen are round: 0.11 of its width is 44 pixels.
    expect(at(pixels, bezel + 3, bezel + 3)).not.toEqual(SHOT)
    expect(at(pixels, bezel + 16, bezel + 16)).toEqual(SHOT)
  })

  test.each(Object.keys(SCREENSHOT_FRAMES) as ScreenshotFrameName[])(
    '%s around a very small picture',
    async (frame) => {
      const tiny = await put(folder, 'tiny.png', plain(8, 3, '#3264c8').png())
      expect((await dressed({ ...BARE, frame, frameTitle: 'x' }, tiny)).pixels.width).toBeGreaterThanOrEqual(8)
    },
  )
})

describe('shadow', () => {
  test.each([
    ['subtle', 20, 4],
    ['medium', 40, 10],
    ['dramatic', 80, 20],
  ])('%s: a margin of twice the blur', async (shadowPreset, blur, offset) => {
    const { pixels } = await dressed({ ...BARE, shadowPreset })
    expect(pixels).toMatchObject({ width: 400 + 4 * blur, height: 300 + 4 * blur })
    expect(at(pixels, 2 * blur, 2 * blur - offset)).toEqual(SHOT)
    expect(at(pixels, 2 * blur, 2 * blur - offset - 1)).not.toEqual(SHOT)
  })

  test('custom', async () => {
    const { pixels } = await dressed({
      ...BARE,
      shadowPreset: 'custom',
      shadowBlur: 0,
      shadowOffsetX: 30,
      shadowOffsetY: 50,
      shadowColor: '#ff0000',
      shadowOpacity: 60,
    })
    expect(pixels).toMatchObject({ width: 430, height: 350 })
    expect([at(pixels, 0, 0), at(pixels, 429, 349), at(pixels, 29, 300)[3]]).toEqual([SHOT, [255, 0, 0, 153], 0])
  })
})

describe('watermark', () => {
  const look = { ...BARE, watermarkOpacity: 100 }
  const brightest = ({ data, channels }: Samples) => {
    let most = 0
    for (let at = 0; at < data.length; at += channels) most = Math.max(most, data[at]!)
    return most
  }

  test.each(['top-left', 'top-right', 'bottom-left', 'bottom-right', 'center'])('%s', async (watermarkPosition) => {
    const without = await readRgba(await shot(1200, 800))
    const { pixels } = await dressed({ ...look, watermarkText: 'HHHH', watermarkPosition }, await shot(1200, 800))
    const box = changed(without, pixels)
    // Size and margin are 3 percent of 800: 24 pixels.
    expect(box.bottom - box.top).toBeGreaterThan(14)
    expect(box.bottom - box.top).toBeLessThan(24)
    if (watermarkPosition.endsWith('left')) expect(Math.abs(box.left - 24)).toBeLessThan(2)
    if (watermarkPosition.endsWith('right')) expect(Math.abs(1199 - box.right - 24)).toBeLessThan(2)
    if (watermarkPosition.startsWith('top')) expect(Math.abs(box.top - 24)).toBeLessThan(2)
    if (watermarkPosition.startsWith('bottom')) expect(Math.abs(799 - box.bottom - 24)).toBeLessThan(2)
    if (watermarkPosition === 'center') {
      expect(Math.abs((box.left + box.right) / 2 - 599.5)).toBeLessThan(2)
      expect(Math.abs((box.top + box.bottom) / 2 - 399.5)).toBeLessThan(2)
    }
    expect(brightest(pixels)).toBe(255)
  })

  test('opacity; nothing to write; too long for the picture', async () => {
    const settings = { ...BARE, watermarkText: 'HHHH' }
    const half = (await dressed(settings)).pixels
    expect(Math.abs(brightest(half) - (255 + 0x32) / 2)).toBeLessThan(3)
    const none = (await dressed({ ...settings, watermarkOpacity: 0 })).pixels
    expect(difference(none, await readRgba(await shot())).most).toBe(0)
    expect(
      difference((await dressed({ ...BARE, watermarkText: '  ' })).pixels, await readRgba(await shot())).most,
    ).toBe(0)
    const long = (await dressed({ ...look, watermarkText: 'words and words '.repeat(30) }, await shot(100, 60))).pixels
    const box = changed(await readRgba(await shot(100, 60)), long)
    expect([box.left >= 11, box.right <= 88, box.top >= 11, box.bottom <= 48]).toEqual([true, true, true, true])
  })
})

describe('high-density screenshots', () => {
  const dense = (width: number, density?: number) => {
    const image = plain(width, 200, '#3366cc').png()
    return put(folder, `dense-${width}-${density}.png`, density ? image.withMetadata({ density }) : image)
  }

  test.each([
    [800, 144, 2],
    [800, 72, 1],
    [800, 300, 1],
    [2880, undefined, 2],
  ])('%d px wide at %d dpi: bars of %d pixels per point', async (width, density, scale) => {
    const { pixels } = await dressed({ ...BARE, frame: 'macos-light', borderRadius: 0 }, await dense(width, density))
    expect([pixels.width, pixels.height]).toEqual([width, 200 + 36 * scale])
    // The middle of the first button.
    near(at(pixels, 20 * scale, 18 * scale), [255, 95, 87], 8)
    near(at(pixels, 26 * scale + 2 * scale, 18 * scale), at(pixels, 2, 2).slice(0, 3), 4)
  })
})

test('a phone with a wide screen is horizontal: the island is on the left', async () => {
  const wide = await put(folder, 'wide.png', plain(400, 200, '#3366cc').png())
  const { pixels } = await dressed({ ...BARE, frame: 'iphone-dark' }, wide)
  const [edge, middle] = [Math.round((pixels.width - 400) / 2), Math.round(pixels.height / 2)]
  const isScreen = (x: number, y: number) => Math.abs(at(pixels, x, y)[2]! - 0xcc) < 8
  expect(isScreen(edge + 14, middle)).toBe(false)
  expect(isScreen(pixels.width - edge - 4, middle)).toBe(true)
  expect(isScreen(Math.round(pixels.width / 2), Math.round((pixels.height - 200) / 2) + 3)).toBe(true)
})

describe('social sizes', () => {
  test.each([
    ['twitter', 1600, 900],
    ['linkedin', 1200, 627],
    ['instagram-square', 1080, 1080],
    ['instagram-story', 1080, 1920],
    ['facebook', 1200, 630],
    ['producthunt', 1270, 760],
  ])('%s is %i x %i', async (socialPreset, width, height) => {
    expect((await dressed({ ...BARE, socialPreset })).pixels).toMatchObject({ width, height })
  })

  test('the background fills the canvas: the solid colour, the gradient without a seam, or transparent', async () => {
    const settings = { ...BARE, padding: 50, socialPreset: 'twitter' }
    const solid = await dressed({ ...settings, backgroundType: 'solid', backgroundColor: '#ff8000' })
    expect(at(solid.pixels, 5, 450)).toEqual([255, 128, 0])
    expect(at(solid.pixels, 800, 450)).toEqual(SHOT)
    const gradientStops = [
      { color: '#00ff00', position: 100 },
      { color: '#ff0000', position: 0 },
    ]
    const gradient = await dressed({ ...settings, backgroundType: 'linear-gradient', gradientStops, gradientAngle: 90 })
    near(at(gradient.pixels, 1, 450), [255, 0, 0], 4)
    near(at(gradient.pixels, 1598, 450), [0, 255, 0], 4)
    // From one column to the next it changes by a step of the gradient at most, along the whole edge.
    for (let x = 1; x < 1600; x += 1)
      expect(Math.abs(at(gradient.pixels, x, 3)[0]! - at(gradient.pixels, x - 1, 3)[0]!)).toBeLessThanOrEqual(2)
    const clear = await dressed(settings)
    expect(at(clear.pixels, 5, 450)[3]).toBe(0)
  })
})

describe('formats', () => {
  test('jpeg without transparency; else png, with a note', async () => {
    const opaque = { ...BARE, backgroundType: 'solid', outputFormat: 'jpeg' }
    const jpeg = await dressed(opaque)
    expect([jpeg.name, (await sharp(jpeg.path).metadata()).format]).toEqual(['shot-400.jpg', 'jpeg'])
    for (const change of [
      { borderRadius: 1 },
      { shadowPreset: 'subtle' },
      { frame: 'macos-light' },
      { backgroundType: 'transparent' },
    ]) {
      const { name, path, warnings } = await dressed({ ...opaque, ...change })
      expect((await sharp(path).metadata()).format).toBe('png')
      expect(name).toBe('shot-400_beautified.png')
      expect(warnings.join()).toContain('PNG')
    }
  })

  test('a transparent screenshot on a transparent social canvas is white in jpeg', async () => {
    const clear = await put(folder, 'clear.png', plain(40, 40, '#00000000').png())
    const picture = await put(folder, 'ghost.png', plain(40, 40, '#00000000').png())
    const settings = { ...BARE, backgroundType: 'image', outputFormat: 'jpeg' }
    expect(at((await dressed(settings, clear, picture)).pixels, 5, 5)).toEqual([255, 255, 255])
  })

  test('webp keeps every frame of an animation', async () => {
    const moving = await animation(join(folder, 'moving.gif'), ['#0000ff', '#00ff00'], { width: 120, height: 80 })
    const { path, name } = await dressed({ frame: 'browser-dark', outputFormat: 'webp' }, moving)
    expect(name).toBe('moving.webp')
    expect(await sharp(path, { animated: true }).metadata()).toMatchObject({ pages: 2, delay: [50, 80], loop: 3 })
    for (const [page, colour] of [
      [0, [0, 0, 255]],
      [1, [0, 255, 0]],
    ] as const)
      near(at(await readRgba(path, page), 164, 64 + 36 + 72 + 40), colour, 8)
    const still = await dressed({}, moving)
    expect(still.name).toBe('moving.png')
    expect(still.warnings.join()).toContain('2 frames')
  })

  test('applies EXIF orientation first', async () => {
    const turned = await put(
      folder,
      'turned.jpg',
      sharp(await quarters(80, 40))
        .rotate(-90)
        .jpeg({ quality: 100 })
        .withMetadata({ orientation: 6 }),
    )
    const { pixels } = await dressed(BARE, turned)
    expect(pixels).toMatchObject({ width: 80, height: 40 })
    expect(at(pixels, 60, 10)[1]).toBeGreaterThan(240)
  })

  test.each([{}, { frame: 'iphone' }, { backgroundType: 'transparent', socialPreset: 'twitter' }])(
    'keeps 16 bit: %j',
    async (settings) => {
      const deep = await put(folder, 'deep.png', await png16(ramp16(400, 300, 3)))
      const { path } = await dressed({ padding: 10, ...settings }, deep)
      expect((await sharp(path).metadata()).depth).toBe('ushort')
      const samples = await read16(path)
      const row = Math.round(samples.height / 2) * samples.width
      const values = new Set(
        Array.from({ length: samples.width }, (_, x) => samples.data[(row + x) * samples.channels]),
      )
      // 8 bit would leave 256 at most.
      expect(values.size).toBeGreaterThan(300)
      if (samples.channels === 4) expect(samples.data[(row + Math.round(samples.width / 2)) * 4 + 3]).toBe(65535)
    },
  )

  test('grey, CMYK and transparent screenshots', async () => {
    const grey = await put(folder, 'grey.png', plain(100, 80, '#505050').toColourspace('b-w').png())
    expect(at((await dressed({}, grey)).pixels, 154, 140)).toEqual([0x50, 0x50, 0x50])
    const inks = await put(folder, 'inks.jpg', plain(100, 80, '#ffffff').toColourspace('cmyk').jpeg({ quality: 100 }))
    expect(Math.min(...at((await dressed({}, inks)).pixels, 154, 140))).toBeGreaterThan(245)
    const half = await put(folder, 'half.png', plain(100, 80, '#0000ff80').png())
    const { pixels } = await dressed({ ...BARE, backgroundType: 'solid', backgroundColor: '#ff0000' }, half)
    near(at(pixels, 50, 40), [127, 0, 128], 2)
  })

  test('keeps a profile, and draws correct colours in it', async () => {
    const profile = swappedProfile()
    const own = await put(folder, 'own.png', pngWithProfile(await plain(300, 200, '#204060').png().toBuffer(), profile))
    const { path } = await dressed(
      { ...BARE, padding: 20, frame: 'macos-light', backgroundType: 'solid', backgroundColor: '#c06020' },
      own,
    )
    expect((await sharp(path).metadata()).icc?.equals(profile)).toBe(true)
    expect(at(await readPixels(path), 150, 150)).toEqual([0x20, 0x40, 0x60])
    const seen = await readRgba(await sharp(path).toColourspace('srgb').png().toBuffer())
    near(at(seen, 5, 5), [0xc0, 0x60, 0x20], 8)
    near(at(seen, 40, 38), rgb('#ff5f57'), 12)
    near(at(seen, 200, 30), rgb('#e8e8e8'), 8)
  })
})

test.each([
  { padding: 257 },
  { borderRadius: 65 },
  { gradientStops: [{ color: '#ff0000', position: 0 }] },
  { gradientStops: [{ color: '#ff0000' }, { color: '#ff0000', position: 1 }] },
  { gradientAngle: -1 },
  { shadowBlur: 101 },
  { shadowOffsetX: -51 },
  { frame: 'android' },
  { socialPreset: 'myspace' },
  { watermarkOpacity: 101 },
  { outputFormat: 'avif' },
])('refused: %j', async (settings) => {
  await expect(dressed(settings)).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
})
