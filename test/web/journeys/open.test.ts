/** `mediaproc open` from the shell to a result in the browser. */
import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { chromiumPath, violationsOn } from '../../helpers/console-page.ts'
import { PROGRAM } from '../../helpers/program.ts'
import { programEnvironment } from '../../helpers/program-here.ts'
import { temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

describe.skipIf(!chromiumPath)('mediaproc open', () => {
  test('two files become results, and the page reports the end of the program', async () => {
    for (const [name, background] of [
      ['sea.png', '#204080'],
      ['sand.png', '#c0a060'],
    ] as const)
      writeFileSync(
        join(folder, name),
        await sharp({ create: { width: 90, height: 60, channels: 3, background } })
          .png()
          .toBuffer(),
      )
    const env = { ...programEnvironment({ cwd: folder }), TMPDIR: folder }
    const child = spawn(process.execPath, [PROGRAM, 'open', 'sea.png', 'sand.png', '--no-browser'], {
      cwd: folder,
      env,
    })
    children.push(child)
    const ended = new Promise((resolve) => child.once('close', resolve))
    let address = ''
    child.stdout.on('data', (chunk: Buffer) => {
      address += chunk.toString()
    })
    await vi.waitUntil(() => address.endsWith('\n'), { timeout: 30_000 })
    const browser = await chromium.launch({ executablePath: chromiumPath!, args: ['--no-sandbox'] })
    const page = await browser.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(String(error)))
    await page.goto(address.trim())
    expect(new URL(page.url()).pathname).toBe('/')
    await page.waitForSelector('text=Tools for these 2 files')
    expect(await violationsOn(page)).toEqual([])
    await page.click('a[href="tools/image/resize"]')
    await page.fill('#setting-width', '30')
    expect(await page.$$eval('.file .file-title', (all) => all.map(({ textContent }) => textContent))).toEqual([
      'sea.png',
      'sand.png',
    ])
    await page.click('button.run')
    await expect
      .poll(() => page.$$('.run-card[data-state=done]').then(({ length }) => length), { timeout: 30_000 })
      .toBe(2)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.click('.run-card >> nth=0 >> text=Download'),
    ])
    expect(await sharp(await download.path()).metadata()).toMatchObject({ width: 30, height: 20 })
    child.kill('SIGINT')
    expect(await ended).toBe(0)
    await page.waitForSelector('text=mediaproc open has ended')
    expect(errors).toEqual([])
    await browser.close()
  }, 90_000)
})
