/** `mediaproc admin sso-check` on a real OpenID provider, and the validity of certificates. */
import { beforeAll, expect, test } from 'vitest'
import { fixedProvider } from '../../src/accounts/sso/provider-source.ts'
import type { ServerConfig } from '../../src/server/config.ts'
import { checkSso } from '../../src/server/sign-in/check-sso.ts'
import { selfSigned } from '../helpers/certificate.ts'
import { CLIENT, startProvider, type TestProvider } from '../helpers/openid-provider.ts'
import { useScene } from '../helpers/program.ts'

const PUBLIC = 'https://media.example'
const here = useScene()
let provider: TestProvider

beforeAll(async () => {
  provider = await startProvider(`${PUBLIC}/api/auth/oidc/callback`)
})

const check = (more: Record<string, string> = {}) =>
  here.start(['admin', 'sso-check'], {
    environment: {
      ...{ OIDC_ENABLED: 'true', OIDC_ISSUER_URL: provider.issuer, OIDC_CLIENT_ID: CLIENT.client_id },
      ...{ OIDC_CLIENT_SECRET: CLIENT.client_secret, EXTERNAL_URL: PUBLIC, ...more },
    },
  })

test('a valid provider: the addresses to register, and no problem', async () => {
  const { code, stdout, stderr } = await check({ OIDC_ROLE_MAPPING: '{"press":"editor"}' })
  expect(stdout).toContain(`Redirect URI to register: ${PUBLIC}/api/auth/oidc/callback\n`)
  expect(stdout).toContain(`Back-channel logout URI to register: ${PUBLIC}/api/auth/oidc/backchannel-logout\n`)
  expect(stdout).toContain('Client: accepted\n')
  expect(stdout).toContain('Back-channel logout: announced\n')
  expect(stdout).not.toContain(CLIENT.client_secret)
  expect([code, stderr]).toEqual([0, expect.stringContaining('no problem was found')])
})

test.each<[string, Record<string, string>, string]>([
  ['a wrong secret', { OIDC_CLIENT_SECRET: 'wrong' }, 'the provider does not accept the client'],
  ['an unknown client', { OIDC_CLIENT_ID: 'nobody' }, 'the provider does not accept the client'],
  ['a claim that is never sent', { OIDC_USERNAME_CLAIM: 'upn' }, 'the provider does not announce upn'],
  ['groups that are never sent', { OIDC_GROUPS_CLAIM: 'teams', OIDC_ROLE_MAPPING: '{"a":"user"}' }, 'announce teams'],
  ['a scope that is not offered', { OIDC_SCOPES: 'openid everything' }, 'the provider does not announce everything'],
  ['an address where no provider is', { OIDC_ISSUER_URL: 'http://127.0.0.1:9' }, 'gives no discovery document'],
])('reports %s', async (_, more, words) => {
  const { code, stderr } = await check(more)
  expect([code === 0, stderr]).toEqual([false, expect.stringContaining(words)])
  expect(stderr).not.toContain('INTERNAL')
})

test('without single sign-on there is nothing to check', async () => {
  expect(await check({ OIDC_ENABLED: 'false' })).toMatchObject({
    stderr: expect.stringContaining('Single sign-on is not configured'),
  })
})

test('SAML: certificates that have expired or will soon, and a server without https', async () => {
  const { certificate } = selfSigned('idp.example')
  const saml = {
    provider: fixedProvider({
      ...{ entityId: 'https://idp.example', ssoUrl: 'https://idp.example/sso', logoutUrl: '', logoutResponseUrl: '' },
      certificates: [certificate],
    }),
    ...{ entityId: 'media', logoutUrl: `${PUBLIC}/api/auth/saml/logout`, privateKey: '' },
    callbackUrl: `${PUBLIC}/api/auth/saml/callback`,
  }
  const config = { oidc: undefined, saml, externalUrl: PUBLIC } as unknown as ServerConfig
  const problems = async (date: string, more: Partial<ServerConfig> = {}) =>
    (await checkSso({ ...config, ...more }, Date.parse(date))).flatMap(({ problem }) => problem ?? [])
  expect(await problems('2030-01-01')).toEqual([])
  expect(await problems('2049-12-20')).toEqual([expect.stringContaining('CN=idp.example expires on Dec 31')])
  expect(await problems('2050-01-02')).toEqual([expect.stringContaining('CN=idp.example expired on Dec 31')])
  expect(await problems('2030-01-01', { externalUrl: 'http://media.example' })).toEqual([
    expect.stringContaining('over https only'),
  ])
})
