/** Signing in with a SAML identity provider over HTTP, and what an attacker tries. */
import { X509Certificate } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { Browser } from '../helpers/browser.ts'
import { selfSigned } from '../helpers/certificate.ts'
import { IDP, type ResponseParts, SamlProvider, SSO_URL } from '../helpers/saml-provider.ts'
import { call, makeUser, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'

const PUBLIC = 'https://media.example'
const LOGIN = `${PUBLIC}/api/auth/saml/login`
const CALLBACK = `${PUBLIC}/api/auth/saml/callback`
const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'

const ours = selfSigned('media.example')
let idp: SamlProvider
let server: ServerHere
let admin: string

const environmentOf = (more: Record<string, string> = {}) => ({
  ...{
    SAML_ENABLED: 'true',
    SAML_IDP_SSO_URL: SSO_URL,
    SAML_IDP_CERTIFICATE: idp.own.certificate,
    EXTERNAL_URL: PUBLIC,
  },
  ...{
    SAML_PRIVATE_KEY: ours.key,
    SAML_CERTIFICATE: ours.certificate.replaceAll('\n', '\\n'),
    SAML_SIGN_REQUESTS: 'true',
  },
  ...{ SAML_ROLE_MAPPING: '{"press":"editor"}', SAML_AUTO_LINK_USERS: 'true', SAML_PROVIDER_NAME: 'Company' },
  ...more,
})

const FAILED = '/login?error=saml_auth_failed'

const METADATA = `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${PUBLIC}/api/auth/saml/metadata"><SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><AssertionConsumerService index="1" Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${CALLBACK}"/></SPSSODescriptor></EntityDescriptor>`

beforeAll(async () => {
  const first = new SamlProvider(METADATA)
  idp = first
  server = await serveHere({ environment: environmentOf() })
  admin = await signIn(server)
  const metadata = await call(server, 'GET', '/api/auth/saml/metadata')
  idp = new SamlProvider(metadata.bytes.toString())
  Object.assign(idp.own, first.own)
})

const browserFor = (at = server) => new Browser({ [PUBLIC]: at.base })
const tokenOf = (browser: Browser) => browser.cookies.get(PUBLIC)?.get('mediaproc-session')
const session = async (token: string | undefined) =>
  (await call(server, 'GET', '/api/auth/session', { token: token ?? 'none' })).json

/** Begins a sign-in; gives the browser and the id of the request. */
async function begin(browser = browserFor()) {
  const page = await browser.visit(LOGIN)
  const { request } = await idp.request(page.headers.get('location')!)
  return { browser, id: request.id, url: page.headers.get('location')! }
}

/** Sends a response as the page of the provider does; gives where the browser is sent. */
async function post(browser: Browser, xml: string, relay = ''): Promise<string> {
  const form = { SAMLResponse: Buffer.from(xml).toString('base64'), RelayState: relay }
  return (await browser.visit(CALLBACK, { form })).headers.get('location') ?? 'none'
}

async function enter(parts: Partial<ResponseParts> = {}, browser = browserFor()) {
  const { id } = await begin(browser)
  const location = await post(browser, await idp.respond(id, parts))
  return { browser, location, token: tokenOf(browser) }
}

test('the provider limits the session', async () => {
  const { token } = await enter({ sessionEnds: 600 })
  const { sessions } = (await call(server, 'GET', '/api/auth/sessions', { token: token! })).json
  const left = (Date.parse(sessions[0].expiresAt) - Date.now()) / 1000
  expect([left > 500, left <= 600]).toEqual([true, true])
  expect((await enter({ sessionEnds: -60 })).location).toBe(FAILED)
  expect((await enter({ sessionEnds: 30 * 86_400 })).location).toBe('/')
})

describe('signing in', () => {
  test('the metadata name what the provider needs; requests are signed', async () => {
    const { bytes, headers } = await call(server, 'GET', '/api/auth/saml/metadata')
    expect(headers.get('content-type')).toBe('application/xml; charset=utf-8')
    expect(idp.service).toEqual({ entityId: `${PUBLIC}/api/auth/saml/metadata`, callback: CALLBACK })
    expect(bytes.toString()).toContain(new X509Certificate(ours.certificate).raw.toString('base64').slice(0, 60))
    expect(bytes.toString()).toContain('WantAssertionsSigned="true"')
    const { url } = await begin()
    const query = new URL(url).searchParams
    expect([url.startsWith(SSO_URL), query.get('SigAlg')]).toEqual([
      true,
      'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    ])
    const { createVerify } = await import('node:crypto')
    const [, signed] = /\?(SAMLRequest=.*)&Signature=/.exec(url)!
    expect(createVerify('sha256').update(signed!).verify(ours.certificate, query.get('Signature')!, 'base64')).toBe(
      true,
    )
  })

  test('makes an account once, with name, address and role from the assertion', async () => {
    const attributes = { groups: ['staff', 'press'], displayName: ['Olga'] }
    const { location, token } = await enter({ attributes })
    const { user } = await session(token)
    expect([location, user]).toEqual([
      '/',
      expect.objectContaining({
        ...{
          username: 'olga',
          role: 'editor',
          email: 'olga@company.example',
          authProvider: 'saml',
          loginMethod: 'saml',
        },
        hasLocalPassword: false,
      }),
    ])
    expect((await session((await enter({ attributes })).token)).user.id).toBe(user.id)
    expect((await call(server, 'GET', '/api/v1/config/auth')).json).toMatchObject({
      ...{ samlEnabled: true, samlProviderName: 'Company', samlLoginUrl: '/api/auth/saml/login' },
    })
    const { json } = await call(server, 'GET', '/api/v1/audit-log?action=SAML_USER_CREATED', { token: admin })
    expect(json.total).toBe(1)
  })

  test('encrypted assertions are taken, signed within and without', async () => {
    const { location, token } = await enter({ encrypts: true, nameId: 'enno', nameIdFormat: PERSISTENT })
    expect([location, (await session(token)).user.username]).toEqual(['/', 'enno'])
    const unsigned = await enter({ encrypts: true, signsAssertion: false })
    expect(unsigned.location).toBe('/login?error=saml_auth_failed')
  })

  test('an account with the same address is linked, and a disabled one stays out', async () => {
    await makeUser(server, admin, 'lena')
    const { users } = (await call(server, 'GET', '/api/auth/users', { token: admin })).json
    const { id } = users.find(({ username }: { username: string }) => username === 'lena')
    const put = (body: object) => call(server, 'PUT', `/api/auth/users/${id}`, { token: admin, body })
    await put({ email: 'lena@company.example' })
    const parts = { nameId: 'L-1', nameIdFormat: PERSISTENT, attributes: { email: ['Lena@company.example'] } }
    expect((await session((await enter(parts)).token)).user).toMatchObject({ id, role: 'user', hasLocalPassword: true })
    await put({ role: 'disabled' })
    expect((await enter(parts)).location).toBe('/login?error=saml_user_not_authorized')
  })
})

describe('attacks', () => {
  /** A response that is changed after it was signed. */
  async function changed(change: (xml: string) => string, parts: Partial<ResponseParts> = {}): Promise<string> {
    const { browser, id } = await begin()
    const location = await post(browser, change(await idp.respond(id, parts)))
    expect(tokenOf(browser)).toBeUndefined()
    return location
  }

  /** The pieces of a signed response. */
  function pieces(xml: string) {
    const assertion = /<saml:Assertion[\s\S]*<\/saml:Assertion>/.exec(xml)![0]
    const signature = /<ds:Signature[\s\S]*?<\/ds:Signature>/.exec(assertion)![0]
    const evil = assertion
      .replace(signature, '')
      .replace(/ID="_a/, 'ID="_evil')
      .replace('olga@company.example', 'root@company.example')
    const id = /ID="(_a[^"]+)"/.exec(assertion)![1]!
    return { assertion, signature, evil, id }
  }
  const withSignature = (evil: string, signature: string) =>
    evil.replace('</saml:Issuer>', `</saml:Issuer>${signature}`)

  /** The eight of Somorovsky et al., "On Breaking SAML" (2012), of a signed assertion; the signature itself stays valid. */
  const WRAPPINGS: Record<string, (xml: string) => string> = {
    'XSW1: the signed response within the signature of another': (xml) => {
      const outer = /<ds:Signature[\s\S]*?<\/ds:Signature>/.exec(xml)![0]
      const evil = xml.replace(
        outer,
        outer.replace('</ds:Signature>', `<ds:Object>${xml.replace(outer, '')}</ds:Object></ds:Signature>`),
      )
      return evil.replace(/ID="_r/, 'ID="_evil').replace('olga@company.example', 'root@company.example')
    },
    'XSW2: the signed response beside the signature': (xml) => {
      const outer = /<ds:Signature[\s\S]*?<\/ds:Signature>/.exec(xml)![0]
      const inner = xml.replace(outer, '')
      return xml
        .replace(outer, `${outer}${inner}`)
        .replace(/ID="_r/, 'ID="_evil')
        .replace(/olga@company\.example(?![\s\S]*olga)/, 'root@company.example')
    },
    'XSW3: an evil assertion before the signed one': (xml) => {
      const { assertion, evil } = pieces(xml)
      return xml.replace(assertion, evil + assertion)
    },
    'XSW4: the signed assertion within the evil one': (xml) => {
      const { assertion, evil } = pieces(xml)
      return xml.replace(assertion, evil.replace('</saml:Assertion>', `${assertion}</saml:Assertion>`))
    },
    'XSW5: the signature in the evil assertion, the signed one after it': (xml) => {
      const { assertion, signature, evil } = pieces(xml)
      return xml.replace(assertion, withSignature(evil, signature) + assertion.replace(signature, ''))
    },
    'XSW6: the signed assertion within the signature in the evil one': (xml) => {
      const { assertion, signature, evil } = pieces(xml)
      const stuffed = signature.replace('</ds:Signature>', `${assertion.replace(signature, '')}</ds:Signature>`)
      return xml.replace(assertion, withSignature(evil, stuffed))
    },
    'XSW7: an evil assertion within extensions': (xml) => {
      const { assertion, evil } = pieces(xml)
      return xml.replace(assertion, `<samlp:Extensions>${evil}</samlp:Extensions>${assertion}`)
    },
    'XSW8: the signed assertion as an object of the signature in the evil one': (xml) => {
      const { assertion, signature, evil } = pieces(xml)
      const object = `<ds:Object>${assertion.replace(signature, '')}</ds:Object>`
      return xml.replace(
        assertion,
        withSignature(evil, signature.replace('</ds:Signature>', `${object}</ds:Signature>`)),
      )
    },
  }

  test.each(Object.keys(WRAPPINGS))('%s', async (name) => {
    expect(await changed(WRAPPINGS[name]!)).toBe(FAILED)
    // Where the provider itself signs a wrapped assertion, the signature of the assertion must still be that of its own.
    const { browser, id } = await begin()
    const xml = await idp.respond(
      id,
      {},
      name.startsWith('XSW1') || name.startsWith('XSW2') ? undefined : WRAPPINGS[name],
    )
    const location = await post(browser, xml)
    const user = tokenOf(browser) ? (await session(tokenOf(browser))).user : undefined
    expect([location === '/' || location === FAILED, user?.email ?? 'olga@company.example']).toEqual([
      true,
      'olga@company.example',
    ])
  })

  test.each([
    ['a name that was changed', (xml: string) => xml.replace('olga@', 'root@')],
    [
      'a comment in the name',
      (xml: string) => xml.replace('olga@company.example', 'olga@company.example<!-- -->.evil.example'),
    ],
    ['a part of the name as a comment', (xml: string) => xml.replace('olga@company', '<!--olga@-->root@company')],
    ['no signature at all', (xml: string) => xml.replace(/<ds:Signature[\s\S]*?<\/ds:Signature>/g, '')],
    ['the outer signature alone', (xml: string) => xml.replace(pieces(xml).signature, '')],
    [
      'a transform too many',
      (xml: string) =>
        xml.replaceAll(
          '</ds:Transforms>',
          '<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xslt-19991116"/></ds:Transforms>',
        ),
    ],
    ['no id', (xml: string) => xml.replace(/ ID="_r[^"]*"/, '')],
    ['an id twice', (xml: string) => xml.replace('<samlp:Status>', `<samlp:Status ID="${pieces(xml).id}">`)],
    ['two answers to two requests', (xml: string) => xml.replace(/InResponseTo="[^"]*"/, 'InResponseTo="x" $&')],
    [
      'an entity from outside',
      (xml: string) => `<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>${xml.replace('olga@', '&x;@')}`,
    ],
    [
      'a bomb of entities',
      (xml: string) => {
        const levels = Array.from({ length: 30 }, (_, level) => `<!ENTITY e${level + 1} "${`&e${level};`.repeat(10)}">`)
        return `<!DOCTYPE r [<!ENTITY e0 "x">${levels.join('')}]>${xml.replace('olga@', '&e30;@')}`
      },
    ],
    [
      'XML in XML without end',
      (xml: string) => xml.replace('<samlp:Status>', `${'<a>'.repeat(20_000)}${'</a>'.repeat(20_000)}<samlp:Status>`),
    ],
    ['what is no XML', () => 'not xml'],
    ['nothing', () => ''],
  ] as const)('%s', async (_name, change) => {
    expect(await changed(change)).toBe(FAILED)
  })

  test('signatures of others, with weak sums, or missing on one of the two', async () => {
    const other = selfSigned('idp.example')
    expect(await changed((xml) => xml, { signer: other })).toBe(FAILED)
    expect(await changed((xml) => xml, { signsResponse: false })).toBe(FAILED)
    expect(await changed((xml) => xml, { signsAssertion: false })).toBe(FAILED)
    expect(await changed((xml) => xml, { algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' })).toBe(FAILED)
  })

  test('SHA-1 in any place: escaped, in the assertion alone, and where the assertion is encrypted', async () => {
    const SHA1 = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1'
    const weak = async (parts: Partial<ResponseParts>, change = (xml: string) => xml) => {
      const { browser, id } = await begin()
      return post(browser, change(await idp.respond(id, parts)))
    }
    expect(await weak({ algorithm: SHA1 }, (xml) => xml.replaceAll('rsa-sha1', 'rsa-&#115;ha1'))).toBe(FAILED)
    expect(await weak({ assertionAlgorithm: SHA1 })).toBe(FAILED)
    expect(await weak({ assertionAlgorithm: SHA1, encrypts: true })).toBe(FAILED)
    expect(await weak({ encrypts: true })).toBe('/')
  })

  test('a response that says of itself what the assertion does not', async () => {
    const altered = async (change: (xml: string) => string) => {
      const { browser, id } = await begin()
      return post(browser, await idp.respond(id, {}, change))
    }
    const success = 'status:Success'
    const at = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString()
    const issued = (seconds: number) => (xml: string) =>
      xml.replace(/IssueInstant="[^"]*"/, `IssueInstant="${at(seconds)}"`)
    expect(await altered((xml) => xml.replace(success, 'status:Responder'))).toBe(FAILED)
    expect(await altered((xml) => xml.replace(/<samlp:Status>.*<\/samlp:Status>/, ''))).toBe(FAILED)
    expect(await altered((xml) => xml.replace(IDP, 'https://other.example/metadata'))).toBe(FAILED)
    expect(await altered(issued(-3600))).toBe(FAILED)
    expect(await altered(issued(3600))).toBe(FAILED)
    expect(await altered(issued(20))).toBe('/')
    expect(await altered((xml) => xml.replace(/IssueInstant="[^"]*"/, 'IssueInstant="soon"'))).toBe(FAILED)
  })

  test('from another identity provider than the configured one', async () => {
    const wrong = await serveHere({ environment: environmentOf({ SAML_IDP_ENTITY_ID: 'https://other.example' }) })
    const right = await serveHere({ environment: environmentOf({ SAML_IDP_ENTITY_ID: IDP }) })
    for (const [at, end] of [
      [wrong, FAILED],
      [right, '/'],
    ] as const) {
      const browser = new Browser({ [PUBLIC]: at.base })
      const { id } = await begin(browser)
      expect(await post(browser, await idp.respond(id))).toBe(end)
    }
  })

  test('for another audience, recipient, address or request; not yet, not any more', async () => {
    const cases: Partial<ResponseParts>[] = [
      { audience: 'https://other.example' },
      { recipient: 'https://other.example/callback' },
      { destination: 'https://other.example/callback' },
      { inResponseTo: '_no-request-of-ours' },
      { notBefore: 120 },
      { ends: -60 },
      { issued: -3600 },
      { nameId: '' },
      { nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' },
    ]
    for (const parts of cases) expect([parts, (await enter(parts)).location]).toEqual([parts, FAILED])
    // Within the tolerance of the clocks.
    expect((await enter({ notBefore: 15, ends: 60 })).location).toBe('/')
    expect((await enter({ ends: -15 })).location).toBe('/')
  })

  test('a response is taken once, by the browser that asked, and only for a request of this server', async () => {
    const { browser, id } = await begin()
    const cookie = new Map(browser.cookies.get(PUBLIC)!)
    const xml = await idp.respond(id)
    expect(await post(browser, xml)).toBe('/')
    const again = browserFor()
    again.cookies.set(PUBLIC, cookie)
    expect(await post(again, xml)).toBe(FAILED)
    // The same request, answered again.
    again.cookies.set(PUBLIC, new Map(cookie))
    expect(await post(again, await idp.respond(id))).toBe(FAILED)
    // An attacker's own response in the victim's browser.
    const attacker = await begin()
    const victim = await begin()
    expect(await post(victim.browser, await idp.respond(attacker.id))).toBe(FAILED)
    expect(await post(browserFor(), await idp.respond(''))).toBe(FAILED)
    const forged = `_${Date.now().toString(36)}-${'0'.repeat(32)}-${'0'.repeat(40)}`
    expect(await post(browserFor(), await idp.respond(forged))).toBe(FAILED)
    const twice = await begin()
    const both = await idp.respond(twice.id)
    const kept = new Map(twice.browser.cookies.get(PUBLIC)!)
    const other = browserFor()
    other.cookies.set(PUBLIC, kept)
    const ends = await Promise.all([post(twice.browser, both), post(other, both)])
    expect(ends.sort()).toEqual(['/', FAILED])
  })

  test('nothing that a client sends becomes an address, and what is too long is not read', async () => {
    const { browser, id } = await begin()
    expect(await post(browser, await idp.respond(id), 'https://evil.example')).toBe('/')
    const page = await browserFor().visit(`${LOGIN}?RelayState=https://evil.example&returnTo=https://evil.example`)
    expect(decodeURIComponent(page.headers.get('location')!)).not.toContain('evil')
    expect(await changed(() => '<Response>'.padEnd(310_000, ' '))).toBe(FAILED)
    const huge = await browserFor().visit(CALLBACK, { form: { SAMLResponse: 'x'.repeat(900_000) } })
    expect(huge.status).toBe(413)
    const json = await fetch(`${server.base}/api/auth/saml/callback`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    })
    expect(json.status).toBeLessThan(500)
  })
})

test('the start is refused where the configuration is not whole or not safe; without the feature there are no routes', async () => {
  const other = selfSigned('other')
  for (const [more, words] of [
    [{ SAML_IDP_CERTIFICATE: '' }, 'SAML_ENABLED needs SAML_IDP_CERTIFICATE'],
    [{ SAML_IDP_CERTIFICATE: 'x!' }, 'Expected a certificate in PEM for SAML_IDP_CERTIFICATE'],
    [{ SAML_IDP_SSO_URL: 'http://idp.example/sso' }, 'Expected an https address'],
    [{ SAML_PRIVATE_KEY: '' }, 'belong together'],
    [{ SAML_PRIVATE_KEY: '', SAML_CERTIFICATE: '' }, 'SAML_SIGN_REQUESTS needs'],
    [{ SAML_PRIVATE_KEY: other.key }, 'is not that of SAML_PRIVATE_KEY'],
    [{ SAML_DEFAULT_ROLE: 'admin' }, 'cannot be admin'],
  ] as const)
    await expect(serveHere({ environment: environmentOf(more) })).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining(words),
    })
  const without = await serveHere({ environment: environmentOf({ MEDIAPROC_FEATURES: 'mfa' }) })
  expect((await call(without, 'GET', '/api/auth/saml/metadata')).status).toBe(404)
})
