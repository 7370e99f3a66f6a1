/** SAML single logout in both directions, and an identity provider that is known by its metadata. */
import { createSign } from 'node:crypto'
import { mkdtempSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MetadataSource } from '../../src/accounts/sso/provider-source.ts'
import { readProviderMetadata } from '../../src/accounts/sso/saml-metadata.ts'
import { Browser } from '../helpers/browser.ts'
import { selfSigned } from '../helpers/certificate.ts'
import { IDP, type ResponseParts, RSA_SHA256, SamlProvider, SLO_URL, SSO_URL } from '../helpers/saml-provider.ts'
import { call, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'

const PUBLIC = 'https://media.example'
const [LOGIN, CALLBACK, LOGOUT] = ['login', 'callback', 'logout'].map((name) => `${PUBLIC}/api/auth/saml/${name}`) as [
  string,
  string,
  string,
]
const RSA_SHA1 = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1'
const ours = selfSigned('media.example')
const METADATA = `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${PUBLIC}/api/auth/saml/metadata"><SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><AssertionConsumerService index="1" Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${CALLBACK}"/></SPSSODescriptor></EntityDescriptor>`

let idp: SamlProvider
let server: ServerHere
let admin: string
/** What the address of the metadata answers with. */
const published = { body: '', status: 200, requests: 0 }

beforeAll(async () => {
  const first = new SamlProvider(METADATA)
  published.body = first.metadata
  const site = createServer((_request, response) => {
    published.requests++
    response.writeHead(published.status).end(published.body)
  })
  await new Promise<void>((done) => site.listen(0, '127.0.0.1', done))
  afterAll(() => void site.close())
  server = await serveHere({
    environment: {
      ...{ SAML_ENABLED: 'true', EXTERNAL_URL: PUBLIC, SAML_IDP_ENTITY_ID: IDP },
      SAML_IDP_METADATA_URL: `http://127.0.0.1:${(site.address() as AddressInfo).port}/metadata`,
      ...{ SAML_PRIVATE_KEY: ours.key, SAML_CERTIFICATE: ours.certificate.replaceAll('\n', '\\n') },
    },
  })
  admin = await signIn(server)
  // With the keys of the server, which verify its logout messages.
  idp = new SamlProvider((await call(server, 'GET', '/api/auth/saml/metadata')).bytes.toString())
  Object.assign(idp.own, first.own)
})

async function enter(parts: Partial<ResponseParts> = {}): Promise<{ browser: Browser; token: string }> {
  const browser = new Browser({ [PUBLIC]: server.base })
  const to = (await browser.visit(LOGIN)).headers.get('location')!
  const { request } = await idp.request(to)
  const xml = await idp.respond(request.id, parts)
  await browser.visit(CALLBACK, { form: { SAMLResponse: Buffer.from(xml).toString('base64') } })
  return { browser, token: browser.cookies.get(PUBLIC)?.get('mediaproc-session') ?? 'none' }
}

const isSignedIn = async (token: string): Promise<boolean> =>
  (await call(server, 'GET', '/api/auth/session', { token })).status === 200

/** Sends a logout request with the HTTP-POST binding. */
async function post(xml: string, relay = '') {
  const form = { SAMLRequest: Buffer.from(xml).toString('base64'), RelayState: relay }
  const { status, headers } = await new Browser({ [PUBLIC]: server.base }).visit(LOGOUT, { form })
  return { status, location: headers.get('location') ?? '' }
}

/** The query of a logout request with the HTTP-Redirect binding. */
function signedQuery(xml: string, { key = idp.own.key, algorithm = RSA_SHA256, relay = '' } = {}): string {
  const parts = {
    SAMLRequest: deflateRawSync(xml).toString('base64'),
    ...(relay && { RelayState: relay }),
    SigAlg: algorithm,
  }
  const query = Object.entries(parts)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')
  const hash = algorithm === RSA_SHA1 ? 'sha1' : 'sha256'
  return `${query}&Signature=${encodeURIComponent(createSign(hash).update(query).sign(key, 'base64'))}`
}

async function redirect(query: string) {
  const { status, headers } = await new Browser({ [PUBLIC]: server.base }).visit(`${LOGOUT}?${query}`)
  return { status, location: headers.get('location') ?? '' }
}

describe('the provider ends sessions', () => {
  test('of a user, by a form; the answer is signed and repeats the relay state', async () => {
    const [first, second, other] = [await enter(), await enter(), await enter({ nameId: 'other@company.example' })]
    const xml = idp.signLogout(idp.logoutXml({ id: '_request-1' }))
    const { status, location } = await post(xml, 'state & more')
    expect([status, new URL(location).searchParams.get('RelayState')]).toEqual([302, 'state & more'])
    expect(location.startsWith(SLO_URL)).toBe(true)
    expect(await idp.logoutMessage(location, 'Response')).toMatchObject({
      response: { inResponseTo: '_request-1' },
      issuer: `${PUBLIC}/api/auth/saml/metadata`,
    })
    const open = [await isSignedIn(first.token), await isSignedIn(second.token), await isSignedIn(other.token)]
    expect([open, await isSignedIn(admin)]).toEqual([[false, false, true], true])
    expect((await post(xml)).status).toBe(400)
    const log = await call(server, 'GET', '/api/v1/audit-log?action=SAML_LOGOUT', { token: admin })
    expect([log.json.total, log.json.entries[0]]).toEqual([1, expect.objectContaining({ actorUsername: 'saml' })])
  })

  test('one session alone, by a redirect', async () => {
    const [ended, other] = [await enter({ sessionIndex: 's-1' }), await enter({ sessionIndex: 's-2' })]
    const { status } = await redirect(signedQuery(idp.logoutXml({ sessions: ['s-0', 's-1'] }), { relay: 'x=1&y' }))
    expect([status, await isSignedIn(ended.token), await isSignedIn(other.token)]).toEqual([302, false, true])
  })
})

test('signing out here asks the provider to end its session', async () => {
  const { token } = await enter({ sessionIndex: 's-9' })
  const { logoutUrl } = (await call(server, 'POST', '/api/auth/logout', { token })).json
  expect(logoutUrl.startsWith(SLO_URL)).toBe(true)
  expect(await idp.logoutMessage(logoutUrl, 'Request')).toMatchObject({
    nameID: 'olga@company.example',
    sessionIndex: 's-9',
  })
  const back = await redirect('SAMLResponse=anything')
  expect(back).toEqual({ status: 302, location: '/login' })
  // A password has no session at a provider.
  const local = await call(server, 'POST', '/api/auth/logout', { token: await signIn(server) })
  expect(local.json).toEqual({ ok: true })
})

describe('attacks', () => {
  const stranger = selfSigned('stranger.example')
  const FORMS: Record<string, () => string> = {
    'no signature': () => idp.logoutXml(),
    'the key of a stranger': () => idp.signLogout(idp.logoutXml(), { signer: stranger }),
    'SHA-1': () => idp.signLogout(idp.logoutXml(), { algorithm: RSA_SHA1 }),
    'a name that was changed afterwards': () =>
      idp.signLogout(idp.logoutXml({ nameId: 'nobody' })).replace('nobody', 'olga@company.example'),
    'a signed request within another one': () => {
      const inner = idp.signLogout(idp.logoutXml({ id: '_inner', nameId: 'nobody' }))
      return idp.logoutXml({ id: '_outer' }).replace('</samlp:LogoutRequest>', `${inner}</samlp:LogoutRequest>`)
    },
    'another address': () => idp.signLogout(idp.logoutXml({ destination: 'https://other.example/logout' })),
    'another issuer': () => idp.signLogout(idp.logoutXml({ issuer: 'https://other.example' })),
    'an old request': () => idp.signLogout(idp.logoutXml({ issued: -900 })),
    'a request of tomorrow': () => idp.signLogout(idp.logoutXml({ issued: 86_400 })),
    'a comment in the name': () =>
      idp.signLogout(idp.logoutXml({ nameId: 'olga@company.example<!-- x -->.evil.example' })),
    'no XML': () => 'LogoutRequest',
  }
  const QUERIES: Record<string, () => string> = {
    'a query without a signature': () => signedQuery(idp.logoutXml()).replace(/&SigAlg=.*/, ''),
    'a query with an empty signature': () => signedQuery(idp.logoutXml()).replace(/&Signature=.*/, '&Signature='),
    'a query of a stranger': () => signedQuery(idp.logoutXml(), { key: stranger.key }),
    'a query with SHA-1': () => signedQuery(idp.logoutXml(), { algorithm: RSA_SHA1 }),
    'a second request in the query': () =>
      `${signedQuery(idp.logoutXml({ nameId: 'nobody' }))}&SAMLRequest=${encodeURIComponent(deflateRawSync(idp.logoutXml()).toString('base64'))}`,
    'a name that contains the name of the parameter': () =>
      `XSAMLRequest=1&${signedQuery(idp.logoutXml({ nameId: 'nobody' })).replace('SAMLRequest', 'SAMLRequesT')}&SAMLRequest=${encodeURIComponent(deflateRawSync(idp.logoutXml()).toString('base64'))}`,
    'a request that unpacks to 4 MB': () => signedQuery(`<a>${' '.repeat(4_000_000)}</a>`),
    'percent signs without digits': () => 'SAMLRequest=%&SigAlg=%&Signature=%',
  }
  test.each([...Object.keys(FORMS), ...Object.keys(QUERIES)])('%s ends nothing', async (name) => {
    const { token } = await enter()
    const { status } = FORMS[name] ? await post(FORMS[name]()) : await redirect(QUERIES[name]!())
    expect([status, await isSignedIn(token)]).toEqual([400, true])
  })

  test('two hundred refused requests do not delay a sign-in', async () => {
    const flood = Array.from({ length: 200 }, () => post(idp.signLogout(idp.logoutXml(), { signer: stranger })))
    const statuses = new Set((await Promise.all(flood)).map(({ status }) => status))
    expect([...statuses].every((status) => [400, 503].includes(status))).toBe(true)
    expect(await isSignedIn((await enter()).token)).toBe(true)
  })
})

describe('metadata', () => {
  const now = Date.parse('2030-01-01')
  const xml = () => published.body

  test('of samlify: entity, addresses, certificates', async () => {
    expect(await readProviderMetadata(xml(), '', now)).toMatchObject({
      ...{ entityId: IDP, ssoUrl: SSO_URL, logoutUrl: SLO_URL, logoutResponseUrl: SLO_URL },
      ...{ certificates: [expect.stringContaining('BEGIN CERTIFICATE')], validUntil: Number.POSITIVE_INFINITY },
    })
  })

  test('of a federation: one is selected by its entity ID', async () => {
    const [, entity] = /(<EntityDescriptor[\s\S]*)/.exec(xml())!
    const both = `<EntitiesDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata">${entity}${entity!.replace(IDP, 'https://b.example')}</EntitiesDescriptor>`
    await expect(readProviderMetadata(both, '', now)).rejects.toThrow('set SAML_IDP_ENTITY_ID')
    expect((await readProviderMetadata(both, 'https://b.example', now)).entityId).toBe('https://b.example')
    await expect(readProviderMetadata(both, 'https://c.example', now)).rejects.toThrow('it has no https://c.example')
  })

  test.each<[string, (text: string) => string]>([
    [
      'it has expired',
      (text) => text.replace('<EntityDescriptor', '<EntityDescriptor validUntil="2029-12-31T00:00:00Z"'),
    ],
    ['document type declaration', (text) => `<!DOCTYPE a [<!ENTITY b "c">]>${text.replace(/<\?xml[^>]*>/, '')}`],
    ['no signing certificate', (text) => text.replaceAll('use="signing"', 'use="encryption"')],
    ['cannot be read', (text) => text.replace(/X509Certificate>\w{20}/, 'X509Certificate>AAAA')],
    ['no sign-on URL', (text) => text.replaceAll(SSO_URL, 'http://idp.example/sso')],
    ['no identity provider', () => METADATA],
    ['cannot be used', () => '<html>'],
  ])('%s', async (words, change) => {
    await expect(readProviderMetadata(change(xml()), '', now)).rejects.toThrow(words)
  })

  test('a file is read again when it changes; a faulty one is reported, and the known facts stay', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'mediaproc-metadata-')), 'idp.xml')
    writeFileSync(file, xml())
    const source = new MetadataSource({ file }, '')
    const failures: unknown[] = []
    source.onFailure = (error) => void failures.push(error)
    expect((await source.current()).entityId).toBe(IDP)
    writeFileSync(file, xml().replace(IDP, 'https://new.example'))
    utimesSync(file, 1, 1)
    expect((await source.current()).entityId).toBe('https://new.example')
    writeFileSync(file, 'broken')
    utimesSync(file, 2, 2)
    expect([(await source.current()).entityId, failures.length]).toEqual(['https://new.example', 1])
  })

  test('an address is read again after a day; a failure keeps the known facts until they expire', async () => {
    let time = now
    const address = `http://127.0.0.1:${new URL(server.base).port}/none`
    const away = new MetadataSource({ url: address }, '', () => time)
    await expect(away.current()).rejects.toThrow('cannot be fetched')
    time += 59_000
    await expect(away.current()).rejects.toThrow('cannot be fetched')
  })
})

test('a new certificate of the provider is accepted without a restart, and a stranger’s is not', async () => {
  const next = selfSigned('idp.example')
  // Metadata are read at most once a minute: now, if the earlier tests took longer than that.
  expect((await enter({ signer: next })).token).toBe('none')
  const asked = published.requests
  expect((await enter({ signer: next })).token).toBe('none')
  expect(published.requests).toBe(asked)
  const old = idp.own.certificate.replace(/-----[^-]+-----|\s/g, '')
  published.body = published.body.replaceAll(old, next.certificate.replace(/-----[^-]+-----|\s/g, ''))
  const realNow = Date.now
  try {
    Date.now = () => realNow() + 61_000
    // The thread that checks responses has the real time.
    const { token } = await enter({ signer: next, issued: -61, notBefore: -66 })
    expect([await isSignedIn(token), published.requests]).toEqual([true, asked + 1])
    expect((await enter({ signer: selfSigned('idp.example') })).token).toBe('none')
  } finally {
    Date.now = realNow
  }
})
