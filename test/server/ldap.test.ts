/** Sign-in with a real OpenLDAP server. */
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Ldap, type LdapOptions } from '../../src/accounts/sso/ldap.ts'
import { commonName, escapeFilter } from '../../src/accounts/sso/ldap-entries.ts'
import { selfSigned } from '../helpers/certificate.ts'
import { hasSlapd, LdapDirectory, SEARCHER, SUFFIX } from '../helpers/ldap-directory.ts'
import { useScene } from '../helpers/program.ts'
import { call, makeUser, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'

const PASSWORD = 'Directory-Secret-1'
const USERS = [
  { uid: 'olga', password: PASSWORD, mail: 'olga@company.example', groups: ['press', 'staff'] },
  { uid: 'enno', password: PASSWORD },
  { uid: 'lena', password: PASSWORD, mail: 'lena@company.example' },
  { uid: 'admin', password: PASSWORD, groups: ['press'] },
]

test('values in filters are escaped, and names read from DNs', () => {
  expect(escapeFilter('a*(b)\\\0ö')).toBe('a\\2a\\28b\\29\\5c\\00ö')
  expect(['cn=press,ou=groups', 'CN=a\\,b,ou=c', 'press', 'cn=x+uid=y,ou=c'].map(commonName)).toEqual([
    'press',
    'a,b',
    'press',
    'x',
  ])
})

/** A server that answers a StartTLS request of message 1, followed by what is given, and never encrypts. */
async function fakeDirectory(answer: Buffer): Promise<{ port: number; close: () => void }> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.write(answer))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() }
}

describe('a hostile directory', () => {
  // ExtendedResponse of message 1, success (RFC 4511, section 4.12).
  const ACCEPTED = Buffer.from('300c02010178070a010004000400', 'hex')
  // BindResponse of message 2, success, without its last byte.
  const BEFORE_TLS = Buffer.from('300c02010261070a0100040004', 'hex')
  const at = (port: number) => ({
    ...{ LDAP_ENABLED: 'true', LDAP_URL: `ldap://127.0.0.1:${port}`, LDAP_START_TLS: 'true', LDAP_USER_BASE: SUFFIX },
  })

  test.each([
    ['an answer before the encryption', Buffer.concat([ACCEPTED, BEFORE_TLS])],
    ['20,000 messages at once', Buffer.concat([ACCEPTED, ...Array.from({ length: 20_000 }, () => ACCEPTED)])],
    ['no LDAP', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['a message of 2 GB', Buffer.from('30847fffffff020101', 'hex')],
  ])('that sends %s signs nobody in, and the server continues', async (_, answer) => {
    const fake = await fakeDirectory(answer)
    const server = await serveHere({ environment: at(fake.port) })
    const body = { username: 'olga', password: PASSWORD }
    const { status, json } = await call(server, 'POST', '/api/auth/login', { body })
    expect([status, json.code]).toEqual([503, 'DIRECTORY_UNREACHABLE'])
    expect(await signIn(server)).toEqual(expect.any(String))
    fake.close()
  })
})

describe.skipIf(!hasSlapd)('with slapd (skipped: slapd is not installed)', () => {
  const here = useScene()
  let directory: LdapDirectory
  let server: ServerHere
  let admin: string

  const environment = (more: Record<string, string> = {}): Record<string, string> => ({
    ...{ LDAP_ENABLED: 'true', LDAP_URL: `ldap://localhost:${directory.ports.plain}`, LDAP_START_TLS: 'true' },
    ...{ LDAP_CA_CERTIFICATE: directory.tls.certificate, LDAP_BIND_DN: SEARCHER.dn },
    ...{ LDAP_BIND_PASSWORD: SEARCHER.password, LDAP_USER_BASE: `ou=people,${SUFFIX}` },
    ...{ LDAP_GROUP_BASE: `ou=groups,${SUFFIX}`, LDAP_ROLE_MAPPING: '{"press":"editor"}' },
    ...more,
  })
  const options = (more: Partial<LdapOptions> = {}): LdapOptions => ({
    ...{ url: `ldap://localhost:${directory.ports.plain}`, startTls: true, ca: directory.tls.certificate },
    ...{ bindDn: SEARCHER.dn, bindPassword: SEARCHER.password, userBase: SUFFIX, userFilter: '(uid={username})' },
    ...{ idAttribute: 'entryUUID', usernameAttribute: 'uid', emailAttribute: 'mail', groupsAttribute: '' },
    ...{ groupBase: `ou=groups,${SUFFIX}`, groupFilter: '(member={dn})', ...more },
  })

  beforeAll(async () => {
    directory = new LdapDirectory(USERS)
    await directory.start()
    server = await serveHere({ environment: environment() })
    admin = await signIn(server)
  })
  afterAll(() => directory.close())
  beforeEach(() => directory.start())

  const login = (username: string, password = PASSWORD, at = server) =>
    call(at, 'POST', '/api/auth/login', { body: { username, password } })

  test('creates an account with address and role, and finds it again', async () => {
    const first = await login('olga')
    expect([first.status, first.json.user]).toEqual([
      200,
      expect.objectContaining({ username: 'olga', role: 'editor' }),
    ])
    const { json } = await call(server, 'GET', '/api/auth/session', { token: first.json.token })
    expect(json.user).toMatchObject({
      ...{ authProvider: 'ldap', loginMethod: 'ldap', email: 'olga@company.example', hasLocalPassword: false },
    })
    // Names in a directory are case-insensitive.
    expect((await login('OLGA')).json.user.id).toBe(first.json.user.id)
    const log = await call(server, 'GET', '/api/v1/audit-log?action=LDAP_USER_CREATED', { token: admin })
    expect(log.json.total).toBe(1)
  })

  test('refuses a wrong password and an unknown user in the same words', async () => {
    const [wrong, unknown] = [await login('enno', 'wrong'), await login('nobody-here')]
    expect([wrong.status, wrong.json]).toEqual([401, expect.objectContaining({ code: 'INVALID_CREDENTIALS' })])
    expect(unknown.json.error).toBe(wrong.json.error)
  })

  test('a local account keeps its own password, and the one of the directory does not open it', async () => {
    expect((await login('admin')).status).toBe(401)
    await makeUser(server, admin, 'enno2')
    await directory.stop()
    expect(await signIn(server)).toEqual(expect.any(String))
    const away = await login('enno')
    expect([away.status, away.json.code]).toEqual([503, 'DIRECTORY_UNREACHABLE'])
  })

  test('the user confirms sensitive changes with the password of the directory, which cannot be changed here', async () => {
    const { token } = (await login('enno')).json
    const confirm = (password: string) => call(server, 'POST', '/api/auth/confirm', { token, body: { password } })
    expect([(await confirm('wrong')).json.code, (await confirm(PASSWORD)).status]).toEqual(['INVALID_PASSWORD', 200])
    const body = { currentPassword: PASSWORD, newPassword: 'Another-Secret-12' }
    const changed = await call(server, 'POST', '/api/auth/change-password', { token, body })
    expect(changed.json.code).toBe('OIDC_NO_PASSWORD')
  })

  test('a disabled account stays out, and enforced single sign-on asks the directory for nobody', async () => {
    const { id } = (await login('lena')).json.user
    await call(server, 'PUT', `/api/auth/users/${id}`, { token: admin, body: { role: 'disabled' } })
    expect((await login('lena')).json.code).toBe('USER_DISABLED')
  })

  test('ten wrong passwords lock the name for the network', async () => {
    for (let count = 0; count < 10; count++) await login('olga2', 'wrong')
    expect((await login('olga2', 'wrong')).json.code).toBe('RATE_LIMITED')
  })

  test.each([
    ['*', PASSWORD],
    ['olga)(uid=*', PASSWORD],
    ['ol*', PASSWORD],
    ['olga\0', PASSWORD],
    ['*)(objectClass=*', PASSWORD],
    ['olga', ''],
    ['olga', '\0'],
  ])('neither %j nor %j signs in', async (username, password) => {
    expect(await new Ldap(options()).authenticate(username, password)).toBeUndefined()
  })

  test('reads users over ldaps, with groups; two matches are none', async () => {
    const ldaps = { url: `ldaps://localhost:${directory.ports.tls}`, startTls: false }
    const user = await new Ldap(options(ldaps)).authenticate('olga', PASSWORD)
    expect(user).toMatchObject({ username: 'olga', email: 'olga@company.example' })
    expect(user!.subject).toMatch(/^[0-9a-f-]{36}$/)
    expect(user!.groups.sort()).toEqual(
      ['press', 'staff'].flatMap((name) => [`cn=${name},ou=groups,${SUFFIX}`, name]).sort(),
    )
    const all = new Ldap(options({ userFilter: '(|(uid={username})(uid=enno))' }))
    expect(await all.authenticate('olga', PASSWORD)).toBeUndefined()
  })

  test.each<[string, () => Partial<LdapOptions>]>([
    ['a certificate of another authority', () => ({ ca: selfSigned('localhost').certificate })],
    ['another name in the certificate', () => ({ url: `ldap://127.0.0.1:${directory.ports.plain}` })],
    ['a wrong password of the searching account', () => ({ bindPassword: 'wrong' })],
    ['no searching account', () => ({ bindDn: '' })],
    ['nothing at the address', () => ({ url: 'ldap://localhost:9' })],
  ])('%s is reported, and nobody signs in', async (_, more) => {
    await expect(new Ldap(options(more())).authenticate('olga', PASSWORD)).rejects.toMatchObject({
      code: 'DIRECTORY_UNREACHABLE',
    })
  })

  test('sso-check reports what works and what does not', async () => {
    const good = await here.start(['admin', 'sso-check'], { environment: environment() })
    expect([good.code, good.stdout]).toEqual([0, expect.stringContaining(`Search for users: ou=people,${SUFFIX}`)])
    const bad = await here.start(['admin', 'sso-check'], { environment: environment({ LDAP_BIND_PASSWORD: 'x' }) })
    expect([bad.code === 0, bad.stderr]).toEqual([false, expect.stringContaining('LDAP_BIND_DN')])
    expect(`${bad.stdout}${bad.stderr}`).not.toContain(SEARCHER.password)
  })

  test.each<[Record<string, string>, string]>([
    [{ LDAP_URL: 'ldap://ldap.example', LDAP_START_TLS: 'false' }, 'in clear'],
    [{ LDAP_URL: 'https://ldap.example' }, 'LDAP_URL'],
    [{ LDAP_BIND_PASSWORD: '' }, 'belong together'],
    [{ LDAP_USER_BASE: '' }, 'LDAP_USER_BASE'],
    [{ LDAP_USER_FILTER: 'uid=x' }, 'LDAP_USER_FILTER'],
    [{ LDAP_DEFAULT_ROLE: 'admin' }, 'LDAP_DEFAULT_ROLE'],
  ])('%j is refused at the start', async (more, words) => {
    await expect(serveHere({ environment: environment(more) })).rejects.toThrow(words)
  })
})
