/** Sign-in at a provider, and sessions that end while a page is open. */
import { connect, createServer, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Console, chromiumPath, openConsole, signInOn, violationsOn } from '../../helpers/console-page.ts'
import { CLIENT, startProvider, type TestProvider } from '../../helpers/openid-provider.ts'
import { call, makeUser, PASSWORD, signIn } from '../../helpers/server.ts'

describe.skipIf(!chromiumPath)('sign-in', () => {
  let here: Console
  let admin: string
  let provider: TestProvider
  let front: Server
  /** The address of the server for browsers; the provider must know it before the server starts. */
  let address: string

  beforeAll(async () => {
    front = createServer((client) => {
      const back = connect(Number(new URL(here.server.base).port), '127.0.0.1')
      client.on('error', () => back.destroy()).pipe(back)
      back.on('error', () => client.destroy()).pipe(client)
    })
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
    address = `http://127.0.0.1:${(front.address() as { port: number }).port}`
    provider = await startProvider(`${address}/api/auth/oidc/callback`)
    here = await openConsole({
      ...{ OIDC_ENABLED: 'true', OIDC_ISSUER_URL: provider.issuer, OIDC_CLIENT_ID: CLIENT.client_id },
      ...{ OIDC_CLIENT_SECRET: CLIENT.client_secret, OIDC_PROVIDER_NAME: 'Company', EXTERNAL_URL: address },
    })
    admin = await signIn(here.server)
    await makeUser(here.server, admin, 'rosa')
  })
  afterAll(() => {
    front.close()
  })

  test('at a provider: the page asked for opens, and the administrator sees where the account comes from', async () => {
    provider.users.set('olga', {
      ...{ email: 'olga@company.example', email_verified: true, preferred_username: 'olga' },
    })
    const { page } = await here.visit(`${address}/tools/image/resize`)
    await page.waitForSelector('#providers')
    expect(await violationsOn(page)).toEqual([])
    await page.click('text=Sign in with Company')
    await page.fill('[name=login]', 'olga')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${address}/tools/image/resize`)
    await page.waitForSelector('h1:has-text("Resize")')
    await page.goto(`${address}/account`)
    await page.waitForSelector('#who:has-text("olga (user)")')
    expect(await page.$('#own-password')).toBeNull()
    await page.context().close()

    const { page: own } = await here.visit(`${address}/admin/users`)
    await own.waitForSelector('#password')
    await signInOn(own, 'admin', PASSWORD)
    await own.waitForSelector('.user-list li:has-text("olga") .badge:has-text("OpenID Connect")')
    const source = await own.textContent('#sources li:has-text("OpenID Connect")')
    expect(source).toContain(`Company · ${provider.issuer} · creates users`)
    await own.click('text=Create token')
    const token = (await own.textContent('#sources .secret'))!
    expect((await call(here.server, 'GET', '/api/v1/scim/v2/Users', { token })).status).toBe(200)
    await own.waitForSelector('text=Revoke token')
    own.on('dialog', (dialog) => dialog.accept())
    await own.click('text=Revoke token')
    await own.waitForSelector('text=Revoke token', { state: 'detached' })
    expect((await call(here.server, 'GET', '/api/v1/scim/v2/Users', { token })).status).toBe(401)
    await own.context().close()
  })

  test('a refusal of the provider is said on the sign-in page', async () => {
    const { page } = await here.visit(`${address}/login`)
    await page.click('text=Sign in with Company')
    await page.waitForSelector('[name=login]')
    await page.keyboard.press('Enter')
    await page.$eval('form', (form) => (form as HTMLFormElement).submit())
    await page.waitForURL(/\/login\?error=/)
    await page.waitForSelector('#alert:not(:empty)')
    await page.context().close()
  })

  test('a session that an administrator ends meanwhile: the next action leads to the sign-in, and back', async () => {
    const { page } = await here.visit('admin/settings')
    await page.waitForSelector('#password')
    await signInOn(page, 'admin', PASSWORD)
    await page.waitForSelector('#setting-rateLimitPerUser')
    await page.fill('#setting-rateLimitPerUser', '5000')
    const sessions = (await call(here.server, 'GET', '/api/auth/sessions', { token: admin })).json.sessions
    for (const { id, isCurrent } of sessions)
      if (!isCurrent) await call(here.server, 'DELETE', `/api/auth/sessions/${id}`, { token: admin })
    await page.click('form.setting:has(#setting-rateLimitPerUser) [type=submit]')
    await page.waitForURL('**/login')
    expect((await call(here.server, 'GET', '/api/v1/settings/rateLimitPerUser', { token: admin })).status).toBe(404)
    await signInOn(page, 'admin', PASSWORD)
    await page.waitForURL('**/admin/settings')
    await page.waitForSelector('#setting-rateLimitPerUser')
    await page.context().close()
  })

  test('an account that is locked meanwhile is refused on the sign-in page, with the reason', async () => {
    const { page } = await here.visit('jobs')
    await page.waitForSelector('#password')
    await signInOn(page, 'rosa')
    await page.waitForURL('**/jobs')
    // The page has its answers: the click is the first request after the lock.
    await page.waitForSelector('text=No jobs yet')
    await page.waitForLoadState('networkidle')
    const { users } = (await call(here.server, 'GET', '/api/auth/users', { token: admin })).json
    const { id } = users.find(({ username }: { username: string }) => username === 'rosa')
    await call(here.server, 'PUT', `/api/auth/users/${id}`, { token: admin, body: { role: 'disabled' } })
    await page.click('a[href=account]')
    await page.waitForURL('**/login')
    await signInOn(page, 'rosa')
    await page.waitForSelector('#alert:not(:empty)')
    await page.context().close()
  })
})
