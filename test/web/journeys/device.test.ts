/** The page on which a person approves a program that shows a code. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Console, chromiumPath, openConsole, signInOn, violationsOn } from '../../helpers/console-page.ts'
import { call, makeUser, signIn } from '../../helpers/server.ts'

const PATH = '/api/v1/auth/device'

describe.skipIf(!chromiumPath)('sign-in of programs', () => {
  let here: Console
  let admin: string

  beforeAll(async () => {
    here = await openConsole()
    admin = await signIn(here.server)
    await makeUser(here.server, admin, 'dora')
  })

  const begin = async () =>
    (await call(here.server, 'POST', PATH, { body: { client_name: 'mediaproc on <laptop>' } })).json
  const ask = async (code: string) =>
    (await call(here.server, 'POST', `${PATH}/token`, { body: { device_code: code } })).json

  test('the address with the code: sign-in, the page, approval by the keyboard', async () => {
    const started = await begin()
    const { page, errors } = await here.visit(started.verification_uri_complete)
    await page.waitForSelector('#password')
    await signInOn(page, 'dora')
    await page.waitForSelector('#program')
    expect(await page.textContent('#program')).toContain('“mediaproc on <laptop>” asks for an API key')
    expect(await page.textContent('#program')).toContain(`Code ${started.user_code}, from the address 127.0.0.1`)
    expect(await page.textContent('#program')).toContain('only if you started this yourself')
    // Screen readers begin with the question, and the answers are next.
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('program-title')
    expect(await violationsOn(page)).toEqual([])
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForSelector('#decided:has-text("The program is signed in")')
    expect(await page.$('#program')).toBeNull()
    const { access_token: key, username } = await ask(started.device_code)
    expect([username, key]).toEqual(['dora', expect.stringMatching(/^si_/)])
    expect(errors.filter((text) => !text.includes('401'))).toEqual([])
    await page.goto(`${here.server.base}/account`)
    await page.waitForSelector('.rows li:has-text("mediaproc on <laptop>")')
    await page.context().close()
  })

  test('a typed code: a wrong one is named, and the program is refused', async () => {
    const started = await begin()
    const { page } = await here.visit('device')
    await signInOn(page, 'dora')
    await page.waitForSelector('#device-code')
    expect(await violationsOn(page)).toEqual([])
    await page.fill('#device-code [name=code]', 'BBBB-BBBB')
    await page.keyboard.press('Enter')
    await page.waitForSelector('#alert:has-text("not known")')
    await page.fill('#device-code [name=code]', started.user_code.toLowerCase())
    await page.keyboard.press('Enter')
    await page.click('#refuse')
    await page.waitForSelector('#decided:has-text("refused")')
    expect((await ask(started.device_code)).code).toBe('ACCESS_DENIED')
    await page.context().close()
  })

  test('an old session is confirmed first', async () => {
    const started = await begin()
    const { page } = await here.visit(started.verification_uri_complete)
    await signInOn(page, 'dora')
    await page.waitForSelector('#program')
    const refusal = { status: 403, json: { error: 'Confirm your identity', code: 'CONFIRMATION_REQUIRED' } }
    await page.route('**/device/approve', (route) => route.fulfill(refusal), { times: 1 })
    await page.click('#approve')
    await page.waitForSelector('#confirm')
    await page.click('#cancel')
    await page.waitForSelector('#approve:not([disabled])')
    expect((await ask(started.device_code)).code).toBe('AUTHORIZATION_PENDING')
    await page.context().close()
  })

  test('where it is switched off, the page says so', async () => {
    const set = (deviceSignIn: string) =>
      call(here.server, 'PUT', '/api/v1/settings', { token: admin, body: { deviceSignIn } })
    await set('false')
    const { page } = await here.visit('device')
    await signInOn(page, 'dora')
    await page.waitForSelector('text=switched off on this server')
    expect(await page.$('#device-code')).toBeNull()
    await set('true')
    await page.context().close()
  })
})
