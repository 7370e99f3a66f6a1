/** The console in a browser: signing in, and the account page. */
import { readFileSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium } from '../../src/engines/chromium.ts'
import { SIGN_IN_FAILURES } from '../../src/server/sign-in/failure-words.ts'
import { call, makeUser, PASSWORD, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'
import { totpCode } from '../helpers/totp.ts'

let server: ServerHere
let admin: string

beforeAll(async () => {
  server = await serveHere({ environment: { BASE_PATH: '/media' } })
  admin = await signIn(server)
})

const get = async (path: string) => {
  const answer = await fetch(new URL(server.base + path))
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

test('every page and its parts are there, under a policy that runs nothing else', async () => {
  for (const path of ['/', '/login', '/media', '/media/login', '/media/account', '/media/tools/image/resize']) {
    const { status, headers, text } = await get(path)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const policy = headers.get('content-security-policy')!
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).not.toContain('unsafe')
    expect(text).toContain('<base href="/media/">')
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/)
    for (const [, part] of text.matchAll(/(?:href|src)="\.\/(assets\/[^"]+)"/g)) {
      const sent = await get(`/media/${part}`)
      expect([sent.status, sent.headers.get('content-type')]).toEqual([200, TYPES[part!.split('.').at(-1)!]])
      expect(sent.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    }
  }
})

test('what went wrong elsewhere is a sentence, and what the address holds besides is not shown', async () => {
  const guide = readFileSync(new URL('../../docs/sign-in.md', import.meta.url), 'utf8')
  for (const [word, sentence] of Object.entries(SIGN_IN_FAILURES)) {
    expect(guide).toContain(`\`${word.replace(/^(?:oidc|saml|header)(?=_user)/, '…')}\``)
    expect((await get(`/login?error=${word}`)).text).toContain(`role="alert">${sentence}<`)
  }
  for (const hostile of ['%3Cscript%3Ealert(1)%3C/script%3E', 'toString', 'a&error=b']) {
    const { status, text } = await get(`/login?error=${hostile}`)
    expect([status, text.includes('alert(1)')]).toEqual([200, false])
  }
})

const browserPath = await findChromium().then((found) => found?.path)

describe.skipIf(!browserPath)('in a browser', () => {
  let browser: Browser
  let page: Page
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: browserPath!, args: ['--no-sandbox'] })
  })
  afterAll(() => browser?.close())

  async function visit(path: string): Promise<void> {
    await page?.context().close()
    page = await (await browser.newContext()).newPage()
    await page.goto(new URL(`/media${path}`, server.base).href)
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

  test('a stranger is led to the sign-in; a wrong password is said, a right one leads to a key that works', async () => {
    await makeUser(server, admin, 'paula')
    await visit('/')
    await page.waitForURL('**/media/login')
    await submit('password', { username: 'paula', password: 'wrong' })
    await page.waitForSelector('#alert:not(:empty)')
    expect(await page.textContent('#alert')).toBe('The user name or the password is wrong')
    await submit('password', { username: 'paula', password: PASSWORD })
    expect(await who()).toBe('Signed in as paula (user).')
    await submit('key', { name: 'for CI' })
    await page.waitForSelector('#value:visible')
    const key = (await page.textContent('#value'))!
    const { apiKeys } = (await call(server, 'GET', '/api/v1/api-keys', { token: key })).json
    expect(apiKeys.map(({ name }: { name: string }) => name)).toEqual(['for CI'])
    expect(await page.textContent('#example')).toContain('/media/api/v1/tools/image/resize')
    await page.click('#sign-out')
    await page.waitForURL('**/media/login')
  })

  test('a new user chooses a password, a second factor is asked for, and set up where the instance demands it', async () => {
    const body = { username: 'nora', password: PASSWORD, role: 'user' }
    await call(server, 'POST', '/api/auth/register', { token: admin, body })
    await visit('/login')
    await submit('password', { username: 'nora', password: PASSWORD })
    await page.waitForSelector('#change:visible')
    await submit('change', { newPassword: `${PASSWORD}-2` })
    expect(await who()).toBe('Signed in as nora (user).')

    await call(server, 'PUT', '/api/v1/settings', { token: admin, body: { mfaPolicy: 'required' } })
    try {
      await visit('/login')
      await submit('password', { username: 'nora', password: `${PASSWORD}-2` })
      await page.waitForSelector('#enrol:visible')
      expect(await page.getAttribute('#qr', 'src')).toMatch(/^data:image\/svg\+xml/)
      expect((await page.textContent('#recovery'))!.split('\n')).toHaveLength(8)
      const secret = (await page.textContent('#secret'))!
      await submit('enrol', { code: await totpCode(secret) })
      await page.waitForSelector('#password:visible')
      await submit('password', { username: 'nora', password: `${PASSWORD}-2` })
      await page.waitForSelector('#code:visible')
      await submit('code', { code: await totpCode(secret) })
      expect(await who()).toBe('Signed in as nora (user).')
    } finally {
      await call(server, 'PUT', '/api/v1/settings', { token: admin, body: { mfaPolicy: 'optional' } })
    }
  })

  test('a provider that asks for a code leads to it, and the address does not keep the token', async () => {
    await visit('/login#mfaToken=5f0c2b9e-6c1d-4d5a-9d0e-0a4f3b1c2d3e')
    await page.waitForSelector('#code:visible')
    await page.waitForURL((url) => url.hash === '')
    await submit('code', { code: '123456' })
    await page.waitForSelector('#alert:not(:empty)')
  })
})
