/** Changes of the account that need a confirmation, and pasting. */
import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Console, chromiumPath, openConsole, signInOn } from '../../helpers/console-page.ts'
import { makeUser, PASSWORD, signIn } from '../../helpers/server.ts'
import { totpCode } from '../../helpers/totp.ts'

describe.skipIf(!chromiumPath)('the console', () => {
  let here: Console
  let count = 0

  beforeAll(async () => {
    here = await openConsole()
  })
  beforeEach(async () => {
    count += 1
    await makeUser(here.server, await signIn(here.server), `anna${count}`)
  })

  async function open(path: string): Promise<Page> {
    const { page } = await here.visit(path)
    await signInOn(page, `anna${count}`)
    await page.waitForURL((url) => url.pathname === `/${path}`)
    return page
  }
  /** The first request needs a confirmation, as with an old session; what the next ones get. */
  async function confirmFirst(page: Page, path: string, next?: { status: number; json: object }): Promise<void> {
    let isFirst = true
    const refusal = { status: 403, json: { error: 'Confirm your identity', code: 'CONFIRMATION_REQUIRED' } }
    await page.route(`**/${path}`, async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      const answer = isFirst ? refusal : next
      isFirst = false
      return answer ? route.fulfill(answer) : route.continue()
    })
  }
  const confirm = async (page: Page): Promise<void> => {
    await page.fill('#confirm [name=password]', PASSWORD)
    await page.click('#confirm [type=submit]')
    await page.waitForSelector('#confirm', { state: 'detached' })
  }

  test('an authenticator app is set up after a confirmation', async () => {
    const page = await open('account')
    await confirmFirst(page, 'api/auth/mfa/enroll')
    await page.click('text=Set up')
    await confirm(page)
    await page.waitForSelector('#enrol')
    expect(await page.textContent('#enrol')).not.toMatch(/requires|passkey/)
    await page.fill('#enrol [name=code]', await totpCode((await page.textContent('#secret'))!))
    await page.click('#enrol [type=submit]')
    await page.waitForSelector('text=Turn off')
    await page.context().close()
  })

  test('a change that fails after the confirmation says why; without the confirmation nothing is changed', async () => {
    const page = await open('account')
    await confirmFirst(page, 'api/v1/api-keys', { status: 507, json: { error: 'The disk is full', code: 'DISK_FULL' } })
    await page.click('#key [type=submit]')
    await confirm(page)
    await page.waitForSelector('#alert:has-text("The disk is full")')

    await page.unroute('**/api/v1/api-keys')
    await confirmFirst(page, 'api/v1/api-keys')
    await page.click('#key [type=submit]')
    await page.click('#cancel')
    await page.waitForSelector('#confirm', { state: 'detached' })
    await page.waitForSelector('#key [type=submit]:not([disabled])')
    expect([await page.textContent('#alert'), await page.$('#value')]).toEqual(['', null])
    await page.click('#key [type=submit]')
    await page.waitForSelector('#value')
    await page.context().close()
  })

  test('a paste of text with a picture into a field is left to the field; elsewhere files are taken', async () => {
    const page = await open('tools/image/watermark-text')
    await page.waitForSelector('#setting-text')
    const paste = (selector: string, text: string): Promise<boolean> =>
      page.evaluate(
        ([where, words]) => {
          const data = new DataTransfer()
          data.items.add(new File(['x'], 'pasted.png', { type: 'image/png' }))
          if (words) data.setData('text/plain', words)
          const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
          return document.querySelector(where!)!.dispatchEvent(event)
        },
        [selector, text],
      )
    const files = () => page.$$eval('.file-list .file-title', (names) => names.map((name) => name.textContent))
    expect([await paste('#setting-text', 'words'), await files()]).toEqual([true, []])
    expect(await paste('#setting-text', '')).toBe(false)
    await page.waitForFunction(() => document.querySelectorAll('.file-list .file-title').length === 1)
    expect(await paste('main', 'words')).toBe(false)
    await page.waitForFunction(() => document.querySelectorAll('.file-list .file-title').length === 2)
    await page.context().close()
  })
})
