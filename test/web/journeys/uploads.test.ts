/** Large files that are uploaded in parts, and files that the server already has. */
import { createHash } from 'node:crypto'
import { createReadStream, mkdtempSync, writeFileSync } from 'node:fs'
import { open as openFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import yauzl from 'yauzl'
import {
  type Console,
  chromiumPath,
  openConsole,
  signInOn,
  violationsOn,
  watchTasks,
  withoutPreviews,
} from '../../helpers/console-page.ts'
import { openProxy, type TestProxy } from '../../helpers/proxy.ts'
import { call, makeUser, signIn } from '../../helpers/server.ts'
import { serveHere } from '../../helpers/server-here.ts'
import { temporaryFolder } from '../../helpers/tool.ts'

const WITHIN = { timeout: 30_000 }
const MEGABYTE = 1_000_000
const folder = temporaryFolder()
/** Archives are made of two files; this one is sent with the form. */
const note = join(folder, 'note.txt')
writeFileSync(note, 'a note')
const ENVIRONMENT = { MAX_UPLOAD_SIZE_MB: '900' }

async function hashOf(source: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of source) hash.update(chunk)
  return hash.digest('hex')
}

/** A file in which each megabyte differs from the others. */
async function largeFile(name: string, megabytes: number): Promise<{ path: string; hash: string }> {
  const path = join(mkdtempSync(join(folder, 'large-')), name)
  const file = await openFile(path, 'w')
  for (let index = 0; index < megabytes; index += 1)
    await file.write(Buffer.alloc(MEGABYTE).fill(`${name} ${index} `, 0, 1000))
  await file.close()
  return { path, hash: await hashOf(createReadStream(path)) }
}

/** The hash of the first file in an archive. */
function hashInZip(bytes: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    yauzl.fromBuffer(bytes, { lazyEntries: true }, (error, zip) => {
      if (error) return reject(error)
      zip.once('entry', (entry) =>
        zip.openReadStream(entry, (failure, stream) => (failure ? reject(failure) : resolve(hashOf(stream)))),
      )
      zip.readEntry()
    })
  })
}

describe.skipIf(!chromiumPath)('uploads of the console', () => {
  let here: Console
  let proxy: TestProxy
  let token: string
  let user: string
  let count = 0
  /** Bytes of bodies that have passed, by method. */
  let passed: Record<string, number>

  beforeAll(async () => {
    here = await openConsole(ENVIRONMENT)
    proxy = await openProxy(here.server.base)
  })

  const counting = (isCut: (all: number) => boolean = () => false): void => {
    proxy.onBytes = ({ method = '' }, bytes) => {
      passed[method] = (passed[method] ?? 0) + bytes
      return method === 'PATCH' && isCut(passed[method])
    }
  }

  beforeEach(async () => {
    proxy.instead = () => false
    proxy.onAnswer = () => false
    proxy.seen = []
    passed = {}
    counting()
    count += 1
    user = `lena${count}`
    token = await makeUser(here.server, await signIn(here.server), user)
  })

  async function open(path: string): Promise<Page> {
    const { page } = await here.visit(new URL(path, `${proxy.base}/`).href, withoutPreviews(proxy.base))
    await signInOn(page, user)
    await page.waitForURL((url) => url.pathname === `/${path}`)
    return page
  }
  const isDone = (page: Page, within = 60_000) =>
    page.waitForSelector('.run-card[data-state=done]', { timeout: within })
  const uploads = async () =>
    (await call(here.server, 'GET', '/api/v1/uploads', { token })).json.uploads as {
      uploadId: string
      offset: number
      size: number
    }[]
  const percent = (page: Page) => page.$eval('.run-card progress', (bar) => (bar as HTMLProgressElement).value)
  /** The hash of the file in the result of the page. */
  const resultHash = async (): Promise<string> => {
    const { jobs } = (await call(here.server, 'GET', '/api/v1/jobs', { token })).json
    const { bytes } = await call(
      here.server,
      'GET',
      (await call(here.server, 'GET', `/api/v1/jobs/${jobs[0].jobId}`, { token })).json.result.downloadUrl,
      { token },
    )
    return hashInZip(bytes)
  }
  const untilSent = (bytes: number) => expect.poll(() => passed.PATCH ?? 0, { timeout: 60_000 }).toBeGreaterThan(bytes)

  test('500 MB: the connection breaks, the user cancels and tries again, and few bytes are sent twice', async () => {
    const { path, hash } = await largeFile('film.bin', 500)
    let isCut = false
    counting((all) => {
      if (isCut || all < 150 * MEGABYTE) return false
      isCut = true
      return true
    })
    // Slow enough to be cancelled.
    let isHeld = true
    proxy.instead = ({ method }) => isHeld && method === 'PATCH' && (passed.PATCH ?? 0) > 310 * MEGABYTE
    const page = await open('tools/files/create-zip')
    await page.setInputFiles('#files', [path, note])
    const heap = () =>
      page.evaluate(() => (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize)
    const before = await heap()
    await page.click('button.run')
    await untilSent(20 * MEGABYTE)
    const longTasks = await watchTasks(page)
    await untilSent(300 * MEGABYTE)
    expect(isCut).toBe(true)
    const shown = await percent(page)
    expect(shown).toBeGreaterThan(40)
    expect(shown).toBeLessThan(95)
    await page.click('.run-card >> text=Cancel')
    await page.waitForSelector('.run-card[data-state=canceled]')
    const [half] = await uploads()
    expect(half!.offset).toBeLessThan(500 * MEGABYTE)
    expect(half!.offset).toBeGreaterThan(200 * MEGABYTE)
    isHeld = false
    await page.click('text=Try again')
    await untilSent(490 * MEGABYTE)
    expect((await heap()) - before).toBeLessThan(40 * MEGABYTE)
    await isDone(page, 120_000)
    // At most one request of 32 MiB again for each of the two breaks.
    expect(passed.PATCH).toBeLessThan(568 * MEGABYTE)
    expect(passed.POST).toBeLessThan(10_000)
    expect((await uploads()).map(({ offset }) => offset)).toEqual([500 * MEGABYTE])
    const { workspaceFolder } = here.server.context.config
    expect(await hashOf(createReadStream(join(workspaceFolder, half!.uploadId, 'upload')))).toBe(hash)
    expect(await resultHash()).toBe(hash)
    expect(await longTasks()).toEqual([])
    await page.context().close()
  }, 300_000)

  test('after a reload, the same file continues where it was', async () => {
    const { path, hash } = await largeFile('talk.bin', 80)
    // Slow enough to be interrupted.
    let isHeld = true
    proxy.instead = ({ method }) => isHeld && method === 'PATCH' && (passed.PATCH ?? 0) > 30 * MEGABYTE
    const page = await open('tools/files/create-zip')
    await page.setInputFiles('#files', [path, note])
    await page.click('button.run')
    await untilSent(30 * MEGABYTE)
    page.on('dialog', (dialog) => void dialog.accept())
    await page.reload()
    isHeld = false
    await expect.poll(async () => (await uploads())[0]?.offset ?? 0, WITHIN).toBeGreaterThan(20 * MEGABYTE)
    await page.setInputFiles('#files', [path, note])
    await page.click('button.run')
    await isDone(page)
    expect(passed.PATCH).toBeLessThan(90 * MEGABYTE)
    expect(await uploads()).toHaveLength(1)
    expect(await resultHash()).toBe(hash)
    await page.context().close()
  }, 120_000)

  test('a server that goes and comes back gets the rest', async () => {
    const server = await serveHere({
      environment: { ...ENVIRONMENT, RATE_LIMIT_PER_MIN: '0', LOGIN_ATTEMPT_LIMIT: '0' },
    })
    const own = await openProxy(server.base)
    const name = 'greta'
    const key = await makeUser(server, await signIn(server), name)
    const { path, hash } = await largeFile('long.bin', 120)
    let sent = 0
    let isGone = false
    own.onBytes = ({ method }, bytes) => {
      if (method === 'PATCH') sent += bytes
      return method === 'PATCH' && isGone
    }
    own.instead = ({ socket }) => {
      if (isGone) socket.destroy()
      return isGone
    }
    const { page } = await here.visit(`${own.base}/tools/files/create-zip`)
    await signInOn(page, name)
    await page.setInputFiles('#files', [path, note])
    await page.click('button.run')
    await expect.poll(() => sent, { timeout: 30_000 }).toBeGreaterThan(50 * MEGABYTE)
    isGone = true
    await server.stop()
    await page.waitForSelector('text=The upload continues as soon as the server answers.')
    expect(await violationsOn(page)).toEqual([])
    const next = await serveHere({ data: server.data, environment: { ...ENVIRONMENT, RATE_LIMIT_PER_MIN: '0' } })
    own.target = next.base
    isGone = false
    await isDone(page, 90_000)
    expect(sent).toBeLessThan(160 * MEGABYTE)
    const [upload] = (await call(next, 'GET', '/api/v1/uploads', { token: key })).json.uploads
    expect(await hashOf(createReadStream(join(next.context.config.workspaceFolder, upload.uploadId, 'upload')))).toBe(
      hash,
    )
    await page.context().close()
  }, 120_000)

  test('a file is uploaded once for several runs, and for another attempt', async () => {
    const { path } = await largeFile('data.bin', 12)
    const page = await open('tools/files/create-zip')
    await page.setInputFiles('#files', [path, note])
    await page.click('button.run')
    await isDone(page)
    await page.click('button.run')
    await expect
      .poll(async () => (await call(here.server, 'GET', '/api/v1/jobs', { token })).json.total, WITHIN)
      .toBe(2)
    await isDone(page)
    expect(passed.PATCH).toBe(12 * MEGABYTE)
    // The upload is gone: the bytes are sent again, and the user notices nothing.
    const [upload] = await uploads()
    await call(here.server, 'DELETE', `/api/v1/uploads/${upload!.uploadId}`, {
      token,
      headers: { 'tus-resumable': '1.0.0' },
    })
    await page.click('button.run')
    await expect
      .poll(async () => (await call(here.server, 'GET', '/api/v1/jobs', { token })).json.total, WITHIN)
      .toBe(3)
    await isDone(page)
    expect(passed.PATCH).toBe(24 * MEGABYTE)
    await page.context().close()
  }, 90_000)

  test('a result is used in another tool without an upload', async () => {
    const noise = await sharp({
      create: {
        width: 900,
        height: 900,
        channels: 3,
        background: '#000',
        noise: { type: 'gaussian', mean: 128, sigma: 60 },
      },
    })
      .png()
      .toBuffer()
    const page = await open('tools/image/resize')
    await page.setInputFiles('#files', { name: 'noise.png', mimeType: 'image/png', buffer: noise })
    await page.fill('#setting-width', '700')
    await page.click('button.run')
    await isDone(page)
    const first = passed.POST ?? 0
    expect(first).toBeGreaterThan(noise.length)
    await page.click('text=Use in another tool')
    await page.waitForURL((url) => url.pathname === '/')
    await page.click('a[href="tools/image/convert"]')
    await page.waitForSelector('.file-title')
    await page.selectOption('#setting-format', 'webp').catch(() => page.click('label:has-text("webp")'))
    await page.click('button.run')
    await isDone(page)
    expect((passed.POST ?? 0) - first).toBeLessThan(5000)
    const { jobs } = (await call(here.server, 'GET', '/api/v1/jobs', { token })).json
    const { result } = (await call(here.server, 'GET', `/api/v1/jobs/${jobs[0].jobId}`, { token })).json
    const made = (await call(here.server, 'GET', result.downloadUrl, { token })).bytes
    expect(await sharp(made).metadata()).toMatchObject({ format: 'webp', width: 700 })
    // Without the earlier result, the bytes go again.
    await call(here.server, 'DELETE', `/api/v1/jobs/${jobs[1].jobId}`, { token })
    await page.click('button.run')
    await expect.poll(() => (passed.POST ?? 0) - first, WITHIN).toBeGreaterThan(100_000)
    await isDone(page)
    await page.context().close()
  }, 90_000)
})
