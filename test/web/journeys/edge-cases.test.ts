/** The console when something is unusual: blocked storage, slow and failing requests, files that were put away. */
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Console, chromiumPath, openConsole, signInOn } from '../../helpers/console-page.ts'
import { makeUser, signIn } from '../../helpers/server.ts'

describe.skipIf(!chromiumPath)('the console', () => {
  let here: Console

  beforeAll(async () => {
    here = await openConsole()
    await makeUser(here.server, await signIn(here.server), 'edda')
  })

  async function open(path: string) {
    const visited = await here.visit(path || 'login')
    await signInOn(visited.page, 'edda')
    await visited.page.waitForURL((url) => url.pathname === `/${path}`)
    await visited.page.waitForSelector('h1')
    visited.errors.length = 0
    return visited
  }
  const go = (page: Page, path: string) =>
    page.evaluate((to) => {
      history.pushState(null, '', new URL(to, document.baseURI))
      dispatchEvent(new PopStateEvent('popstate'))
    }, path)
  const picture = async (name: string, width = 64) => ({
    name,
    mimeType: 'image/png',
    buffer: await sharp({ create: { width, height: 40, channels: 3, background: '#4060c0' } })
      .png()
      .toBuffer(),
  })
  const filesIn = (page: Page, selector: string) =>
    page.$eval(selector, (field) => [...((field as HTMLInputElement).files ?? [])].map(({ name }) => name))

  test('a reset empties the other files: none is shown that is not sent, none is sent that is not shown', async () => {
    const { page } = await open('tools/image/watermark-image')
    await page.setInputFiles('#files', await picture('photo.png'))
    await page.setInputFiles('#file-watermark', await picture('logo.png'))
    expect(await filesIn(page, '#file-watermark')).toEqual(['logo.png'])
    await page.click('text=Reset')
    await expect.poll(() => filesIn(page, '#file-watermark')).toEqual([])
    await page.click('button.run')
    expect(await page.textContent('.tool-files [role=alert]')).toBe('Choose a file for “Watermark” first.')

    await go(page, 'tools/pdf/sign-pdf')
    await page.setInputFiles('#file-sig0', await picture('first.png'))
    await page.setInputFiles('#file-sig1', await picture('second.png'))
    expect(await page.textContent('#line')).toMatch(/--sig0=first.png --sig1=second.png/)
    await page.click('[aria-label="Remove first.png"]')
    expect([await page.$('#file-sig1'), await page.textContent('#line')]).toEqual([
      null,
      expect.not.stringContaining('sig1'),
    ])
    await page.context().close()
  })

  test('text that is no number is a fault, not the default', async () => {
    const { page } = await open('tools/image/resize')
    await page.setInputFiles('#files', await picture('sky.png'))
    await page.fill('#setting-height', '20')
    await page.type('#setting-width', '1e')
    await page.click('button.run')
    expect(await page.textContent('#setting-width-field')).toContain('Enter a number.')
    expect(await page.$('.run-card')).toBeNull()
    await page.fill('#setting-width', '10')
    expect(await page.textContent('#setting-width-field')).not.toContain('Enter a number.')
    await page.click('text=Reset')
    expect(await page.inputValue('#setting-width')).toBe('')
    await page.context().close()
  })

  test('blocked storage: the page opens, the theme changes and a run works', async () => {
    const { page } = await here.visit('login')
    await page.addInitScript(() => {
      for (const name of ['localStorage', 'sessionStorage'])
        Object.defineProperty(window, name, {
          get() {
            throw new DOMException('Access is denied', 'SecurityError')
          },
        })
    })
    await page.goto(new URL('tools/image/rotate', `${here.server.base}/`).href)
    await signInOn(page, 'edda')
    await page.waitForSelector('.tool-card')
    await page.click('[aria-label="Theme: as the system"]')
    expect(await page.getAttribute('html', 'data-theme')).toBe('light')
    await go(page, 'tools/image/rotate')
    await page.setInputFiles('#files', await picture('sky.png'))
    await page.click('button.run')
    await page.waitForSelector('.run-card[data-state=done]')
    await page.context().close()
  })

  test('settings are kept for the user who chose them', async () => {
    await makeUser(here.server, await signIn(here.server), 'otto')
    const { page } = await open('tools/image/rotate')
    await page.setInputFiles('#files', await picture('sky.png'))
    await page.fill('#setting-angle-number, #setting-angle', '45')
    await page.click('button.run')
    await page.waitForSelector('.run-card[data-state=done]')
    const shown = () => page.inputValue('#setting-angle-number, #setting-angle')
    await page.reload()
    await page.waitForSelector('.tool-panel')
    expect(await shown()).toBe('45')
    await page.context().clearCookies()
    await page.reload()
    await signInOn(page, 'otto')
    await page.waitForSelector('.tool-panel')
    expect(await shown()).not.toBe('45')
    await page.context().close()
  })

  test('the list of jobs is that of the last question, also when an earlier answer is late', async () => {
    const { page } = await open('')
    let release = (): void => undefined
    const held = new Promise<void>((done) => {
      release = done
    })
    await page.route('**/api/v1/jobs?*', async (route) => {
      const offset = Number(new URL(route.request().url()).searchParams.get('offset'))
      if (offset === 20) await held
      const job = {
        ...{ jobId: `j${offset}`, artifactJobId: `j${offset}`, toolId: `at-${offset}`, type: 'single' },
        ...{ status: 'completed', createdAt: new Date().toISOString(), progress: { percent: 100 } },
        ...{ error: null, result: null, expiresAt: null },
      }
      await route.fulfill({ json: { jobs: [job], total: 60, limit: 20, offset } }).catch(() => undefined)
    })
    await page.click('a[href=jobs]')
    await page.waitForSelector('.job >> text=at-0')
    await page.click('text=Next')
    await page.click('text=Next')
    await page.waitForSelector('.job >> text=at-40')
    release()
    await page.waitForTimeout(300)
    expect([await page.textContent('.job strong'), await page.textContent('nav .faint')]).toEqual([
      'at-40',
      '41–60 of 60',
    ])
    await page.context().close()
  })

  test('Enter in the palette opens a tool of the words that are there, not of former ones', async () => {
    const { page } = await open('')
    await page.waitForSelector('.tool-card')
    await page.keyboard.press('Control+k')
    await page.waitForSelector('.palette input:focus')
    await page.keyboard.type('rotate')
    await page.waitForFunction(() => document.querySelector('[role=option]')?.textContent?.startsWith('Rotate'))
    await page.fill('.palette input', 'merge pdf')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/tools/pdf/merge-pdf')
    await page.context().close()
  })

  test('a failed search says so; no tool is a statement about the search that was made', async () => {
    const { page } = await open('')
    await page.waitForSelector('.tool-card')
    await page.fill('input[type=search]', 'merge pdf')
    await page.waitForSelector('text=for “merge pdf”')
    await page.route('**/api/v1/tools?search=*', (route) => route.abort())
    await page.fill('input[type=search]', 'rotate')
    expect(await page.$('text=for “rotate”')).toBeNull()
    await page.waitForSelector('[role=alert] >> text=The search failed')
    expect(await page.$('text=No tool matches')).toBeNull()
    await page.context().close()
  })

  test('a page that cannot be loaded does not stay for others, and is loaded by trying again', async () => {
    const { page } = await open('')
    await page.waitForSelector('.tool-card')
    await page.route('**/assets/jobs-page*.js', (route) => route.abort())
    await page.click('a[href=jobs]')
    await page.waitForSelector('text=The page could not be shown.')
    await page.click('.brand')
    await page.waitForSelector('.tool-card')
    await page.click('a[href=jobs]')
    await page.waitForSelector('text=The page could not be shown.')
    await page.unroute('**/assets/jobs-page*.js')
    await page.click('text=Try again')
    await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'Jobs')
    await page.context().close()
  })

  test('links to parts of the page stay on it and move the focus', async () => {
    const { page } = await open('tools/image/rotate')
    await page.waitForSelector('.tool-panel')
    await page.$eval('.skip', (link) => (link as HTMLElement).focus())
    await page.keyboard.press('Enter')
    expect([new URL(page.url()).pathname, await page.evaluate(() => document.activeElement?.id)]).toEqual([
      '/tools/image/rotate',
      'content',
    ])
    await page.goto(new URL('?from=bookmark', `${here.server.base}/`).href)
    await page.click('.chip[href="#section-pdf"]')
    expect([new URL(page.url()).search, await page.evaluate(() => document.activeElement?.id)]).toEqual([
      '?from=bookmark',
      'section-pdf',
    ])
    await page.context().close()
  })

  test('the picture of a file is that of the version in use, and files move past those of other tools', async () => {
    const { page, errors } = await open('tools/image/resize')
    const width = (pixels: number) =>
      page.waitForFunction(
        (wanted) => document.querySelector<HTMLImageElement>('img.thumbnail')?.naturalWidth === wanted,
        pixels,
      )
    await page.setInputFiles('#files', await picture('sky.png', 64))
    await width(64)
    await page.fill('#setting-width', '32')
    await page.click('button.run')
    await page.click('text=Use in another tool')
    await page.click('.tool-card[href="tools/image/rotate"]')
    await width(32)
    await page.click('.history button >> text=Original')
    await width(64)
    await page.click('.history button >> text=Resize')
    await width(32)
    expect(errors).toEqual([])

    await go(page, '')
    await page.click('text=Put the files away')
    const text = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from('%PDF-1.4') })
    await page.setInputFiles('input[type=file]', [text('a.pdf'), text('b.csv'), text('c.pdf')])
    await go(page, 'tools/pdf/merge-pdf')
    await page.click('[aria-label="Move c.pdf up"]')
    expect(await page.$$eval('.file-title', (names) => names.map((one) => one.textContent))).toEqual(['c.pdf', 'a.pdf'])
    await page.click('[aria-label="Move c.pdf down"]')
    expect(await page.$$eval('.file-title', (names) => names.map((one) => one.textContent))).toEqual(['a.pdf', 'c.pdf'])
    await page.context().close()
  })
})
