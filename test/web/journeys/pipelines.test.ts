/** Journeys through pipelines: built, explained, exported and run by the command line; kept, shared, run on many files. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Download, Page } from 'playwright-core'
import sharp from 'sharp'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Console, chromiumPath, openConsole, signInOn, violationsOn } from '../../helpers/console-page.ts'
import { fromSamples, photo } from '../../helpers/picture.ts'
import { buildProgram, runProgram } from '../../helpers/program.ts'
import { readZip } from '../../helpers/raw-zip.ts'
import { call, makeUser, signIn } from '../../helpers/server.ts'
import { temporaryFolder } from '../../helpers/tool.ts'

const SMALL = 'name: Small\nsteps:\n  - image/resize: { width: 64 }\n  - rotate: { angle: 90 }\n'
const STEPS = [
  { toolId: 'resize', settings: { width: 64 } },
  { toolId: 'rotate', settings: { angle: 90 } },
]

describe.skipIf(!chromiumPath)('a pipeline in the console', () => {
  let here: Console
  let token: string
  let user: string
  let count = 0

  beforeAll(async () => {
    buildProgram()
    here = await openConsole()
  })

  beforeEach(async () => {
    count += 1
    user = `pia${count}`
    token = await makeUser(here.server, await signIn(here.server), user)
  })

  async function open(path: string, options = {}): Promise<{ page: Page; errors: string[] }> {
    const visited = await here.visit(path, options)
    await signInOn(visited.page, user)
    await visited.page.waitForURL((url) => url.pathname === `/${path.split('#')[0]}`)
    visited.errors.length = 0
    visited.page.on('dialog', (dialog) => dialog.accept())
    return visited
  }
  const picture = async (name: string) => ({
    name,
    mimeType: 'image/png',
    buffer: await fromSamples(photo(160, 100)).png().toBuffer(),
  })
  const save = async (name: string, steps: object[] = STEPS): Promise<string> =>
    (await call(here.server, 'POST', '/api/v1/pipeline/save', { token, body: { name, steps } })).json.id
  const titles = (page: Page) => page.$$eval('.step-title strong', (found) => found.map((one) => one.textContent))
  const bytesOf = async (download: Download) => readFileSync(await download.path())
  const planned = (page: Page, steps: number) =>
    page.waitForFunction((wanted) => document.querySelectorAll('.plan-steps li').length === wanted, steps)
  async function add(page: Page, search: string, toolId: string): Promise<void> {
    await page.click('.add-step')
    await page.fill('.chooser input', search)
    await page.click(`.chooser [data-tool=${toolId}]`)
  }

  test('is built from a tool, explained, exported, and run by mediaproc run to the same bytes', async () => {
    const { page, errors } = await open('tools/image/resize')
    await page.fill('#setting-width', '120')
    await page.click('text=Add to a pipeline')
    await page.waitForURL('**/pipelines/new')
    await page.waitForSelector('.plan-group')
    expect(await page.textContent('.step-words .faint')).toBe('width 120')

    await page.click('.add-step')
    await page.waitForSelector('.chooser [data-tool=watermark-text]')
    // Only tools that take a picture.
    expect(await page.$('.chooser [data-tool=compress-pdf]')).toBeNull()
    expect(await violationsOn(page)).toEqual([])
    await page.keyboard.press('Escape')
    await add(page, 'text watermark', 'watermark-text')
    // The server's sentence, at the step that lacks its text.
    await page.waitForSelector('.step[data-faulty] >> text=Expected')
    await page.click('button.run')
    expect(await page.textContent('.tool-files > .alert')).toBe('Correct the marked steps first.')
    await page.fill('#setting-text', '© $HOME "ACME"')
    await planned(page, 2)
    await add(page, 'convert', 'convert')
    await page.selectOption('#setting-format', 'webp')
    await planned(page, 3)
    // All three are one pass over the pixels.
    expect(await page.$$eval('.plan-group', (groups) => groups.length)).toBe(1)
    expect(await page.textContent('.plan-end >> nth=1')).toContain('WEBP')
    expect(await violationsOn(page)).toEqual([])

    await page.setInputFiles('#files', await picture('sky.png'))
    await page.click('button.run')
    await page.waitForSelector('.run-card[data-state=done]')
    const [made] = await Promise.all([page.waitForEvent('download'), page.click('.run-card >> text=Download')])
    const [exported] = await Promise.all([page.waitForEvent('download'), page.click('text=Export YAML')])
    expect(exported.suggestedFilename()).toBe('pipeline.yaml')

    const cwd = mkdtempSync(join(temporaryFolder(), 'run-'))
    writeFileSync(join(cwd, 'sky.png'), (await picture('sky.png')).buffer)
    writeFileSync(join(cwd, 'pipeline.yaml'), await bytesOf(exported))
    const ran = await runProgram(['run', 'pipeline.yaml', 'sky.png', '-o', 'out.webp'], { cwd })
    expect([ran.code, ran.stderr]).toEqual([0, ''])
    const bytes = await bytesOf(made)
    expect((await sharp(bytes).metadata()).width).toBe(120)
    expect(readFileSync(join(cwd, 'out.webp')).equals(bytes)).toBe(true)
    expect(errors).toEqual([])
    await page.context().close()
  })

  test('is ordered by keyboard, by buttons and by dragging', async () => {
    const id = await save('turns', [...STEPS, { toolId: 'sharpening', settings: {} }])
    const { page } = await open(`pipelines/${id}`)
    await planned(page, 3)
    await page.focus('.step-title >> nth=2')
    await page.keyboard.press('Alt+ArrowUp')
    expect(await titles(page)).toEqual(['Resize', 'Sharpening', 'Rotate'])
    await page.waitForFunction(() => document.querySelector('[role=status].hidden')?.textContent?.includes('2 of 3'))
    // The step keeps the focus, so that the next key moves it further.
    await page.waitForFunction(() => document.activeElement?.textContent?.includes('Sharpening'))
    await page.keyboard.press('Alt+ArrowUp')
    await page.keyboard.press('Alt+ArrowUp')
    expect(await titles(page)).toEqual(['Sharpening', 'Resize', 'Rotate'])
    await page.click('[aria-label="Move Resize down"]')
    expect(await titles(page)).toEqual(['Sharpening', 'Rotate', 'Resize'])
    const from = (await page.locator('.handle').nth(2).boundingBox())!
    const to = (await page.locator('.handle').nth(0).boundingBox())!
    await page.mouse.move(from.x + 8, from.y + 8)
    await page.mouse.down()
    await page.mouse.move(to.x + 8, to.y - 4, { steps: 5 })
    await page.mouse.up()
    expect(await titles(page)).toEqual(['Resize', 'Sharpening', 'Rotate'])
    await page.click('[aria-label="Remove Sharpening"]')
    expect(await titles(page)).toEqual(['Resize', 'Rotate'])
    await page.click('.pipeline-panel [type=submit] >> text=Save')
    await page.waitForFunction(() => !document.querySelector('h1 .badge'))
    const { json } = await call(here.server, 'GET', `/api/v1/pipeline/${id}`, { token })
    expect(json.steps).toEqual(STEPS)
    await page.context().close()
  })

  test('is saved, loaded again, and run on three files of which one is bad; renamed and deleted', async () => {
    const { page } = await open('pipelines/new')
    await add(page, 'rotate', 'rotate')
    await page.fill('[name=name]', 'Turn')
    await page.click('.pipeline-panel [type=submit] >> text=Save')
    await page.waitForURL(/pipelines\/[\w-]{20,}$/)
    await page.reload()
    await page.waitForSelector('.plan-group')
    expect([await page.textContent('h1'), await titles(page)]).toEqual(['Turn', ['Rotate']])
    await page.click('.step-title')
    await page.fill('#setting-angle', '90')
    // A change that is not saved outlives the page.
    await page.reload()
    await page.waitForSelector('h1 .badge')
    expect(await page.textContent('.step-words .faint')).toBe('angle 90')
    const bad = { name: 'bad.png', mimeType: 'image/png', buffer: Buffer.from('no picture') }
    await page.setInputFiles('#files', [await picture('a.png'), bad, await picture('c.png')])
    await page.click('text=Run on 3 files')
    await page.waitForFunction(() => document.querySelectorAll('.run-card[data-state=done]').length === 2)
    await page.waitForSelector('.run-card[data-state=failed] >> text=Try again')
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('text=Download all 2 as ZIP')])
    const entries = await readZip(await download.path())
    expect(entries.map(({ name }) => name)).toHaveLength(2)
    const sizes = await Promise.all(entries.map(async ({ data }) => (await sharp(data).metadata()).width))
    expect(sizes).toEqual([100, 100])

    await page.fill('[name=name]', 'Quarter turn')
    await page.click('.pipeline-panel [type=submit] >> text=Save')
    await page.waitForFunction(() => !document.querySelector('h1 .badge'))
    await page.click('.crumbs a')
    await page.waitForSelector('.pipeline-link >> text=Quarter turn')
    expect(await violationsOn(page)).toEqual([])
    await page.click('[aria-label="Delete the pipeline Quarter turn"]')
    await page.waitForSelector('text=No pipelines yet')
    expect((await call(here.server, 'GET', '/api/v1/pipeline/list', { token })).json.pipelines).toEqual([])
    await page.context().close()
  })

  test('is imported from a file, and passed on by a link that leads through the sign-in', async () => {
    const { page } = await open('pipelines')
    const file = (text: string) => ({ name: 'p.yaml', mimeType: 'application/yaml', buffer: Buffer.from(text) })
    const field = 'input[aria-label="Import YAML"]'
    await page.setInputFiles(field, file('steps: [{ include: other.yaml }]'))
    await page.waitForSelector('.alert >> text=which only mediaproc run can do')
    await page.setInputFiles(field, file(SMALL))
    await page.waitForURL('**/pipelines/new')
    await planned(page, 2)
    expect(await page.textContent('h1')).toContain('Small')
    // A setting that the tool does not know, such as a file, has no effect, and the page says so.
    const marked = 'steps:\n  - watermark-text: { text: x, logo: a.png }\n'
    await page.setInputFiles(field, file(marked))
    await page.waitForSelector('.step-note >> text=Without an effect on the server: logo.')
    await page.setInputFiles(field, file(SMALL))
    await planned(page, 2)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.click('text=Copy link')
    const link = await page.evaluate(() => navigator.clipboard.readText())
    await page.context().close()

    user = `${user}-colleague`
    token = await makeUser(here.server, await signIn(here.server), user)
    const { hash } = new URL(link)
    const { page: other } = await open(`pipelines/new${hash}`)
    await planned(other, 2)
    expect([await titles(other), new URL(other.url()).hash]).toEqual([['Resize', 'Rotate'], ''])
    await other.click('.pipeline-panel [type=submit] >> text=Save')
    await other.waitForURL(/pipelines\/[\w-]{20,}$/)
    const { pipelines } = (await call(here.server, 'GET', '/api/v1/pipeline/list', { token })).json
    expect(pipelines).toEqual([expect.objectContaining({ name: 'Small', steps: STEPS })])
    await other.context().close()
  })

  test.each([320, 360])('has its pages at %d px without overflow, light and dark', async (width) => {
    const id = await save('a pipeline with a name that is longer than a phone is wide')
    const { page, errors } = await open('pipelines', { viewport: { width, height: 740 } })
    await page.waitForSelector('.pipeline-link')
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect([await violationsOn(page), await overflow()]).toEqual([[], 0])
    await page.click('.menu-button')
    const links = await page.$$eval('#main-links a', (found) => found.map((link) => link.textContent))
    expect(links).toEqual(['Pipelines', 'Library', 'Jobs', 'Account'])
    expect(await violationsOn(page)).toEqual([])
    await page.keyboard.press('Escape')
    expect(await page.isVisible('#main-links')).toBe(false)
    await page.click(`a[href="pipelines/${id}"]`)
    await planned(page, 2)
    await page.click('.step-title >> nth=0')
    await page.waitForSelector('.step-settings .settings')
    const light = await violationsOn(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    expect([light, await violationsOn(page), await overflow(), errors]).toEqual([[], [], 0, []])
    await page.context().close()
  })
})
