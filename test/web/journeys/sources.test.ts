/** What the console sends only once: documents with thumbnails, results that are kept, large files of the library. */
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Console, chromiumPath, openConsole, signInOn, withoutPreviews } from '../../helpers/console-page.ts'
import { makePdf } from '../../helpers/pdf.ts'
import { openProxy, type TestProxy } from '../../helpers/proxy.ts'
import { call, makeUser, signIn } from '../../helpers/server.ts'
import { temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const WITHIN = { timeout: 30_000 }

/** Pixels that do not compress. */
const noisy = (width: number, height: number): Promise<Buffer> =>
  sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer()

describe.skipIf(!chromiumPath)('the console sends only once', () => {
  let here: Console
  let proxy: TestProxy
  let token: string
  let user: string
  let count = 0
  /** Bytes of bodies that have passed, by method. */
  let passed: Record<string, number>

  beforeAll(async () => {
    here = await openConsole()
    proxy = await openProxy(here.server.base)
  })

  beforeEach(async () => {
    passed = {}
    proxy.seen = []
    proxy.instead = () => false
    proxy.onAnswer = () => false
    proxy.onBytes = ({ method = '' }, bytes) => {
      passed[method] = (passed[method] ?? 0) + bytes
      return false
    }
    count += 1
    user = `sami${count}`
    token = await makeUser(here.server, await signIn(here.server), user)
  })

  async function open(path: string): Promise<Page> {
    // A live preview sends a copy of its own, whenever the settings rest.
    const { page } = await here.visit(new URL(path, `${proxy.base}/`).href, withoutPreviews(proxy.base))
    page.setDefaultTimeout(WITHIN.timeout)
    await signInOn(page, user)
    await page.waitForURL((url) => url.pathname === `/${path}`)
    return page
  }
  const listed = async (path: string) => (await call(here.server, 'GET', path, { token })).json
  const kept = async () => (await listed('/api/v1/files')).files as { originalName: string; size: number }[]

  test('a PDF, however many thumbnails and runs it has, also after its upload has expired', async () => {
    const page = await open('tools/pdf/extract-pages')
    const texts = Array.from({ length: 30 }, (_, index) => `leaf ${index + 1} ${'word '.repeat(20)}`)
    const small = await makePdf({ texts })
    // Bytes after the end, which readers ignore, make it large enough to be uploaded on its own.
    const buffer = Buffer.concat([small, Buffer.from(`\n%${'x'.repeat(150_000)}\n%%EOF\n`)])
    const sent = (): number => (passed.PATCH ?? 0) + (passed.POST ?? 0)
    await page.setInputFiles('#files', { name: 'book.pdf', mimeType: 'application/pdf', buffer })
    await page.waitForSelector('[data-page="1"] img')
    await page.click('[data-page="3"]')
    await page.keyboard.press('End')
    await page.waitForSelector('[data-page="30"] img')
    await page.click('button.run')
    await page.waitForSelector('.run-card[data-state=done]')
    expect(sent()).toBeGreaterThan(buffer.length)
    expect(sent()).toBeLessThan(buffer.length * 1.5)
    const { uploads } = await listed('/api/v1/uploads')
    expect(uploads.length).toBe(1)
    const path = `/api/v1/uploads/${uploads[0].uploadId}`
    await call(here.server, 'DELETE', path, { token, headers: { 'tus-resumable': '1.0.0' } })
    await page.click('button.run')
    await page.waitForFunction(() => document.querySelector('.run-card[data-state=done]') !== null)
    await expect.poll(async () => (await listed('/api/v1/jobs')).total, WITHIN).toBe(2)
    await page.context().close()
  })

  test('a result that is kept in the library, and used from there', async () => {
    const page = await open('tools/image/rotate')
    const buffer = await noisy(600, 400)
    await page.setInputFiles('#files', { name: 'field.png', mimeType: 'image/png', buffer })
    await page.fill('#setting-angle', '90')
    await page.click('button.run')
    await page.waitForSelector('.run-card[data-state=done]')
    passed = {}
    await page.click('text=Save to the library')
    await page.click('text=Saved in the library as')
    await page.check('[aria-label^="Choose field"]')
    await page.click('.chosen-bar >> text=Use in a tool')
    await page.click('.tool-card[href="tools/image/strip-metadata"]')
    await page.click('[aria-label="Remove field.png"]')
    await page.click('button.run')
    await page.waitForSelector('.run-card[data-state=done]')
    await page.click('text=Save as new version')
    await page.waitForSelector('text=Saved as version 2')
    expect(passed.POST).toBeLessThan(10_000)
    expect((await kept())[0]?.size).toBeGreaterThan(100_000)
    await page.context().close()
  })

  test('the parts of a large file for the library that had arrived before the connection broke', async () => {
    const page = await open('library')
    // Two parts, of which the second breaks.
    const size = 36_000_000
    const path = join(folder, 'long.txt')
    writeFileSync(path, Buffer.alloc(size, 'a line of a long text\n'))
    let isCut = false
    proxy.onBytes = ({ method = '' }, bytes) => {
      passed[method] = (passed[method] ?? 0) + bytes
      if (isCut || method !== 'PATCH' || (passed.PATCH ?? 0) < 35_000_000) return false
      isCut = true
      return true
    }
    await page.setInputFiles('#library-files', path)
    await page.waitForSelector('.library-item >> text=long.txt')
    expect(isCut).toBe(true)
    expect(await kept()).toMatchObject([{ originalName: 'long.txt', size }])
    expect(passed.PATCH).toBeLessThan(size + 10_000_000)
    expect(passed.POST).toBeLessThan(10_000)
    // The library has the bytes: the upload is removed.
    await expect.poll(async () => (await listed('/api/v1/uploads')).uploads, WITHIN).toEqual([])
    await page.context().close()
  })

  test('nothing of an upload to the library that is cancelled', async () => {
    const page = await open('library')
    proxy.instead = ({ method }) => method === 'PATCH' && (passed.PATCH ?? 0) > 0
    const buffer = Buffer.alloc(10_000_000, 7)
    await page.setInputFiles('#library-files', { name: 'large.bin', mimeType: 'application/octet-stream', buffer })
    await page.click('main >> text=Cancel')
    await page.waitForSelector('main >> text=Upload files')
    expect(await kept()).toEqual([])
    await page.context().close()
  })

  test('no job of the console itself stays when its page is left before the answer', async () => {
    const page = await open('tools/pdf/extract-pages')
    const buffer = await makePdf({ texts: ['one'] })
    // The server has answered, and the page never learns it.
    const answered = new Promise<void>((done) => {
      proxy.onAnswer = ({ url = '' }) => {
        if (!url.endsWith('/info')) return false
        done()
        return new Promise(() => undefined)
      }
    })
    await page.setInputFiles('#files', { name: 'one.pdf', mimeType: 'application/pdf', buffer: Buffer.from(buffer) })
    await answered
    expect((await listed('/api/v1/jobs')).total).toBe(1)
    await page.goto(new URL('tools/image/resize', `${proxy.base}/`).href)
    await expect.poll(async () => (await listed('/api/v1/jobs')).total, WITHIN).toBe(0)
    await page.context().close()
  })

  test('settings: those of a job are used again, without its password', async () => {
    const page = await open('tools/pdf/protect-pdf')
    const buffer = await makePdf({ texts: ['one'] })
    await page.setInputFiles('#files', { name: 'one.pdf', mimeType: 'application/pdf', buffer: Buffer.from(buffer) })
    await page.fill('#setting-userPassword', 'Geheim-123')
    await page.click('button.run')
    await page.waitForSelector('.run-card[data-state=done]')
    // The pages of a protected result cannot be shown; the job that asked for them is removed.
    await expect.poll(() => proxy.seen.some((request) => request.startsWith('DELETE')), WITHIN).toBe(true)
    await page.goto(new URL('tools/image/resize', `${proxy.base}/`).href)
    await page.setInputFiles('#files', {
      name: 'sky.png',
      mimeType: 'image/png',
      buffer: await noisy(80, 60),
    })
    await page.fill('#setting-width', '20')
    await page.click('button.run')
    await page.waitForSelector('.run-card[data-state=done]')
    await page.fill('#setting-width', '30')
    await page.click('button.run')
    await expect.poll(async () => (await listed('/api/v1/jobs')).total, WITHIN).toBe(3)
    await page.click('header >> text=Jobs')
    // The newest is first.
    await page.click('.job >> nth=1 >> text=Use these settings')
    await page.waitForSelector('#setting-width')
    expect(await page.inputValue('#setting-width')).toBe('20')
    const stored = await page.evaluate(() => JSON.stringify(localStorage))
    expect(stored).toContain('pdf/protect-pdf')
    expect(stored).not.toContain('Geheim')
    await page.context().close()
  })
})
