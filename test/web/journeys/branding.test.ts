/** The brand of the instance: set by an administrator, applied on every page, readable in both themes. */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { contrast, DARK, LIGHT } from '../../../web/src/app/contrast.ts'
import { type Console, chromiumPath, openConsole, signInOn, violationsOn } from '../../helpers/console-page.ts'
import { plain, readPixels } from '../../helpers/picture.ts'
import { call, PASSWORD, signIn } from '../../helpers/server.ts'

const YELLOW = '#ffcc00'

describe.skipIf(!chromiumPath)('the brand', () => {
  let here: Console

  beforeAll(async () => {
    here = await openConsole()
    await signIn(here.server)
  })

  /** The colour of buttons as #rrggbb. */
  const accentOf = (page: Page): Promise<string> =>
    page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--accent').trim())

  test('is set with a preview that says what is adapted, and is applied at once and on the sign-in page', async () => {
    const { page, errors } = await here.visit('admin/branding')
    await page.waitForSelector('#password')
    await signInOn(page, 'admin', PASSWORD)
    await page.waitForSelector('#branding')
    expect(errors.filter((error) => !error.includes('401'))).toEqual([])
    await page.fill('#branding [name=name]', 'Press desk')
    await page.fill('#primary-color', '#zzz')
    await page.click('#branding [type=submit]')
    await page.waitForSelector('#branding [role=status].alert:not(:empty)')
    await page.fill('#primary-color', YELLOW)
    await page.waitForSelector('.adapted:has-text("too little contrast on light pages")')
    expect(await page.$$eval('.adapted', (list) => list.length)).toBe(1)
    await page.fill('#accent-color', '#00aa88')
    expect(await violationsOn(page)).toEqual([])
    await page.click('#branding [type=submit]')
    await page.waitForSelector('#branding >> text=Saved.')
    const branding = await call(here.server, 'GET', '/api/v1/branding')
    expect(branding.json).toMatchObject({ name: 'Press desk', primaryColor: YELLOW, accentColor: '#00aa88' })
    expect(await page.textContent('.header .brand')).toBe('Press desk')
    expect(await page.title()).toBe('Branding – Press desk')

    await page.setInputFiles('.file-button input', {
      ...{ name: 'words.png', mimeType: 'image/png', buffer: Buffer.from('no picture') },
    })
    await page.waitForSelector('[role=alert]:has-text("not a picture")')
    const buffer = await plain(300, 150, '#0044cc').png().toBuffer()
    await page.setInputFiles('.file-button input', { name: 'logo.png', mimeType: 'image/png', buffer })
    await page.waitForSelector('#logo')
    const logo = await call(here.server, 'GET', '/api/v1/settings/logo')
    const { width, height } = await readPixels(logo.bytes)
    expect([width, height]).toEqual([128, 64])
    await page.waitForSelector('.header .brand-logo')
    await page.context().close()

    const { page: stranger } = await here.visit('login')
    await stranger.waitForSelector('#password')
    expect(await stranger.textContent('.sign-in .brand')).toBe('Press desk')
    await stranger.waitForFunction(() => document.querySelector<HTMLImageElement>('.brand-logo')?.naturalWidth === 128)
    expect(await stranger.title()).toBe('Sign in – Press desk')
    const light = await accentOf(stranger)
    expect(await violationsOn(stranger)).toEqual([])
    await stranger.emulateMedia({ colorScheme: 'dark' })
    const dark = await accentOf(stranger)
    expect(await violationsOn(stranger)).toEqual([])
    expect([light === YELLOW, dark]).toEqual([false, YELLOW])
    for (const ground of LIGHT.grounds) expect(contrast(light, ground)).toBeGreaterThanOrEqual(4.5)
    for (const ground of DARK.grounds) expect(contrast(dark, ground)).toBeGreaterThanOrEqual(4.5)
    const button = await stranger.$eval('#password button', (one) => getComputedStyle(one).backgroundColor)
    expect(button).toBe('rgb(255, 204, 0)')
    await stranger.context().close()
  })
})
