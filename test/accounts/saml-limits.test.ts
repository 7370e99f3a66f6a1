/** What a stranger can make the server do by posting a SAML response. */

import { afterAll, expect, test, vi } from 'vitest'
import { fixedProvider } from '../../src/accounts/sso/provider-source.ts'
import { Saml } from '../../src/accounts/sso/saml.ts'
import { SamlReaders } from '../../src/accounts/sso/saml-readers.ts'
import { readEnvelope } from '../../src/accounts/sso/saml-response.ts'

const response = (inside: string, id = '_1'): string =>
  Buffer.from(`<samlp:Response InResponseTo="${id}">${inside}</samlp:Response>`).toString('base64')

const OPTIONS = {
  provider: fixedProvider({
    ...{
      entityId: '',
      ssoUrl: 'https://idp.example/sso',
      logoutUrl: '',
      logoutResponseUrl: '',
      certificates: ['none'],
    },
  }),
  ...{ entityId: 'https://media.example', callbackUrl: 'https://media.example/callback', logoutUrl: '' },
  ...{ idpCertificates: ['none'], clockToleranceMs: 0, privateKey: '', certificate: '', signRequests: false },
}

test('reads a response with the groups of a large company', () => {
  const groups = Array.from({ length: 2000 }, (_, index) => `<a:AttributeValue>group ${index}</a:AttributeValue>`)
  expect(readEnvelope(response(groups.join(''))).inResponseTo).toBe('_1')
})

test.each([
  ['elements', '<a/>'.repeat(25_000)],
  ['elements with ends', '<a></a>'.repeat(4000)],
  ['attributes', `<a ${Array.from({ length: 7000 }, (_, index) => `b${index}="c"`).join(' ')}/>`],
])('refuses one with too many %s before parsing', (_name, inside) => {
  expect(() => readEnvelope(response(inside))).toThrow(/too many/)
})

test('a response for another browser never reaches a thread', async () => {
  const saml = new Saml(OPTIONS as unknown as ConstructorParameters<typeof Saml>[0], 'secret')
  const { requestId } = await saml.begin()
  await expect(saml.redeem(response('', requestId), '192.0.2.1', '_other')).rejects.toThrow('another browser')
  await expect(saml.redeem(response('', requestId), '192.0.2.1', '')).rejects.toThrow('another browser')
  await saml.close()
})

test('a request is known for its time, also at a server whose clock is up to a minute behind', async () => {
  const saml = new Saml(OPTIONS as unknown as ConstructorParameters<typeof Saml>[0], 'secret')
  const now = Date.now()
  const clock = vi.spyOn(Date, 'now')
  const refused = async (ahead: number): Promise<boolean> => {
    clock.mockReturnValue(now + ahead)
    const { requestId } = await saml.begin()
    clock.mockReturnValue(now)
    const error = await saml.redeem(response('', requestId), '192.0.2.1', requestId).catch((reason: Error) => reason)
    return /no request of ours/.test(String(error))
  }
  expect([await refused(0), await refused(60_000), await refused(61_000), await refused(-3_600_000)]).toEqual([
    ...[false, false, true, true],
  ])
  clock.mockRestore()
  await saml.close()
})

const readers = new SamlReaders()
afterAll(() => readers.close())

test('limits the number of waiting responses per address and in total; refuses more immediately', async () => {
  const expected = { ...OPTIONS, requestId: '_1' }
  const outcomes = (count: number, from: (index: number) => string): Promise<(string | undefined)[]> =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        readers.read({ response: response(''), expected }, from(index)).then(
          () => 'read',
          (error: { code?: string }) => error.code,
        ),
      ),
    )
  const refused = (codes: readonly (string | undefined)[]) =>
    codes.filter((code) => code === 'QUEUE_UNAVAILABLE').length
  expect(refused(await outcomes(20, () => '192.0.2.1'))).toBe(4)
  expect(refused(await outcomes(70, (index) => `192.0.2.${index}`))).toBe(6)
  expect(refused(await outcomes(16, () => '192.0.2.1'))).toBe(0)
})
