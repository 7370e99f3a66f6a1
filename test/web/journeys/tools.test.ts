/** Journeys through the tools: resize, a batch with a bad file, and a visit of every tool's page. */
import { join } from 'node:path'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { catalogue } from '../../../src/tool/registry.ts'
import { toolLabel } from '../../../src/tool/tool-label.ts'
import { type Console, chromiumPath, openConsole, signInOn, violationsOn } from '../../helpers/console-page.ts'
import { makeUser, signIn } from '../../helpers/server.ts'
import { temporaryFolder } from '../../helpers/tool.ts'
import { readZip } from '../../helpers/zip-names.ts'

const NARROW = { viewport: { width: 360, height: 740 } }

describe.skipIf(!chromiumPath)('the console', () => {
  let here: Console

  beforeAll(async () => {
    here = await openConsole()
    await makeUser(here.server, await signIn(here.server), 'tessa')
  })

  async function open(path: string, options = {}) {
    const visited = await here.visit(path, options)
    await signInOn(visited.page, 'tessa')
    // The page that was asked for comes after the sign-in.
    await visited.page.waitForURL((url) => url.pathname === `/${path}`)
    visited.errors.length = 0
    return visited
  }
  const picture = async (name: string, width = 640, height = 400) => ({
    name,
    mimeType: 'image/png',
    buffer: await sharp({ create: { width, height, channels: 3, background: '#4060c0' } })
      .png()
      .toBuffer(),
  })

  test('a resize shows its result, is downloaded, and the result is used in another tool', async () => {
    const { page, errors } = await open('tools/image/resize')
    await page.setInputFiles('#files', await picture('sky.png'))
    await page.fill('#setting-width', '320')
    expect(await page.textContent('#line')).toBe('mediaproc image resize sky.png --width=320')
    await page.click('button.run')
    // Not those of the live preview.
    await page.waitForSelector('.run-card .compare img:nth-child(2)')
    await page.waitForSelector('.run-card figcaption:has-text("640 × 400 → 320 × 200")')
    expect(await violationsOn(page)).toEqual([])
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('text=Download')])
    const { width, height } = await sharp(await download.path()).metadata()
    expect([download.suggestedFilename(), width, height]).toEqual(['sky_resize.png', 320, 200])

    await page.click('text=Use in another tool')
    await page.waitForSelector('text=Tools for sky_resize.png')
    await page.click('.tool-card[href="tools/image/rotate"]')
    await page.waitForSelector('.history')
    expect(await page.$$eval('.history button', (steps) => steps.map((step) => step.textContent))).toEqual([
      'Original',
      'Resize',
    ])
    await page.click('.history button >> text=Original')
    expect(await page.textContent('.file-title')).toBe('sky.png')

    await page.goto(new URL('tools/image/resize', `${here.server.base}/`).href)
    await page.waitForSelector('#setting-width')
    expect(await page.inputValue('#setting-width')).toBe('320')
    await page.click('text=Reset')
    expect(await page.inputValue('#setting-width')).toBe('')
    expect(errors).toEqual([])
    await page.context().close()
  })

  test('a batch with a bad file: the good ones are done, the bad one says why and can be tried again', async () => {
    const { page } = await open('tools/image/rotate')
    const good = await Promise.all([1, 2, 3].map((number) => picture(`good-${number}.png`, 60 + number, 40)))
    const bad = { name: 'bad.png', mimeType: 'image/png', buffer: Buffer.from('no picture at all') }
    await page.setInputFiles('#files', [good[0]!, bad, good[1]!, good[2]!])
    await page.setInputFiles('#files', { name: 'notes.zip', mimeType: 'application/zip', buffer: Buffer.from('PK') })
    expect(await page.textContent('.tool-files [role=alert]')).toBe('Rotate does not take notes.zip.')
    await page.click('button.run')
    await page.waitForSelector('.run-card[data-state=failed]')
    await page.waitForFunction(() => document.querySelectorAll('.run-card[data-state=done]').length === 3)
    expect(await page.textContent('.run-card[data-state=failed]')).toMatch(/bad\.png.*Try again/)
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('text=Download all 3 as ZIP')])
    const path = join(temporaryFolder(), 'results.zip')
    await download.saveAs(path)
    expect((await readZip(path)).sort()).toEqual(['good-1_rotate.png', 'good-2_rotate.png', 'good-3_rotate.png'])
    await page.click('.run-card[data-state=failed] >> text=Try again')
    await page.waitForSelector('.run-card[data-state=failed]')
    await page.goto(new URL('jobs', `${here.server.base}/`).href)
    await page.waitForSelector('.job')
    expect(await violationsOn(page)).toEqual([])
    await page.context().close()
  })

  test('a missing value and a missing file are named before a request', async () => {
    const { page } = await open('tools/image/watermark-text')
    await page.click('button.run')
    expect(await page.textContent('.tool-files [role=alert]')).toBe('Choose a file first.')
    expect(await page.textContent('#setting-text-field')).toContain('A value is required.')
    await page.context().close()
  })

  test('every tool has a page for a phone: all controls have labels, nothing overflows, nothing fails', {
    timeout: 600_000,
  }, async () => {
    const { page, errors } = await open('', NARROW)
    await page.waitForSelector('.tool-card')
    const wrong: string[] = []
    for (const tool of catalogue()) {
      const { section, id, settings } = tool
      await page.evaluate((to) => {
        history.pushState(null, '', new URL(to, document.baseURI))
        dispatchEvent(new PopStateEvent('popstate'))
      }, `tools/${section}/${id}`)
      await page.waitForSelector(`h1:text-is(${JSON.stringify(toolLabel(tool))})`)
      const found = await page.evaluate(() => {
        const controls = [...document.querySelectorAll('main input, main select, main textarea, main button')]
        const named = (one: Element): boolean =>
          Boolean(one.getAttribute('aria-label') || one.textContent?.trim() || (one as HTMLInputElement).labels?.length)
        return {
          fields: document.querySelectorAll('.settings .field').length,
          unnamed: controls.filter((one) => !named(one)).map((one) => one.outerHTML.slice(0, 80)),
          overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        }
      })
      if (found.unnamed.length > 0) wrong.push(`${id}: ${found.unnamed.join(' ')}`)
      if (found.overflow > 0) wrong.push(`${id}: ${found.overflow} px too wide`)
      if (Object.keys(settings).length > 0 && found.fields === 0) wrong.push(`${id}: no fields`)
      for (const error of errors.splice(0)) wrong.push(`${id}: ${error}`)
    }
    expect(wrong).toEqual([])
    await page.context().close()
  })
})
