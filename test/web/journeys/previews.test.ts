/** Journeys with previews and results: a live preview, the pixels of a result, and pictures of reports. */
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Console, chromiumPath, openConsole, signInOn, violationsOn } from '../../helpers/console-page.ts'
import { call, makeUser, signIn } from '../../helpers/server.ts'

describe.skipIf(!chromiumPath)('the console shows', () => {
  let here: Console
  let token: string

  beforeAll(async () => {
    here = await openConsole()
    token = await makeUser(here.server, await signIn(here.server), 'pia')
  })

  async function open(path: string): Promise<{ page: Page; errors: string[] }> {
    const visited = await here.visit(path)
    await signInOn(visited.page, 'pia')
    await visited.page.waitForURL((url) => url.pathname === `/${path}`)
    visited.errors.length = 0
    return visited
  }
  const picture = async (width: number, height: number, background = '#4060c0') => ({
    name: 'sky.png',
    mimeType: 'image/png',
    buffer: await sharp({ create: { width, height, channels: 3, background } })
      .png()
      .toBuffer(),
  })
  /** Size and first pixel of a picture on the page. */
  const shown = (page: Page, selector: string): Promise<number[]> =>
    page.$eval(selector, async (image) => {
      const { naturalWidth: width, naturalHeight: height } = image as HTMLImageElement
      const canvas = new OffscreenCanvas(width, height)
      const context = canvas.getContext('2d')
      context?.drawImage(image as HTMLImageElement, 0, 0)
      return [width, height, ...(context?.getImageData(0, 0, 1, 1).data.slice(0, 3) ?? [])]
    })
  const jobs = async () =>
    ((await call(here.server, 'GET', '/api/v1/jobs', { token })).json as { jobs: { status: string }[] }).jobs

  test('a preview on a page of plain HTTP, which has no crypto.randomUUID; the server keeps no answer of it', async () => {
    const { page, errors } = await open('tools/image/resize')
    await page.addInitScript(() => Object.defineProperty(crypto, 'randomUUID', { value: undefined }))
    await page.reload()
    const keys: (string | undefined)[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/tools/image/resize'))
        keys.push(request.headers()['idempotency-key'])
    })
    await page.setInputFiles('#files', await picture(200, 100))
    await page.fill('#setting-width', '80')
    await page.waitForSelector('.live .compare img:nth-child(2)')
    expect([...new Set(keys)]).toEqual([undefined])
    await expect.poll(jobs).toEqual([])
    expect(errors).toEqual([])
    await page.context().close()
  })

  test('a resize before it runs, on a small copy that no job remains of', async () => {
    const { page, errors } = await open('tools/image/resize')
    await page.setInputFiles('#files', await picture(2000, 1000))
    await page.waitForSelector('.live')
    // The tool needs a size first.
    await page.waitForSelector('.live >> text=Change a setting')
    await page.fill('#setting-width', '800')
    await page.waitForSelector('.live .compare img:nth-child(2)')
    // Half of everything: the copy is half as large as the picture.
    await page.waitForFunction(
      () => document.querySelector<HTMLImageElement>('.live .compare img:nth-child(2)')?.naturalWidth === 400,
    )
    expect(await shown(page, '.live .compare img:nth-child(2)')).toEqual([400, 200, 64, 96, 192])
    expect(await page.textContent('.live')).toContain('Preview on a small copy')
    expect(await violationsOn(page)).toEqual([])
    // A size of a social network is not the same on a copy.
    await page.selectOption('#setting-preset', 'instagram-post-square')
    await page.waitForFunction(() => !document.querySelector('.live .compare'))
    await page.selectOption('#setting-preset', '')
    await page.waitForSelector('.live .compare')
    await page.click('.live .switch')
    await page.waitForFunction(() => !document.querySelector('.live .compare'))
    await expect.poll(jobs).toEqual([])
    await page.click('button.run')
    await page.waitForSelector('.run-card[data-state=done] .compare')
    expect(await shown(page, '.run-card .compare img:nth-child(2)')).toEqual([800, 400, 64, 96, 192])
    expect((await jobs()).length).toBe(1)
    expect(errors).toEqual([])
    await page.context().close()
  })

  test('a colour while a slider moves: the last of many values, and few requests', async () => {
    const { page } = await open('tools/image/adjust-colors')
    await page.setInputFiles('#files', await picture(300, 200, '#808080'))
    await page.waitForSelector('.live >> text=Change a setting')
    const sent: string[] = []
    page.on(
      'request',
      (request) => request.method() === 'POST' && request.url().endsWith('/adjust-colors') && sent.push(''),
    )
    await page.$eval('#setting-brightness', (one) => {
      const slider = one as HTMLInputElement
      for (let value = 1; value <= 30; value += 1) {
        slider.value = String(value)
        slider.dispatchEvent(new Event('input', { bubbles: true }))
      }
    })
    const before = 128
    await page.waitForSelector('.live .compare img:nth-child(2)')
    await expect
      .poll(async () => (await shown(page, '.live .compare img:nth-child(2)'))[2] ?? 0, { timeout: 10_000 })
      .toBeGreaterThan(before + 10)
    expect(sent.length).toBe(1)
    const [, , preview = 0] = await shown(page, '.live .compare img:nth-child(2)')
    await page.click('button.run')
    await page.waitForSelector('.run-card .compare img:nth-child(2)')
    // The preview is what the run makes.
    expect((await shown(page, '.run-card .compare img:nth-child(2)'))[2]).toBe(preview)
    await expect.poll(async () => (await jobs()).length).toBe(2)
    await page.context().close()
  })

  test('the pixels of a result by keyboard, wheel and buttons', async () => {
    const { page, errors } = await open('tools/image/duotone')
    await page.setInputFiles('#files', await picture(1600, 1200))
    await page.click('button.run')
    await page.waitForSelector('.run-card .compare img:nth-child(2)')
    const width = () => page.$eval('.run-card .compare', (one) => one.getBoundingClientRect().width)
    const zoom = () => page.textContent('.run-card .zoom-bar')
    expect(await width()).toBeLessThan(900)
    await page.click('.run-card >> text=1:1')
    expect(await width()).toBe(1600)
    await page.focus('.run-card .zoom-view')
    await page.keyboard.press('+')
    await page.keyboard.press('+')
    expect([await width(), await zoom()]).toEqual([3200, expect.stringContaining('200 %')])
    expect(
      await page.$eval(
        '.run-card .zoom-view',
        (one) => getComputedStyle(one.querySelector('img') as Element).imageRendering,
      ),
    ).toBe('pixelated')
    await page.keyboard.press('ArrowRight')
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    await page.hover('.run-card .zoom-view')
    await page.keyboard.down('Control')
    await page.mouse.wheel(0, -100)
    await page.keyboard.up('Control')
    await expect.poll(width).toBe(4800)
    expect(await violationsOn(page)).toEqual([])
    await page.keyboard.press('0')
    expect(await width()).toBeLessThan(900)
    expect(errors).toEqual([])
    await page.context().close()
  })

  test('positions of barcodes on the picture, and a histogram as a chart', async () => {
    const { page } = await open('tools/image/qr-generate')
    await page.fill('#setting-data', 'https://example.org')
    await page.click('button.run')
    await page.waitForSelector('.run-card img')
    await page.click('text=Use in another tool')
    await page.click('.tool-card[href="tools/image/barcode-read"]')
    await page.click('button.run')
    await page.waitForSelector('.report')
    await page.click('.report summary')
    await page.waitForSelector('.positions polygon')
    const points = await page.getAttribute('.positions polygon', 'points')
    const numbers = (points ?? '').split(/[ ,]/).map(Number)
    // A code of 400 px with its quiet zone, as the picture has it.
    expect(numbers.length).toBe(8)
    for (const number of numbers) expect(number > 10 && number < 390).toBe(true)
    expect(await violationsOn(page)).toEqual([])
    await page.goto(new URL('tools/image/histogram', `${here.server.base}/`).href)
    await page.setInputFiles('#files', await picture(64, 64, '#ff0000'))
    await page.click('button.run')
    await page.waitForSelector('.report')
    await page.click('.report summary')
    const red = await page.getAttribute('.histogram [data-channel=r]', 'points')
    // All pixels have the highest value.
    expect(red).toContain(' 254,100 255,0 ')
    expect(await violationsOn(page)).toEqual([])
    await page.context().close()
  })
})
