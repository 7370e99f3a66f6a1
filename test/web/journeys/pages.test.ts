/** Journeys through the other pages: first start, sign-in, account, palette, rules of accessibility, and the budget. */
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { builtFile } from '../../../src/root.ts'
import { type Console, chromiumPath, openConsole, signInOn, violationsOn } from '../../helpers/console-page.ts'
import { FIRST_PASSWORD, makeUser, PASSWORD, signIn } from '../../helpers/server.ts'

const NARROW = { viewport: { width: 360, height: 740 } }

test('the first page has at most 150 kB, compressed', () => {
  const html = readFileSync(builtFile('web/index.html'), 'utf8')
  const parts = [...html.matchAll(/(?:href|src)="\.\/(assets\/[^"]+)"/g)].map(([, part]) => part!)
  expect(parts.some((part) => part.endsWith('.js'))).toBe(true)
  const bytes = parts.map((part) => gzipSync(readFileSync(builtFile(`web/${part}`))).length)
  expect(bytes.reduce((sum, one) => sum + one, gzipSync(html).length)).toBeLessThan(150_000)
})

describe.skipIf(!chromiumPath)('the console', () => {
  let here: Console

  beforeAll(async () => {
    here = await openConsole()
  })

  test('the first start: the password is changed before anything else, and the page asked for opens', async () => {
    const { page } = await here.visit('jobs')
    await page.waitForURL('**/login')
    await page.waitForSelector('#password')
    expect(await violationsOn(page)).toEqual([])
    await signInOn(page, 'admin', FIRST_PASSWORD)
    await page.waitForSelector('#change')
    expect(await violationsOn(page)).toEqual([])
    await page.fill('#change [name=newPassword]', PASSWORD)
    await page.click('#change button')
    await page.waitForURL('**/jobs')
    expect(await page.textContent('h1')).toBe('Jobs')
    await page.context().close()
  })

  describe('with a user', () => {
    beforeAll(async () => {
      await makeUser(here.server, await signIn(here.server), 'paula')
    })

    test.each([
      ['', '.tool-card'],
      ['pipelines', 'h1'],
      ['pipelines/new', '.add-step'],
      ['library', '.upload-bar button'],
      ['jobs', 'h1'],
      ['account', '#sign-out'],
      ['tools/image/adjust-colors', '.settings'],
      ['tools/video/convert-video', '.settings'],
      ['nowhere', 'h1'],
    ])('the page /%s keeps the rules of accessibility, light, dark and narrow', async (path, selector) => {
      const { page } = await here.visit(path || 'login')
      if (path === 'nowhere') {
        expect(await page.textContent('body')).toContain('Not found')
        return page.context().close()
      }
      await signInOn(page, 'paula')
      await page.waitForURL((url) => url.pathname === `/${path}`)
      await page.waitForSelector(selector)
      const found: Record<string, string[]> = { light: await violationsOn(page) }
      await page.emulateMedia({ colorScheme: 'dark' })
      found.dark = await violationsOn(page)
      await page.setViewportSize({ width: 360, height: 740 })
      found.narrow = await violationsOn(page)
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect([found, overflow]).toEqual([{ light: [], dark: [], narrow: [] }, 0])
      await page.context().close()
    })

    test('the palette finds a tool by a synonym, by keyboard alone', async () => {
      const { page } = await here.visit('login')
      await signInOn(page, 'paula')
      await page.waitForSelector('.tool-card')
      await page.keyboard.press('Control+k')
      await page.waitForSelector('.palette input:focus')
      await page.keyboard.type('shrink video')
      await page.waitForSelector('.palette [role=option] >> text=Compress video')
      expect(await violationsOn(page)).toEqual([])
      await page.keyboard.press('Enter')
      await page.waitForURL('**/tools/video/compress-video')
      await page.waitForSelector('.tool-panel')
      expect(await page.textContent('h1')).toBe('Compress video')
      await page.context().close()
    })

    test('the search of the first page and a file lead to tools', async () => {
      const { page } = await here.visit('login', NARROW)
      await signInOn(page, 'paula')
      await page.waitForSelector('.tool-card')
      await page.fill('input[type=search]', 'combine pdf')
      await page.waitForSelector('.tool-card[href="tools/pdf/merge-pdf"]')
      await page.fill('input[type=search]', '')
      const file = { name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n1,2\n') }
      await page.setInputFiles('input[type=file]', file)
      await page.waitForSelector('text=Tools for a.csv')
      expect(await page.$('.tool-card[href="tools/image/resize"]')).toBeNull()
      await page.click('.tool-card[href="tools/files/csv-json"]')
      await page.waitForSelector('.file-title')
      await page.click('button.run')
      await page.waitForSelector('.text-view')
      expect(JSON.parse((await page.textContent('.text-view'))!)).toHaveLength(1)
      await page.context().close()
    })

    test('a session that has ended leads to the sign-in and back', async () => {
      const { page } = await here.visit('login')
      await signInOn(page, 'paula')
      await page.waitForSelector('.tool-card')
      await page.context().clearCookies()
      await page.click('a[href=jobs]')
      await page.waitForURL('**/login')
      await signInOn(page, 'paula')
      await page.waitForURL('**/jobs')
      await page.context().close()
    })
  })
})
