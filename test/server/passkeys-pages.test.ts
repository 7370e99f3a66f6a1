/** Passkeys on the pages, with a virtual authenticator of Chromium. */
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium } from '../../src/engines/chromium.ts'
import { call, makeUser, PASSWORD, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'

let server: ServerHere
let admin: string

beforeAll(async () => {
  server = await serveHere({ environment: { BASE_PATH: '/media', LOGIN_ATTEMPT_LIMIT: '0' } })
  admin = await signIn(server)
})

const browserPath = await findChromium().then((found) => found?.path)

describe.skipIf(!browserPath)('in a browser', () => {
  let browser: Browser
  let page: Page
  let device: CDPSession
  let authenticatorId: string

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: browserPath!, args: ['--no-sandbox'] })
  })
  afterAll(() => browser?.close())

  /** A new browser with a device that verifies its user. */
  async function visit(path: string): Promise<void> {
    await page?.context().close()
    page = await (await browser.newContext()).newPage()
    page.on('dialog', (dialog) => dialog.accept())
    device = await page.context().newCDPSession(page)
    await device.send('WebAuthn.enable')
    const options = {
      ...{ protocol: 'ctap2' as const, transport: 'internal' as const, hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    }
    authenticatorId = (await device.send('WebAuthn.addVirtualAuthenticator', { options })).authenticatorId
    await go(path)
  }
  async function go(path: string): Promise<void> {
    const url = new URL(`/media${path}`, server.base)
    url.hostname = 'localhost'
    await page.goto(url.href)
  }
  const submit = async (form: string, fields: Record<string, string>): Promise<void> => {
    for (const [name, value] of Object.entries(fields)) await page.fill(`#${form} [name=${name}]`, value)
    await page.click(`#${form} button`)
  }
  /** Opens the account page, as a user who has arrived after signing in. */
  const who = async () => {
    await page.click('a[href=account]')
    await page.waitForSelector('#sign-out:visible')
    return page.textContent('#who')
  }
  const alert = () => page.waitForSelector('#alert:not(:empty)').then(() => page.textContent('#alert'))
  const names = () =>
    page.$$eval('#passkey-list input', (fields) => fields.map((field) => (field as unknown as { value: string }).value))
  async function signInWithPassword(username: string): Promise<void> {
    await go('/login')
    await submit('password', { username, password: PASSWORD })
  }
  async function signOut(): Promise<void> {
    await page.click('#sign-out')
    await page.waitForURL('**/media/login')
  }

  test('a passkey is set up, signs in without a password and as the second step, is renamed and removed', async () => {
    await makeUser(server, admin, 'paula')
    await visit('/login')
    await signInWithPassword('paula')
    expect(await who()).toBe('Signed in as paula (user).')
    await submit('add-passkey', { name: 'Laptop' })
    await page.waitForSelector('#passkey-list li')
    expect(await names()).toEqual(['Laptop'])
    const { credentials } = await device.send('WebAuthn.getCredentials', { authenticatorId })
    expect(credentials).toMatchObject([{ rpId: 'localhost', isResidentCredential: true }])
    await submit('add-passkey', { name: 'Again' })
    expect(await alert()).toBe('This device already has a passkey for your account.')
    await signOut()

    await page.click('#use-passkey')
    expect(await who()).toBe('Signed in as paula (user).')
    await signOut()

    await signInWithPassword('paula')
    await page.waitForSelector('#use-step-passkey:visible')
    expect(await page.isVisible('#code')).toBe(false)
    await page.click('#use-step-passkey')
    expect(await who()).toBe('Signed in as paula (user).')

    await page.fill('#passkey-list input', 'Work laptop')
    await page.click('text=Rename')
    await page.waitForSelector('[aria-label="Remove the passkey Work laptop"]')
    const { accounts } = server.context
    const clock = accounts.now
    try {
      accounts.now = () => clock() + 11 * 60_000
      await page.click('text=Remove')
      await page.waitForSelector('#confirm:visible')
      await page.click('#confirm-passkey')
      await page.waitForSelector('#passkey-list:empty', { state: 'attached' })
    } finally {
      accounts.now = clock
    }
    await signOut()
    await page.click('#use-passkey')
    expect(await alert()).toContain('The passkey was not accepted')
    await signInWithPassword('paula')
    expect(await who()).toBe('Signed in as paula (user).')
  })

  test('a user who must have a second factor registers a passkey instead of an app', async () => {
    await makeUser(server, admin, 'nora')
    await call(server, 'PUT', '/api/v1/settings', { token: admin, body: { mfaPolicy: 'required' } })
    try {
      await visit('/login')
      await signInWithPassword('nora')
      await page.waitForSelector('#enrol:visible')
      await page.click('#enrol-passkey')
      await page.waitForSelector('#password:visible')
      expect(await alert()).toBe('The second factor is enabled. Sign in again.')
      await page.click('#use-passkey')
      expect(await who()).toBe('Signed in as nora (user).')
    } finally {
      await call(server, 'PUT', '/api/v1/settings', { token: admin, body: { mfaPolicy: 'optional' } })
    }
  })

  test('single sign-on leads to the passkey; a device that does not verify its user is refused', async () => {
    await visit('/login#mfaToken=5f0c2b9e-6c1d-4d5a-9d0e-0a4f3b1c2d3e&methods=totp,passkey')
    await page.waitForSelector('#use-step-passkey:visible')
    expect(await page.isVisible('#code')).toBe(true)
    await page.click('#use-step-passkey')
    expect(await alert()).toContain('expired')

    await makeUser(server, admin, 'otto')
    await visit('/login')
    await signInWithPassword('otto')
    await who()
    await submit('add-passkey', {})
    await page.waitForSelector('#passkey-list li')
    await signOut()
    await device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    await page.click('#use-passkey')
    expect(await alert()).toContain('cancelled')
  })
})
