import { X509Certificate } from 'node:crypto'
import forge from 'node-forge'
import { expect, test } from 'vitest'
import { chainOf } from '../../../src/media/pdf/signature/chain.ts'
import { encode, TAG } from '../../../src/media/pdf/signature/der.ts'

// All certificates have one key: names connect them.
const keys = forge.pki.rsa.generateKeyPair(2048)
const NOW = new Date(Date.UTC(2030, 0, 1))
const AUTHORITY = { name: 'basicConstraints', cA: true, critical: true }
const SIGNS = { name: 'keyUsage', keyCertSign: true, critical: true }
let serial = 0

function certificate(subject: string, issuer: string, extensions: readonly object[] = []): X509Certificate {
  const made = forge.pki.createCertificate()
  made.publicKey = keys.publicKey
  made.serialNumber = `0${++serial}`
  made.validity.notBefore = new Date(Date.UTC(2026, 0, 1))
  made.validity.notAfter = new Date(Date.UTC(2040, 0, 1))
  made.setSubject([{ name: 'commonName', value: subject }])
  made.setIssuer([{ name: 'commonName', value: issuer }])
  // The library adds fields to these objects.
  made.setExtensions(extensions.map((one) => ({ ...one })))
  made.sign(keys.privateKey, forge.md.sha256.create())
  return new X509Certificate(forge.pki.certificateToPem(made))
}

const root = certificate('Root', 'Root', [AUTHORITY, SIGNS])

/** A name constraint: the parts of a distinguished name, or an address. */
function constraint(kind: 'permitted' | 'excluded', base: Buffer): object {
  const trees = encode(kind === 'permitted' ? 0xa0 : 0xa1, encode(TAG.sequence, base))
  return { id: '2.5.29.30', critical: true, value: encode(TAG.sequence, trees).toString('latin1') }
}
const commonName = (name: string): Buffer => {
  const part = encode(TAG.sequence, encode(TAG.oid, Buffer.from('550403', 'hex')), encode(0x0c, Buffer.from(name)))
  return encode(0xa4, encode(TAG.sequence, encode(TAG.set, part)))
}
const address = (name: string): Buffer => encode(0x81, Buffer.from(name))
const mail = { name: 'subjectAltName', altNames: [{ type: 1, value: 'ada@mail.example.org' }] }

const length = (pathLenConstraint: number) => ({ ...AUTHORITY, pathLenConstraint })
const problem = 'Middle may not issue the certificate of'

test.each<[string, object[], object[], object[], string | undefined]>([
  ['a plain chain', [AUTHORITY, SIGNS], [AUTHORITY, SIGNS], [], undefined],
  ['authorities without a key usage', [AUTHORITY], [AUTHORITY], [], undefined],
  ['a long enough path', [length(1)], [length(0)], [], undefined],
  ['a path that is too long', [length(0)], [AUTHORITY], [], `${problem} Lower`],
  ['no authority', [{ name: 'basicConstraints', cA: false }], [AUTHORITY], [], `${problem} Lower`],
  [
    'a key that may not sign certificates',
    [AUTHORITY, { name: 'keyUsage', digitalSignature: true }],
    [AUTHORITY],
    [],
    '',
  ],
  [
    'an unknown critical extension',
    [AUTHORITY, { id: '1.2.3.4', critical: true, value: '\x05\x00' }],
    [AUTHORITY],
    [],
    `${problem} Lower`,
  ],
  ['a permitted name', [AUTHORITY, constraint('permitted', address('.example.org'))], [AUTHORITY], [mail], undefined],
  [
    'a name that is not permitted',
    [AUTHORITY, constraint('permitted', commonName('Customer'))],
    [AUTHORITY],
    [],
    `${problem} Lower`,
  ],
  [
    'an address that is not permitted',
    [AUTHORITY, constraint('permitted', address('example.org'))],
    [AUTHORITY],
    [mail],
    `${problem} Lower`,
  ],
  [
    'an excluded name in other letters',
    [AUTHORITY, constraint('excluded', commonName('SIGNER'))],
    [AUTHORITY],
    [],
    `${problem} Lower`,
  ],
  ['another excluded name', [AUTHORITY, constraint('excluded', commonName('Other'))], [AUTHORITY], [], undefined],
  [
    'a form of names that is not compared',
    [AUTHORITY, constraint('permitted', encode(0x82, Buffer.from('x')))],
    [AUTHORITY],
    [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'x' }] }],
    `${problem} Lower`,
  ],
  [
    'a signer whose key may not sign',
    [AUTHORITY],
    [AUTHORITY],
    [{ name: 'keyUsage', keyEncipherment: true }],
    'The certificate of Signer is not for signatures',
  ],
])('%s', (_what, middle, lower, own, expected) => {
  const chain = chainOf(
    certificate('Signer', 'Lower', own),
    [certificate('Lower', 'Middle', lower), certificate('Middle', 'Root', middle)],
    [root],
    NOW,
  )
  // The platform itself knows of the key usage, and names no issuer.
  expect(chain.problem).toBe(expected || undefined)
  expect(chain.isTrusted).toBe(expected === undefined)
})
