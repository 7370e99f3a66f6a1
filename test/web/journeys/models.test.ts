/** Bundles of models in the console: installed with progress, cancelled, failed, imported; tools that need them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { exportArchive } from '../../../src/models/store/export-archive.ts'
import { afterEveryFile } from '../../helpers/clean-up.ts'
import { type Console, chromiumPath, openConsole, signInOn, violationsOn } from '../../helpers/console-page.ts'
import { type ModelSource, sampleBytes, serveModels } from '../../helpers/model-source.ts'
import { call, makeUser, PASSWORD, signIn } from '../../helpers/server.ts'
import { temporaryFolder } from '../../helpers/tool.ts'

const FACES = { name: 'faces.bin', bytes: sampleBytes('faces', 120_000) }
const MODELS = {
  faces: { files: [FACES] },
  other: { files: [{ name: 'other.bin', bytes: sampleBytes('other', 10_000) }] },
}
// Names that tools declare.
const BUNDLES = { 'face-detection': { light: ['faces'] }, 'upscale-enhance': { light: ['other'] } }
const CARD = '#bundle-face-detection'

describe.skipIf(!chromiumPath)('models', () => {
  let here: Console
  let admin: string
  let source: ModelSource

  beforeAll(async () => {
    source = await serveModels(MODELS, BUNDLES, (clean) => afterEveryFile(clean))
    here = await openConsole({ MEDIAPROC_MODELS: source.store, MODEL_OFFLINE: 'false' })
    admin = await signIn(here.server)
    await makeUser(here.server, admin, 'ursula')
  })
  beforeEach(async () => {
    source.answers(() => false)
    await call(here.server, 'POST', '/api/v1/admin/features/reset', { token: admin })
  })

  const bundle = async (id = 'face-detection') =>
    (await call(here.server, 'GET', '/api/v1/features', { token: admin })).json.bundles.find(
      (one: { id: string }) => one.id === id,
    )
  async function open(path: string, username = 'admin'): Promise<Page> {
    const { page } = await here.visit(path)
    await page.waitForSelector('#password')
    await signInOn(page, username, PASSWORD)
    await page.waitForURL((url) => url.pathname === `/${path}`)
    return page
  }
  /** Half of a file is sent, and the rest when the returned function is called. */
  function sendHalf(): () => void {
    let sendRest = (): void => {}
    source.answers((_request, response) => {
      const half = FACES.bytes.length / 2
      response.writeHead(200, { 'content-length': FACES.bytes.length }).write(FACES.bytes.subarray(0, half))
      sendRest = () => response.end(FACES.bytes.subarray(half))
      return true
    })
    return () => sendRest()
  }
  const halfWay = (page: Page): Promise<unknown> =>
    page.waitForFunction(() => (document.querySelector<HTMLProgressElement>('.install progress')?.value ?? 0) >= 40)

  test('a bundle is installed with live progress, and uninstalled', async () => {
    const page = await open('admin/models')
    await page.waitForSelector(CARD)
    expect(await page.textContent(CARD)).toContain('Download: 120 kB')
    const tools = await page.$$eval(`${CARD} .bundle-tools a`, (links) =>
      links.map((link) => link.getAttribute('href')),
    )
    expect(tools).toContain('tools/image/smart-crop')
    const sendRest = sendHalf()
    await page.click(`${CARD} [aria-label="Install face-detection"]`)
    await halfWay(page)
    expect(await violationsOn(page)).toEqual([])
    expect((await bundle()).status).toBe('installing')
    sendRest()
    await page.waitForSelector(`${CARD} .badge.good`)
    expect(await bundle()).toMatchObject({ status: 'installed', installedBytes: 120_000 })
    await page.waitForSelector('text=They use 120 kB on the disk.')
    page.on('dialog', (dialog) => dialog.accept())
    await page.click(`${CARD} [aria-label="Uninstall face-detection"]`)
    await page.waitForSelector(`${CARD} [aria-label="Install face-detection"]`)
    expect((await bundle()).status).toBe('not_installed')
    await page.context().close()
  })

  test('an install is cancelled, also by a page that was opened later', async () => {
    sendHalf()
    await call(here.server, 'POST', '/api/v1/admin/features/face-detection/install', { token: admin })
    const page = await open('admin/models')
    await halfWay(page)
    await page.click('[aria-label="Cancel the install of face-detection"]')
    await page.waitForSelector(`${CARD} [aria-label="Install face-detection"]`)
    expect(await bundle()).toMatchObject({ status: 'not_installed', error: null })
    await page.context().close()
  })

  test('an install that fails says why, and is tried again', async () => {
    source.answers((_request, response) => {
      response.writeHead(200, { 'content-length': FACES.bytes.length }).end(Buffer.alloc(FACES.bytes.length))
      return true
    })
    const page = await open('admin/models')
    await page.click(`${CARD} [aria-label="Install face-detection"]`)
    await page.waitForSelector(`${CARD} .badge.bad`)
    const { error } = await bundle()
    expect(error).toBeTruthy()
    expect(await page.textContent(`${CARD} [role=alert]`)).toBe(error)
    source.answers(() => false)
    await page.click(`${CARD} [aria-label="Install face-detection"]`)
    await page.waitForSelector(`${CARD} .badge.good`)
    await page.context().close()
  })

  test('an archive is imported; a file that is none is refused', async () => {
    await call(here.server, 'POST', '/api/v1/admin/features/upscale-enhance/install', { token: admin })
    await expect.poll(async () => (await bundle('upscale-enhance')).status).toBe('installed')
    const archive = join(temporaryFolder(), 'bundle.tar.gz')
    const what = { bundle: 'upscale-enhance', tier: 'light' as const, models: ['other'] }
    await exportArchive(what, archive, source.store, new AbortController().signal)
    await call(here.server, 'POST', '/api/v1/admin/features/upscale-enhance/uninstall', { token: admin })
    const page = await open('admin/models')
    const file = (buffer: Buffer) => ({ name: 'bundle.tar.gz', mimeType: 'application/gzip', buffer })
    await page.setInputFiles('.file-button input', file(Buffer.from('no archive')))
    await page.waitForSelector('.admin-content > [role=alert]:not(:empty)')
    await page.waitForSelector('.file-button input:not([disabled])', { state: 'attached' })
    await page.setInputFiles('.file-button input', file(readFileSync(archive)))
    await page.waitForSelector('[role=status]:has-text("upscale-enhance was imported.")')
    expect((await bundle('upscale-enhance')).status).toBe('installed')
    await page.context().close()
  })

  test('a tool without its bundle: administrators install it there, others are asked to ask one', async () => {
    const own = await open('tools/image/blur-faces', 'ursula')
    await own.waitForSelector('.tool-panel .notice:has-text("Ask an administrator")')
    expect([await own.isDisabled('button.run'), await own.$('.install-models')]).toEqual([true, null])
    await own.context().close()

    const page = await open('tools/image/blur-faces')
    await page.waitForSelector('.install-models >> text=Install (120 kB)')
    expect(await violationsOn(page)).toEqual([])
    expect(await page.isDisabled('button.run')).toBe(true)
    const sendRest = sendHalf()
    await page.click('.install-models button')
    await halfWay(page)
    sendRest()
    await page.waitForSelector('.install-models', { state: 'detached' })
    await page.waitForSelector('button.run:not([disabled])')
    expect((await bundle()).status).toBe('installed')
    await page.context().close()
  })
})
