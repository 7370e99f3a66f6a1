/** Journeys of administrators: users, roles, teams, settings, the audit log and usage. */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Console, chromiumPath, openConsole, signInOn, violationsOn } from '../../helpers/console-page.ts'
import { plain } from '../../helpers/picture.ts'
import { call, makeUser, PASSWORD, send, signIn } from '../../helpers/server.ts'

const PARTS = ['', 'users', 'teams', 'roles', 'settings', 'branding', 'models', 'audit', 'usage', 'health']

describe.skipIf(!chromiumPath)('an administrator', () => {
  let here: Console
  let admin: string

  beforeAll(async () => {
    here = await openConsole()
    admin = await signIn(here.server)
    await makeUser(here.server, admin, 'berta')
    const picture = { name: 'a.png', bytes: await plain(20, 10, '#ff0000').png().toBuffer() }
    const run = [
      ['file', picture],
      ['settings', '{"width":4}'],
    ] as const
    await send(here.server, '/api/v1/tools/image/resize', run, admin)
  })

  async function open(path: string, username = 'admin', password = PASSWORD): Promise<Page> {
    const { page } = await here.visit(path)
    await page.waitForSelector('#password')
    await signInOn(page, username, password)
    await page.waitForURL((url) => url.pathname === `/${path}`)
    await page.waitForSelector('h1')
    return page
  }
  const get = async (path: string, token = admin) => call(here.server, 'GET', path, { token })
  const userNamed = async (name: string) =>
    (await get('/api/auth/users')).json.users.find(({ username }: { username: string }) => username === name)

  test('creates a user, who must change the password and sees no pages of administrators', async () => {
    const page = await open('admin/users')
    await page.click('text=New user')
    await page.fill('#new-user [name=username]', 'carla')
    const password = await page.inputValue('#new-user [name=password]')
    expect(password).toMatch(/^.{20}$/)
    await page.selectOption('#new-user [name=team]', 'Default')
    await page.fill('#new-user [name=email]', 'carla@company.example')
    await page.click('#new-user [type=submit]')
    expect(await page.textContent('.once .secret')).toBe(password)
    expect(await violationsOn(page)).toEqual([])
    expect(await userNamed('carla')).toMatchObject({ role: 'user', email: 'carla@company.example' })
    await page.context().close()

    const { page: own } = await here.visit('login')
    await signInOn(own, 'carla', password)
    await own.fill('#change [name=newPassword]', PASSWORD)
    await own.click('#change button')
    await own.waitForSelector('.tool-card')
    expect(await own.$('a[href=admin]')).toBeNull()
    await own.goto(`${here.server.base}/admin/users`)
    await own.waitForSelector('h1:has-text("Your role does not include this page.")')
    const statuses = await own.evaluate(() =>
      Promise.all(
        ['api/auth/users', 'api/v1/admin/settings', 'api/v1/roles', 'api/v1/admin/usage'].map(
          async (path) => (await fetch(path)).status,
        ),
      ),
    )
    expect(statuses).toEqual([403, 403, 403, 403])
    await own.context().close()
  })

  test('refusals of the server are shown where the action is', async () => {
    const page = await open('admin/users')
    await page.click('text=New user')
    await page.fill('#new-user [name=username]', 'Berta')
    await page.click('#new-user [type=submit]')
    await page.waitForSelector('#new-user [role=alert]:has-text("The user name is taken")')
    await page.fill('#new-user [name=username]', 'bruno')
    await page.fill('#new-user [name=password]', 'short')
    await page.click('#new-user [type=submit]')
    await page.waitForSelector('#new-user [role=alert]:has-text("at least 8 are needed")')
    expect(await userNamed('bruno')).toBeUndefined()
    await page.context().close()
  })

  test('locks, unlocks, resets, ends sessions of and deletes a user; the own account is protected', async () => {
    const token = await makeUser(here.server, admin, 'doris')
    const status = async () => (await get('/api/auth/session', token)).status
    const page = await open('admin/users')
    await page.fill('input[type=search]', 'DORIS')
    await page.click('[aria-label="Manage doris"]')
    await page.click('text=End all')
    await page.waitForSelector('text=1 session', { state: 'detached' })
    expect(await status()).toBe(401)
    await page.click('.actions >> text="Lock"')
    await page.waitForSelector('text=Unlock')
    expect((await userNamed('doris')).role).toBe('disabled:user')
    await page.selectOption('#edit-user [name=role]', 'admin')
    await page.click('#edit-user [type=submit]')
    await expect.poll(async () => (await userNamed('doris')).role).toBe('disabled:admin')
    await page.selectOption('#edit-user [name=role]', 'user')
    await page.click('#edit-user [type=submit]')
    await expect.poll(async () => (await userNamed('doris')).role).toBe('disabled:user')
    await page.click('text=Unlock')
    await page.waitForSelector('.actions >> text="Lock"')
    expect((await userNamed('doris')).role).toBe('user')
    await page.selectOption('#edit-user [name=role]', 'editor')
    await page.click('#edit-user [type=submit]')
    await page.waitForSelector('.modal >> text=Saved.')
    expect((await userNamed('doris')).role).toBe('editor')
    await page.click('text=Reset password')
    const password = await page.inputValue('#reset-password [name=newPassword]')
    await page.click('#reset-password [type=submit]')
    expect(await page.textContent('.once .secret')).toBe(password)
    const body = { username: 'doris', password }
    const login = await call(here.server, 'POST', '/api/auth/login', { body })
    expect([login.status, login.json.user.mustChangePassword]).toEqual([200, true])
    await page.click('.actions >> text="Delete"')
    const submit = '.typed-confirm [type=submit]'
    await page.fill('.typed-confirm [name=typed]', 'dori')
    expect(await page.isDisabled(submit)).toBe(true)
    await page.fill('.typed-confirm [name=typed]', 'doris')
    await page.click(submit)
    await page.waitForSelector('dialog', { state: 'detached' })
    expect(await userNamed('doris')).toBeUndefined()
    await page.fill('input[type=search]', 'admin')
    await page.click('[aria-label="Manage admin"]')
    await page.waitForSelector('.modal >> text=This is your account.')
    const actions = await page.$$eval('.actions button', (buttons) => buttons.map(({ textContent }) => textContent))
    expect([actions, await page.isDisabled('#edit-user [name=role]')]).toEqual([[], true])
    await page.context().close()
  })

  test('a long list has pages, is searched whole, and is found by the palette', async () => {
    for (let at = 10; at < 36; at += 1) {
      const body = { username: `many${at}`, password: PASSWORD }
      expect((await call(here.server, 'POST', '/api/auth/register', { token: admin, body })).status).toBe(201)
    }
    const page = await open('admin')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('users')
    await page.waitForSelector('[role=option][aria-selected=true]:has-text("Users")')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/admin/users')
    await page.waitForSelector('.user-list li')
    const names = () => page.$$eval('.user-list strong', (list) => list.map(({ textContent }) => textContent))
    const first = await names()
    await page.click('text=Next')
    const second = await names()
    const { users } = (await get('/api/auth/users')).json as { users: { username: string; isService?: true }[] }
    const people = users.filter(({ isService }) => !isService).map(({ username }) => username)
    expect([first.length, [...first, ...second].sort()]).toEqual([25, people.sort()])
    await page.fill('input[type=search]', 'many35')
    await expect.poll(names).toEqual(['many35'])
    await page.context().close()
  })

  test('a change that needs a confirmation asks for it, and continues', async () => {
    const page = await open('admin/users')
    await page.click('[aria-label="Manage berta"]')
    let isFirst = true
    await page.route('**/api/auth/users/*', async (route) => {
      if (route.request().method() !== 'PUT' || !isFirst) return route.continue()
      isFirst = false
      return route.fulfill({ status: 403, json: { error: 'Confirm', code: 'CONFIRMATION_REQUIRED' } })
    })
    await page.fill('#edit-user [name=email]', 'berta@company.example')
    await page.click('#edit-user [type=submit]')
    await page.fill('#confirm [name=password]', PASSWORD)
    await page.click('#confirm [type=submit]')
    await page.waitForSelector('.modal >> text=Saved.')
    expect((await userNamed('berta')).email).toBe('berta@company.example')
    await page.context().close()
  })

  test('a service account gets a key that works, is shown once, and is refused after a lock', async () => {
    const page = await open('admin/users')
    await page.click('text=New service account')
    await page.fill('#new-service [name=name]', 'build-server')
    await page.click('#new-service [type=submit]')
    await page.click('#service-key [type=submit]')
    const key = (await page.textContent('.once .secret'))!
    expect((await get('/api/v1/tools', key)).status).toBe(200)
    await page.click('.actions >> text="Lock"')
    await page.waitForSelector('.actions >> text="Unlock"')
    expect((await get('/api/v1/tools', key)).status).toBe(403)
    await page.keyboard.press('Escape')
    await page.click('#service-accounts [aria-label="Manage build-server"]')
    await page.waitForSelector('.modal .rows [aria-label^="Remove the API key"]')
    expect(await page.$('.once')).toBeNull()
    await page.context().close()
  })

  test('a role of one tool: its users see and run that tool alone', async () => {
    const page = await open('admin/roles')
    await page.click('text=New role')
    await page.fill('#role [name=name]', 'sizer')
    await page.check('#role [name=tools][value=tool]')
    await page.fill('#role [type=search]', 'resize')
    await page.check('#role .nested [value=resize]')
    await page.click('#role [type=submit]')
    await page.waitForSelector('[aria-label="Edit the role sizer"]')
    const roles = (await get('/api/v1/roles')).json.roles as { name: string }[]
    expect(roles.find(({ name }) => name === 'sizer')).toMatchObject({
      permissions: ['tools:use', 'files:own'],
      toolPermissions: { mode: 'tool', allowed: ['resize'] },
    })
    await page.click('[aria-label="View the role admin"]')
    await page.waitForSelector('.modal >> text=Built-in roles cannot be changed.')
    expect(await page.$$eval('.modal input:not([disabled])', (inputs) => inputs.length)).toBe(0)
    await page.context().close()

    await makeUser(here.server, admin, 'siri', 'sizer')
    const own = await open('tools/image/resize', 'siri')
    const picture = { name: 'a.png', mimeType: 'image/png', buffer: await plain(20, 10, '#ff0000').png().toBuffer() }
    await own.setInputFiles('input[type=file]', picture)
    await own.fill('#setting-width', '6')
    await own.click('button.run')
    await own.waitForSelector('text=1 done')
    await own.click('.brand')
    await own.waitForSelector('.tool-card')
    const links = await own.$$eval('.tool-card', (cards) => cards.map((card) => card.getAttribute('href')))
    expect(links.filter((link) => link?.endsWith('/crop'))).toEqual([])
    expect(links).toContain('tools/image/resize')
    await own.context().close()
  })

  test('a team: created, its member moved in and out, deleted', async () => {
    const page = await open('admin/teams')
    await page.click('text=New team')
    await page.fill('#team [name=name]', 'Press')
    await page.fill('#team [name=quota]', '1.5')
    await page.click('#team [type=submit]')
    await page.click('[aria-label="Manage Press"]')
    await page.fill('#add-member [name=username]', 'berta')
    await page.click('#add-member [type=submit]')
    await page.waitForSelector('[aria-label="Remove berta from the team"]')
    expect((await userNamed('berta')).team).toBe('Press')
    expect((await get('/api/v1/teams')).json.teams).toContainEqual(
      expect.objectContaining({ name: 'Press', storageQuota: 1_500_000_000, memberCount: 1 }),
    )
    page.on('dialog', (dialog) => dialog.accept())
    await page.click('.modal >> text="Delete"')
    await page.waitForSelector('#team [role=alert]:not(:empty)')
    await page.click('[aria-label="Remove berta from the team"]')
    await page.waitForSelector('[aria-label="Remove berta from the team"]', { state: 'detached' })
    await page.click('.modal >> text="Delete"')
    await page.waitForSelector('dialog', { state: 'detached' })
    expect((await get('/api/v1/teams')).json.teams.map(({ name }: { name: string }) => name)).toEqual(['Default'])
    await page.context().close()
  })

  test('a setting: refused next to its field, saved, effective, and back to its default', async () => {
    const page = await open('admin/settings')
    const row = (name: string): string => `form.setting:has(#setting-${name})`
    await page.fill('#setting-passwordMinLength', 'twelve')
    await page.click(`${row('passwordMinLength')} [type=submit]`)
    await page.waitForSelector('#setting-passwordMinLength-fault:has-text("does not fit")')
    expect(await violationsOn(page)).toEqual([])
    await page.fill('#setting-passwordMinLength', '12')
    await page.click(`${row('passwordMinLength')} [type=submit]`)
    await page.waitForSelector(`${row('passwordMinLength')} >> text=Saved.`)
    const value = async (name: string) => (await get(`/api/v1/settings/${name}`)).json.value
    expect(await value('passwordMinLength')).toBe('12')
    await page.click(`${row('passwordMinLength')} >> text=Use the default`)
    await page.waitForSelector(`${row('passwordMinLength')} >> text=The default is used.`)
    expect([await value('passwordMinLength'), await page.inputValue('#setting-passwordMinLength')]).toEqual([
      undefined,
      '8',
    ])
    await page.fill('#setting-disabledTools', 'crop\nblur-faces')
    await page.click(`${row('disabledTools')} [type=submit]`)
    await page.waitForSelector(`${row('disabledTools')} >> text=Saved.`)
    expect(await value('disabledTools')).toBe('["crop","blur-faces"]')
    await page.click(`${row('disabledTools')} >> text=Use the default`)
    await page.waitForSelector(`${row('disabledTools')} >> text=The default is used.`)
    await page.fill('#setting-ipAllowList', '10.1.2.3')
    await page.click(`${row('ipAllowList')} [type=submit]`)
    await page.waitForSelector('#setting-ipAllowList-fault:has-text("your own address")')
    await page.context().close()
  })

  test('the audit log is filtered and exported', async () => {
    const page = await open('admin/audit')
    await page.waitForSelector('#audit-filters option[value=TEAM_CREATED]', { state: 'attached' })
    await page.selectOption('#audit-filters [name=action]', 'USER_CREATED')
    await page.click('#audit-filters [type=submit]')
    await page.waitForFunction(() =>
      [...document.querySelectorAll('.audit-list strong')].every(({ textContent }) => textContent === 'User created'),
    )
    const { total } = (await get('/api/v1/audit-log?action=USER_CREATED')).json
    expect(await page.$$eval('.audit-list strong', (list) => list.length)).toBe(total)
    const saved = page.waitForEvent('download')
    await page.click('text=Export JSON')
    const stream = await (await saved).createReadStream()
    const chunks: Buffer[] = []
    for await (const chunk of stream) chunks.push(chunk as Buffer)
    const entries = JSON.parse(Buffer.concat(chunks).toString()) as { action: string }[]
    expect([entries.length, new Set(entries.map(({ action }) => action))]).toEqual([total, new Set(['USER_CREATED'])])
    await page.fill('#audit-filters [name=ip]', '192.0.2.1')
    await page.click('#audit-filters [type=submit]')
    await page.waitForSelector('text=0 entries')
    await page.context().close()
  })

  test('usage has the figures of the API as bars and as tables; health has those of the server', async () => {
    const page = await open('admin/usage')
    await page.waitForSelector('.chart')
    const { jobsPerDay } = (await get('/api/v1/admin/usage')).json
    const { total, completed } = jobsPerDay.at(-1)
    const heights = await page.$$eval('.chart .bar:not(.bad)', (bars) => bars.map((bar) => bar.getAttribute('height')))
    expect(heights).toHaveLength(30)
    expect(heights.slice(0, -1).every((height) => height === '0')).toBe(true)
    expect(Number(heights.at(-1))).toBeGreaterThan(0.5)
    await page.click('text=Show as a table')
    const cells = await page.$$eval('details tbody tr:last-child td', (list) => list.map((one) => one.textContent))
    expect([cells[0], cells[2]]).toEqual([String(completed), String(total)])
    await page.click('.admin-nav a[href="admin/health"]')
    await page.waitForSelector('#readiness:has-text("healthy")')
    await page.waitForSelector('#log-level:not([disabled])')
    await page.selectOption('#log-level', 'error')
    await expect.poll(async () => (await get('/api/v1/admin/log-level')).json.level).toBe('error')
    await page.selectOption('#log-level', 'silent')
    await expect.poll(async () => (await get('/api/v1/admin/log-level')).json.level).toBe('silent')
    const saved = page.waitForEvent('download')
    await page.click('text=Support bundle >> nth=0')
    expect((await saved).suggestedFilename()).toBe('mediaproc-support.zip')
    await page.context().close()
  })

  test('an auditor sees the pages of the role only, and no button for others', async () => {
    const body = { name: 'auditor', permissions: ['tools:use', 'audit:read'] }
    await call(here.server, 'POST', '/api/v1/roles', { token: admin, body })
    await makeUser(here.server, admin, 'otto', 'auditor')
    const page = await open('admin', 'otto')
    const links = await page.$$eval('.admin-nav a', (list) => list.map((link) => link.getAttribute('href')))
    expect(links).toEqual(['admin', 'admin/roles', 'admin/audit', 'admin/usage'])
    await page.click('.admin-nav a[href="admin/roles"]')
    await page.waitForSelector('[aria-label="View the role admin"]')
    expect(await page.$('text=New role')).toBeNull()
    await page.context().close()
  })

  test.each(PARTS)('the page admin/%s keeps the rules of accessibility, light, dark and narrow', async (part) => {
    const page = await open(part ? `admin/${part}` : 'admin')
    await page.waitForLoadState('networkidle')
    const found: Record<string, string[]> = { light: await violationsOn(page) }
    await page.emulateMedia({ colorScheme: 'dark' })
    found.dark = await violationsOn(page)
    await page.setViewportSize({ width: 360, height: 740 })
    found.narrow = await violationsOn(page)
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect([found, overflow]).toEqual([{ light: [], dark: [], narrow: [] }, 0])
    await page.context().close()
  })
})
