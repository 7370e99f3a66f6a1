/** Journeys through the library and the history: what is kept, its versions, and the way into tools and back. */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Console, chromiumPath, openConsole, signInOn, violationsOn } from '../../helpers/console-page.ts'
import { plain } from '../../helpers/picture.ts'
import { call, makeUser, send, signIn } from '../../helpers/server.ts'

describe.skipIf(!chromiumPath)('the library of the console', () => {
  let here: Console
  let token: string
  let user: string
  let count = 0

  beforeAll(async () => {
    here = await openConsole({ MAX_STORAGE_PER_USER_MB: '2' })
  })

  beforeEach(async () => {
    count += 1
    user = `lea${count}`
    token = await makeUser(here.server, await signIn(here.server), user)
  })

  async function open(path: string, options = {}): Promise<{ page: Page; errors: string[] }> {
    const visited = await here.visit(path, options)
    await signInOn(visited.page, user)
    await visited.page.waitForURL((url) => url.pathname === `/${path}`)
    visited.errors.length = 0
    visited.page.on('dialog', (dialog) => dialog.accept())
    return visited
  }
  const png = (colour: string, width = 80, height = 50) => plain(width, height, colour).png().toBuffer()
  const keep = async (name: string, bytes: Buffer): Promise<string> =>
    (await send(here.server, '/api/v1/files/upload', [['file', { name, bytes }]], token)).json.files[0].id
  const listed = async () => (await call(here.server, 'GET', '/api/v1/files', { token })).json
  const versionsOf = async (id: string) =>
    (await call(here.server, 'GET', `/api/v1/files/${id}`, { token })).json.versions
  const bytesOf = async (id: string) =>
    (await call(here.server, 'GET', `/api/v1/files/${id}/download`, { token })).bytes
  const titles = (page: Page) => page.$$eval('.library-item .file-title', (all) => all.map((one) => one.textContent))

  test('a file is uploaded, used in a tool, and the result saved as its next version; an older one is used again', async () => {
    const { page, errors } = await open('library')
    await page.waitForSelector('text=No files yet')
    const sky = await png('#4060c0')
    await page.setInputFiles('#library-files', [{ name: 'sky.png', mimeType: 'image/png', buffer: sky }])
    await page.waitForSelector('.library-item img')
    await page.waitForFunction(() => {
      const image = document.querySelector<HTMLImageElement>('.library-item img')
      return image?.complete && image.naturalWidth > 0
    })
    await page.waitForFunction(() => document.querySelector('.usage')?.textContent?.includes('of 2'))
    const { files } = await listed()
    const [{ id }] = files
    expect((await bytesOf(id)).equals(sky)).toBe(true)

    await page.check('[aria-label="Choose sky.png"]')
    expect(await violationsOn(page)).toEqual([])
    await page.click('.chosen-bar >> text=Use in a tool')
    await page.click('.tool-card[href="tools/image/resize"]')
    await page.fill('#setting-width', '40')
    await page.click('button.run')
    await page.waitForSelector('.run-card[data-state=done]')
    await page.click('text=Save as new version')
    await page.waitForSelector('text=Saved as version 2 of sky.png')
    const versions = await versionsOf(id)
    expect(versions.map((one: { toolChain: string[] }) => one.toolChain)).toEqual([[], ['resize']])
    expect((await sharp(await bytesOf(versions[1].id)).metadata()).width).toBe(40)

    await page.click('text=Saved as version 2 of sky.png')
    await page.waitForSelector('.library-item >> text=Version 2')
    await page.click('.library-item button')
    await page.waitForSelector('.version >> nth=1')
    expect(await violationsOn(page)).toEqual([])
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('.version >> nth=1 >> a')])
    expect(readFileSync(await download.path()).equals(sky)).toBe(true)
    await page.click('.version >> nth=1 >> text=Use in a tool')
    await page.click('.tool-card[href="tools/image/rotate"]')
    await page.waitForSelector('.file-title >> text=sky.png')
    expect(errors).toEqual([])
    await page.context().close()
  })

  test('a result is saved as a file of its own', async () => {
    const { page } = await open('tools/image/rotate')
    const buffer = await png('#208040')
    await page.setInputFiles('#files', { name: 'field.png', mimeType: 'image/png', buffer })
    await page.fill('#setting-angle', '90')
    await page.click('button.run')
    await page.waitForSelector('.run-card[data-state=done]')
    // It has no earlier version in the library.
    expect(await page.$('text=Save as new version')).toBeNull()
    await page.click('text=Save to the library')
    await page.waitForSelector('text=Saved in the library as')
    const { files, total } = await listed()
    expect([total, files[0].width, files[0].height, files[0].toolChain]).toEqual([1, 50, 80, ['rotate']])
    await page.context().close()
  })

  test('files are found, ordered, renamed and deleted', async () => {
    for (const name of ['beta.png', 'Alpha.png', 'gamma.txt']) await keep(name, await png('#c06040'))
    const { page } = await open('library')
    await page.waitForSelector('.library-item >> nth=2')
    expect(await titles(page)).toEqual(['gamma.txt', 'Alpha.png', 'beta.png'])
    await page.selectOption('select', 'name')
    await page.waitForFunction(() => document.querySelector('.library-item .file-title')?.textContent === 'Alpha.png')
    expect(await titles(page)).toEqual(['Alpha.png', 'beta.png', 'gamma.txt'])
    await page.fill('input[type=search]', 'ALPHA')
    await page.waitForFunction(() => document.querySelectorAll('.library-item').length === 1)
    await page.click('.library-item button')
    await page.fill('.dialog [name=name]', 'Omega')
    await page.click('.dialog >> text=Rename')
    await page.waitForSelector('h2 >> text=Omega.png')
    await page.keyboard.press('Escape')
    await page.fill('input[type=search]', '')
    await page.waitForSelector('.library-item >> text=Omega.png')
    for (const name of ['Omega.png', 'beta.png']) await page.check(`[aria-label="Choose ${name}"]`)
    await page.click('.chosen-bar >> text=Delete')
    await page.waitForFunction(() => document.querySelectorAll('.library-item').length === 1)
    expect((await listed()).files.map((one: { originalName: string }) => one.originalName)).toEqual(['gamma.txt'])
    await page.context().close()
  })

  test('a tool takes files from the library; only those that it takes are offered', async () => {
    for (const name of ['one.png', 'two.png']) await keep(name, await png('#c06040'))
    await keep('notes.txt', Buffer.from('hello'))
    const { page } = await open('tools/image/resize')
    await page.click('text=From the library')
    await page.waitForSelector('.library-dialog .library-item >> nth=1')
    expect(await titles(page)).toEqual(['two.png', 'one.png'])
    await page.check('[aria-label="Choose one.png"]')
    await page.check('[aria-label="Choose two.png"]')
    expect(await violationsOn(page)).toEqual([])
    await page.click('text=Add 2 files')
    await page.waitForSelector('.file >> nth=1')
    await page.fill('#setting-width', '20')
    await page.click('button.run')
    await page.waitForFunction(() => document.querySelectorAll('.run-card[data-state=done]').length === 2)
    await page.context().close()
  })

  test('what exceeds the quota is refused with the reason, and nothing is stored', async () => {
    const { page } = await open('library')
    const buffer = Buffer.alloc(3_000_000, 7)
    await page.setInputFiles('#library-files', { name: 'large.bin', mimeType: 'application/octet-stream', buffer })
    await page.waitForSelector('.alert >> text=The library holds at most 2')
    expect((await listed()).total).toBe(0)
    await page.context().close()
  })

  test.each([320, 1280])(
    'keeps the rules of accessibility at %d px, light and dark, without overflow',
    async (width) => {
      await keep('a picture with a name that is much longer than its card.png', await png('#c06040'))
      const { page } = await open('library', { viewport: { width, height: 740 } })
      await page.waitForSelector('.library-item img')
      const light = await violationsOn(page)
      await page.emulateMedia({ colorScheme: 'dark' })
      const dark = await violationsOn(page)
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect([light, dark, overflow]).toEqual([[], [], 0])
      await page.context().close()
    },
  )

  test('after the last job of the last page is deleted, the page before it is shown', async () => {
    const bytes = await png('#208040', 8, 8)
    for (let index = 0; index < 21; index += 1) {
      const parts = [['file', { name: `${index}.png`, bytes }] as const, ['settings', '{"width":4}'] as const]
      await send(here.server, '/api/v1/tools/image/resize', parts, token)
    }
    const { page } = await open('jobs')
    await page.waitForSelector('text=1–20 of 21')
    await page.click('text=Next')
    await page.waitForSelector('text=21–21 of 21')
    await page.click('[aria-label^="Delete this job"]')
    await page.waitForFunction(() => document.querySelectorAll('.job').length === 20)
    expect(await page.textContent('main')).not.toContain('No jobs yet')
    expect((await call(here.server, 'GET', '/api/v1/jobs', { token })).json.total).toBe(20)
    await page.context().close()
  })
})
