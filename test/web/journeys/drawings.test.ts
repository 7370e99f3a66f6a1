/** Journeys with controls that are drawn on the file: areas, pages, clips and masks. The results are measured. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { infoOf, makeAudio, makeVideo } from '../../helpers/av.ts'
import { type Console, chromiumPath, openConsole, signInOn, violationsOn } from '../../helpers/console-page.ts'
import { exifBlock, jpegWithExif } from '../../helpers/exif.ts'
import { makePdf, pageTexts } from '../../helpers/pdf.ts'
import { makeUser, signIn } from '../../helpers/server.ts'
import { temporaryFolder } from '../../helpers/tool.ts'

const NARROW = { viewport: { width: 360, height: 740 }, hasTouch: true }

/** A picture in which every pixel differs from its neighbours. */
function coordinates(width: number, height: number): Promise<Buffer> {
  const data = Buffer.alloc(width * height * 3)
  for (let at = 0; at < width * height; at += 1) {
    const [x, y] = [at % width, Math.floor(at / width)]
    data.set([x % 256, y % 256, (x >> 8) * 16 + (y >> 8)], at * 3)
  }
  return sharp(data, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer()
}

const pixels = (image: Buffer | string): Promise<Buffer> => sharp(image).removeAlpha().raw().toBuffer()

describe.skipIf(!chromiumPath)('a control that is drawn', () => {
  let here: Console

  beforeAll(async () => {
    here = await openConsole()
    await makeUser(here.server, await signIn(here.server), 'dora')
  })

  async function open(path: string, options = {}): Promise<{ page: Page; errors: string[] }> {
    const visited = await here.visit(path, options)
    await signInOn(visited.page, 'dora')
    await visited.page.waitForURL((url) => url.pathname === `/${path}`)
    visited.errors.length = 0
    return visited
  }
  async function result(page: Page): Promise<string> {
    await page.click('button.run')
    await page.waitForSelector('.run-card[data-state=done]', { timeout: 60_000 })
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('text=Download')])
    return download.path()
  }
  const numbers = (page: Page, ...names: string[]): Promise<number[]> =>
    Promise.all(names.map(async (name) => Number(await page.inputValue(`#setting-${name}`))))
  /** Presses the pointer at one place of an element and releases it at another, both as shares of it. */
  async function drag(page: Page, selector: string, from: [number, number], to: [number, number]): Promise<void> {
    await page.locator(selector).scrollIntoViewIfNeeded()
    const box = await page.locator(selector).boundingBox()
    if (!box) throw new Error(`${selector} is not shown`)
    await page.mouse.move(box.x + from[0] * box.width, box.y + from[1] * box.height)
    await page.mouse.down()
    await page.mouse.move(box.x + to[0] * box.width, box.y + to[1] * box.height, { steps: 6 })
    await page.mouse.up()
  }

  test('a crop by mouse has the pixels of the drawn rectangle, and numbers move it', async () => {
    const { page, errors } = await open('tools/image/crop')
    const buffer = await coordinates(600, 400)
    await page.setInputFiles('#files', { name: 'plan.png', mimeType: 'image/png', buffer })
    await page.waitForSelector('.box')
    expect(await numbers(page, 'left', 'top', 'width', 'height')).toEqual([60, 40, 480, 320])
    expect(await violationsOn(page)).toEqual([])
    // From outside of the rectangle, a new one is drawn.
    await drag(page, '.stage', [0.05, 0.05], [0.5, 0.6])
    const [left = 0, top = 0, width = 0, height = 0] = await numbers(page, 'left', 'top', 'width', 'height')
    for (const [value, wanted] of [
      [left, 30],
      [top, 20],
      [width, 270],
      [height, 220],
    ] as const)
      expect(Math.abs(value - wanted)).toBeLessThanOrEqual(2)
    // Its lower right handle, by 10 % of the picture.
    await drag(page, '.handle[data-x="1"][data-y="1"]', [0.5, 0.5], [3, 3])
    const [, , wider = 0, higher = 0] = await numbers(page, 'left', 'top', 'width', 'height')
    expect(wider).toBeGreaterThan(width)
    expect(higher).toBeGreaterThan(height)
    await page.fill('#setting-left', '100')
    expect(await page.getAttribute('.box', 'aria-label')).toContain(`left 100, top ${top}, ${wider} × ${higher}`)
    const made = await result(page)
    const expected = await sharp(buffer).extract({ left: 100, top, width: wider, height: higher }).png().toBuffer()
    expect(await pixels(made)).toEqual(await pixels(expected))
    expect(errors).toEqual([])
    await page.context().close()
  })

  test('a crop by keyboard on a turned photo counts upright pixels, also in percent', async () => {
    const { page } = await open('tools/image/crop')
    const upright = await coordinates(300, 200)
    // Orientation 6: stored turned to the left.
    const stored = await sharp(upright).rotate(-90).jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer()
    const buffer = jpegWithExif(stored, exifBlock(6))
    await page.setInputFiles('#files', { name: 'photo.jpg', mimeType: 'image/jpeg', buffer })
    await page.waitForSelector('.box')
    await page.click('text=Whole picture')
    expect(await numbers(page, 'left', 'top', 'width', 'height')).toEqual([0, 0, 300, 200])
    await page.focus('.box')
    for (const keys of ['Control+Shift+ArrowLeft', 'Control+Shift+ArrowUp', 'Shift+ArrowUp', 'Control+ArrowRight'])
      await page.keyboard.press(keys)
    await page.keyboard.press('ArrowDown')
    expect(await numbers(page, 'left', 'top', 'width', 'height')).toEqual([10, 1, 290, 189])
    expect(await page.textContent('[aria-live=polite]')).toContain('left 10, top 1, 290 × 189')
    await page.click('.segment:has-text("percent")')
    await expect.poll(() => numbers(page, 'left', 'top', 'width', 'height')).toEqual([3.33, 0.5, 96.67, 94.5])
    await page.click('.segment:has-text("px")')
    await expect.poll(() => numbers(page, 'left', 'top', 'width', 'height')).toEqual([10, 1, 290, 189])
    const { width, height } = await sharp(await result(page))
      .autoOrient()
      .toBuffer({ resolveWithObject: true })
      .then(({ info }) => info)
    expect([width, height]).toEqual([290, 189])
    await page.context().close()
  })

  test('a crop by touch has the pixels of the drawn rectangle, and the page does not scroll', async () => {
    const { page, errors } = await open('tools/image/crop', NARROW)
    const buffer = await coordinates(600, 400)
    await page.setInputFiles('#files', { name: 'plan.png', mimeType: 'image/png', buffer })
    await page.waitForSelector('.box', { timeout: 30_000 })
    await page.locator('.stage').scrollIntoViewIfNeeded()
    const scrolled = await page.evaluate(() => scrollY)
    const stage = (await page.locator('.stage').boundingBox())!
    const finger = await page.context().newCDPSession(page)
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...at: [number, number][]) =>
      finger.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: at.map(([x, y]) => ({ x: stage.x + x * stage.width, y: stage.y + y * stage.height })),
      })
    // Its upper left handle is at 10 % of both sides.
    await touch('touchStart', [0.1, 0.1])
    for (let step = 1; step <= 5; step += 1) await touch('touchMove', [0.1 + step * 0.04, 0.1 + step * 0.05])
    await touch('touchEnd')
    const [left = 0, top = 0, width = 0, height = 0] = await numbers(page, 'left', 'top', 'width', 'height')
    for (const [value, wanted] of [
      [left, 180],
      [top, 140],
      [width, 360],
      [height, 220],
    ] as const)
      expect(Math.abs(value - wanted)).toBeLessThanOrEqual(6)
    expect(await page.evaluate(() => scrollY)).toBe(scrolled)
    const expected = await sharp(buffer).extract({ left, top, width, height }).png().toBuffer()
    expect(await pixels(await result(page))).toEqual(await pixels(expected))
    expect(errors).toEqual([])
    await page.context().close()
  })

  test('an area on page 2 of a PDF is removed there, and nowhere else', async () => {
    const { page, errors } = await open('tools/pdf/redact-pdf', NARROW)
    const buffer = Buffer.from(await makePdf({ texts: ['secret one', 'secret two', 'secret three'] }))
    await page.setInputFiles('#files', { name: 'letter.pdf', mimeType: 'application/pdf', buffer })
    await page.waitForSelector('.stage')
    await page.click('[aria-label="Next page"]')
    await page.waitForFunction(() =>
      document.querySelector<HTMLImageElement>('.stage img')?.src.startsWith('data:image/jpeg'),
    )
    await drag(page, '.stage', [0.05, 0.05], [0.95, 0.25])
    expect(await page.inputValue('#setting-areas-0')).toMatch(/^2 \d/)
    expect(await violationsOn(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    const made = await readFile(await result(page))
    expect((await pageTexts(made)).map((text) => text.trim())).toEqual(['secret one', '', 'secret three'])
    expect(errors).toEqual([])
    await page.context().close()
  })

  test('pages are selected by thumbnails, keys and text, which are in step', async () => {
    const { page } = await open('tools/pdf/extract-pages')
    const texts = Array.from({ length: 30 }, (_, index) => `leaf ${index + 1}`)
    const buffer = Buffer.from(await makePdf({ texts }))
    await page.setInputFiles('#files', { name: 'book.pdf', mimeType: 'application/pdf', buffer })
    await page.waitForSelector('[data-page="3"] img')
    await page.click('[data-page="3"]')
    await page.click('[data-page="6"]', { modifiers: ['Shift'] })
    expect(await page.inputValue('#setting-range')).toBe('3-6')
    await page.keyboard.press('End')
    await page.keyboard.press('Space')
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Shift+ArrowLeft')
    expect(await page.inputValue('#setting-range')).toBe('1-6,30')
    expect(await violationsOn(page)).toEqual([])
    // The thumbnails of the last pages are loaded when they are in view.
    await page.waitForSelector('[data-page="30"] img')
    await page.fill('#setting-range', 'z,2-3')
    const selected = await page.$$eval('[aria-selected=true]', (list) =>
      list.map((one) => one.getAttribute('data-page')),
    )
    expect(selected).toEqual(['2', '3', '30'])
    await page.click('[data-page="2"]')
    expect(await page.inputValue('#setting-range')).toBe('30,3')
    const made = await readFile(await result(page))
    expect((await pageTexts(made)).map((text) => text.trim())).toEqual(['leaf 30', 'leaf 3'])
    await page.context().close()
  })

  test('audio is trimmed on its waveform', async () => {
    const { page, errors } = await open('tools/audio/trim-audio')
    await page.setInputFiles('#files', await makeAudio({ seconds: 8, extension: 'wav' }))
    await page.waitForSelector('.time-handle')
    expect(await numbers(page, 'startS', 'endS')).toEqual([0, 8])
    await page.waitForFunction(() => {
      const canvas = document.querySelector<HTMLCanvasElement>('.track canvas')
      const data = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data
      return data?.some((value) => value > 0)
    })
    expect(await violationsOn(page)).toEqual([])
    // A quarter of the track.
    const track = (await page.locator('.track').boundingBox())!
    const handle = (await page.locator('.time-handle[data-side=end]').boundingBox())!
    await page.mouse.move(track.x + track.width, handle.y + 20)
    await page.mouse.down()
    await page.mouse.move(track.x + track.width * 0.75, handle.y + 20, { steps: 5 })
    await page.mouse.up()
    expect((await numbers(page, 'endS'))[0]).toBeCloseTo(6, 1)
    await page.focus('.time-handle[data-side=start]')
    for (let count = 0; count < 5; count += 1) await page.keyboard.press('Shift+ArrowRight')
    const [start = 0, end = 0] = await numbers(page, 'startS', 'endS')
    expect(start).toBeCloseTo(1, 3)
    const info = await infoOf(await named(await result(page), 'part.wav'))
    expect(info.durationS).toBeCloseTo(end - start, 2)
    expect(errors).toEqual([])
    await page.context().close()
  })

  test('a video that the browser cannot play is cut by its film strip, in the times of the whole file', async () => {
    const { page, errors } = await open('tools/video/trim-video')
    await page.setInputFiles('#files', await makeVideo({ seconds: 34, width: 64, height: 48, extension: 'avi' }))
    await page.waitForSelector('.time-handle', { timeout: 60_000 })
    expect(await numbers(page, 'startS', 'endS')).toEqual([0, 34])
    expect(await page.textContent('.drawing')).toContain('only the first 30 s are shown')
    await page.focus('.time-handle[data-side=start]')
    await page.keyboard.press('End')
    for (let count = 0; count < 2; count += 1) await page.keyboard.press('PageDown')
    const [start = 0, end = 0] = await numbers(page, 'startS', 'endS')
    expect([start < 33.5, end]).toEqual([true, 34])
    await page.click('label:has-text("Precise") + input, #setting-precise')
    const info = await infoOf(await named(await result(page), 'part.avi'))
    expect(Math.abs((info.durationS ?? 0) - (end - start))).toBeLessThan(0.1)
    expect(errors).toEqual([])
    await page.context().close()
  })

  test('a mask is painted, and undone, and sent as a picture of the same size', async () => {
    const { page } = await open('tools/image/erase-object')
    // The models are not needed to see what is sent.
    await page.route('**/api/v1/tools/image/erase-object', async (route) => {
      if (route.request().method() !== 'GET') return route.abort()
      const response = await route.fetch()
      return route.fulfill({ response, json: { ...(await response.json()), available: true } })
    })
    await page.reload()
    await page.waitForSelector('.tool-panel')
    const buffer = await coordinates(500, 300)
    await page.setInputFiles('#files', { name: 'plan.png', mimeType: 'image/png', buffer })
    await page.waitForSelector('.mask')
    await drag(page, '.stage', [0.2, 0.5], [0.4, 0.5])
    await drag(page, '.stage', [0.8, 0.2], [0.8, 0.8])
    await page.click('text=Undo')
    await page.click('.segment:has-text("Eraser")')
    await drag(page, '.stage', [0.4, 0.3], [0.4, 0.7])
    expect(await violationsOn(page)).toEqual([])
    await page.waitForFunction(
      () => document.querySelector<HTMLInputElement>('#file-mask')?.files?.[0]?.name === 'mask.png',
    )
    await page.evaluate(() => {
      XMLHttpRequest.prototype.send = (body) => Object.assign(globalThis, { sent: body })
    })
    await page.click('button.run')
    const sent = await page.evaluate(async () => {
      const mask = (globalThis as unknown as { sent: FormData }).sent.get('mask') as File
      return [...new Uint8Array(await mask.arrayBuffer())]
    })
    const { data, info } = await sharp(Buffer.from(sent)).greyscale().raw().toBuffer({ resolveWithObject: true })
    expect([info.width, info.height]).toEqual([500, 300])
    const at = (x: number, y: number): number | undefined => data[y * 500 + x]
    // Painted, erased at its end, undone, and outside.
    expect([at(120, 150), at(200, 150), at(400, 150), at(120, 60)]).toEqual([255, 0, 0, 0])
    await page.context().close()
  })

  /** A copy of a download under a name with its extension. */
  async function named(path: string, name: string): Promise<string> {
    const copy = join(temporaryFolder(), name)
    await writeFile(copy, await readFile(path))
    return copy
  }
})
