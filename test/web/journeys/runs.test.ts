/** Runs in the browser while the connection fails, while the user leaves, and when a cancel gets lost. */
import type { ServerResponse } from 'node:http'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Console, chromiumPath, openConsole, signInOn, withoutPreviews } from '../../helpers/console-page.ts'
import { endlessPdf } from '../../helpers/pool.ts'
import { openProxy, type TestProxy } from '../../helpers/proxy.ts'
import { call, makeUser, signIn } from '../../helpers/server.ts'
import { resize, untilStatus } from '../../helpers/server-jobs.ts'

const RESIZE = '/api/v1/tools/image/resize'
const isRun = ({ method, url }: { method?: string; url?: string }): boolean => method === 'POST' && url === RESIZE

describe.skipIf(!chromiumPath)('a run of the console', () => {
  let here: Console
  let proxy: TestProxy
  let token: string
  let user: string
  let count = 0

  beforeAll(async () => {
    // Every answer is 202, so that the end of a job comes by its events.
    here = await openConsole({ SYNC_WAIT_MS: '0' })
    proxy = await openProxy(here.server.base)
  })

  beforeEach(async () => {
    proxy.instead = () => false
    proxy.onAnswer = () => false
    proxy.seen = []
    count += 1
    user = `rita${count}`
    token = await makeUser(here.server, await signIn(here.server), user)
  })

  async function open(path: string): Promise<Page> {
    const { page } = await here.visit(new URL(path, `${proxy.base}/`).href, withoutPreviews(proxy.base))
    await signInOn(page, user)
    await page.waitForURL((url) => url.pathname === `/${path}`)
    return page
  }
  const picture = async (name = 'sky.png') => ({
    name,
    mimeType: 'image/png',
    buffer: await sharp({ create: { width: 64, height: 40, channels: 3, background: '#4060c0' } })
      .png()
      .toBuffer(),
  })
  async function startResize(): Promise<Page> {
    const page = await open('tools/image/resize')
    await page.setInputFiles('#files', await picture())
    await page.fill('#setting-width', '32')
    await page.click('button.run')
    return page
  }
  const jobs = async () =>
    (await call(here.server, 'GET', '/api/v1/jobs', { token })).json as {
      total: number
      jobs: { status: string; artifactJobId: string; jobId: string }[]
    }
  const isDone = (page: Page) => page.waitForSelector('.run-card[data-state=done]')
  const failure = async (page: Page) => (await page.waitForSelector('.run-card[data-state=failed]')).textContent()

  test.each([
    [
      'the connection breaks',
      // Before the first byte, Chromium would send the request again by itself.
      (answer: ServerResponse) => answer.writeHead(202, { 'content-length': 99 }).write('{', () => answer.destroy()),
    ],
    ['a proxy answers 502', (answer: ServerResponse) => answer.writeHead(502).end('<h1>Bad</h1>')],
  ])('whose answer is lost ends by its events, and runs once: %s', async (_, lose) => {
    proxy.onAnswer = (asked, answer) => {
      if (!isRun(asked)) return false
      lose(answer)
      return true
    }
    const page = await startResize()
    await isDone(page)
    expect((await jobs()).total).toBe(1)
    await page.context().close()
  })

  test('that never reached the server fails, and can be tried again', async () => {
    proxy.instead = (asked, answer) => {
      if (!isRun(asked)) return false
      asked.on('end', () => answer.writeHead(504).end())
      return true
    }
    const page = await startResize()
    expect(await failure(page)).toContain('Try again')
    expect((await jobs()).total).toBe(0)
    proxy.instead = () => false
    await page.click('text=Try again')
    await isDone(page)
    await page.context().close()
  }, 40_000)

  test('that gets a page instead of an answer fails', async () => {
    proxy.instead = (asked, answer) => {
      if (!isRun(asked)) return false
      answer.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in to the network</h1>')
      return true
    }
    const page = await startResize()
    expect(await failure(page)).toContain('The server did not send a result.')
    await page.context().close()
  })

  test('whose events are refused for a while ends all the same', async () => {
    let refused = 0
    proxy.instead = ({ url }, answer) => {
      if (!url?.endsWith('/progress') || refused >= 3) return false
      refused += 1
      answer.writeHead(429).end()
      return true
    }
    const page = await startResize()
    await isDone(page)
    expect(refused).toBeGreaterThan(0)
    await page.context().close()
  })

  test('whose job is gone fails with the reason', async () => {
    proxy.instead = ({ method, url }, answer) => {
      if (method !== 'GET' || !url?.startsWith('/api/v1/jobs/web-')) return false
      answer.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"Not found","code":"NOT_FOUND"}')
      return true
    }
    const page = await startResize()
    expect(await failure(page)).toContain('Not found')
    await page.context().close()
  })

  test('continues when its page is left, and is shown again; a lost cancel is sent again', async () => {
    const page = await open('tools/pdf/pdf-to-image')
    await page.setInputFiles('#files', { name: 'endless.pdf', mimeType: 'application/pdf', buffer: endlessPdf() })
    await page.click('button.run')
    await page.waitForSelector('.run-card progress:not([value])')
    // The page's own jobs, for the thumbnails of its file, are cancelled when it is left.
    const state = async () => (await jobs()).jobs.find(({ jobId }) => jobId.startsWith('web-'))?.status
    while ((await state()) !== 'processing') await page.waitForTimeout(50)
    await page.click('header a[href=jobs]')
    await page.waitForSelector('.job progress')
    expect(await state()).toBe('processing')
    await page.goBack()
    await page.waitForSelector('.run-card[data-state=running]')

    let refused = 0
    proxy.instead = ({ url }, answer) => {
      if (!/web-\w+\/cancel$/.test(url ?? '') || refused > 0) return false
      refused += 1
      answer.writeHead(502).end()
      return true
    }
    await page.click('.run-card >> text=Cancel')
    expect(await page.textContent('.run-card[data-state=running]')).toContain('Cancelling')
    await page.waitForSelector('.run-card[data-state=canceled]')
    expect([refused, await state()]).toEqual([1, 'canceled'])
    await page.context().close()
  }, 60_000)

  test('of a report has the name of its file; of several results the other files stay', async () => {
    const page = await open('tools/image/rotate')
    await page.setInputFiles('#files', [await picture('one.png'), await picture('two.png')])
    await page.click('button.run')
    await page.waitForFunction(() => document.querySelectorAll('.run-card[data-state=done]').length === 2)
    await page.click('.run-card:nth-child(2) >> text=Use in another tool')
    await page.waitForSelector('text=Tools for these 2 files')
    await page.click('.tool-card[href="tools/image/info"]')
    await page.waitForSelector('.file-title')
    expect(await page.$$eval('.file-list .file-title', (names) => names.map((name) => name.textContent))).toEqual([
      'one.png',
      'two_rotate.png',
    ])
    await page.click('button.run')
    await page.waitForFunction(() => document.querySelectorAll('.run-card[data-state=done]').length === 2)
    expect(await page.$$eval('.run-card .file-title', (names) => names.map((name) => name.textContent))).toEqual([
      'one.png',
      'two_rotate.png',
    ])
    await page.context().close()
  })

  test('the lines to copy hold no secret, call a tool of one file for each, and have no request for a tool of several', async () => {
    const page = await open('tools/pdf/protect-pdf')
    const pdf = (name: string) => ({ name, mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4') })
    await page.setInputFiles('#files', [pdf('a.pdf'), pdf('b.pdf')])
    await page.fill('#setting-userPassword', 'hunter2')
    await page.click('.lines summary')
    for (const kind of ['command', 'pipeline', 'curl']) {
      await page.check(`input[value=${kind}]`, { force: true })
      expect([kind, await page.textContent('.lines')]).toEqual([kind, expect.not.stringContaining('hunter2')])
      expect(await page.textContent('#line')).toContain('USER_PASSWORD')
    }
    const line = (await page.textContent('#line'))!
    expect(line.match(/file=@\w+\.pdf/g)).toEqual(['file=@a.pdf', 'file=@b.pdf'])
    await page.evaluate((to) => {
      history.pushState(null, '', new URL(to, document.baseURI))
      dispatchEvent(new PopStateEvent('popstate'))
    }, 'tools/image/passport-photo')
    await page.waitForSelector('h1:has-text("Passport")')
    await page.waitForSelector('.lines')
    const kinds = await page.$$eval('.lines input', (inputs) =>
      inputs.map((input) => (input as HTMLInputElement).value),
    )
    expect(kinds).toEqual(['command', 'pipeline'])
    await page.context().close()
  })

  test('that waits makes the browser ask before the document ends', async () => {
    proxy.instead = isRun
    const page = await open('tools/image/resize')
    await page.setInputFiles('#files', await Promise.all(['a.png', 'b.png', 'c.png'].map((name) => picture(name))))
    await page.fill('#setting-width', '32')
    await page.click('button.run')
    await page.waitForSelector('.run-card[data-state=waiting]')
    const [dialog] = await Promise.all([page.waitForEvent('dialog'), page.close({ runBeforeUnload: true })])
    expect(dialog.type()).toBe('beforeunload')
    await dialog.dismiss()
    await page.click('.run-card[data-state=waiting] >> text=Cancel')
    await page.waitForSelector('.run-card[data-state=canceled]')
    await page.context().close()
  })

  test('is deleted from the list by the id of the server, also among others with the same id of the client', async () => {
    const ids: string[] = []
    for (let number = 0; number < 3; number += 1) {
      const { json } = await resize(here.server, token, { clientJobId: 'same' })
      ids.push(json.artifactJobId)
      await untilStatus(here.server, token, json.artifactJobId, 'completed')
    }
    const page = await open('jobs')
    page.on('dialog', (dialog) => dialog.accept())
    await page.waitForSelector('.job:nth-child(3)')
    await page.click('.job:nth-child(2) .icon-button')
    await page.waitForFunction(() => document.querySelectorAll('.job').length === 2)
    const left = (await jobs()).jobs.map(({ artifactJobId }) => artifactJobId)
    expect(left).toEqual([ids[2], ids[0]])
    await page.context().close()
  })
})
