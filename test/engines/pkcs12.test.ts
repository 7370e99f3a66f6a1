import forge from 'node-forge'
import { expect, test } from 'vitest'
import { openPkcs12 } from '../../src/engines/pkcs12.ts'
import { MediaprocError } from '../../src/errors.ts'

const keys = forge.pki.rsa.generateKeyPair(2048)
const certificate = forge.pki.createCertificate()
certificate.publicKey = keys.publicKey
certificate.serialNumber = '01'
certificate.setSubject([{ name: 'commonName', value: 'Ada' }])
certificate.setIssuer([{ name: 'commonName', value: 'Ada' }])
certificate.sign(keys.privateKey, forge.md.sha256.create())

type Asn1 = { value: Asn1[] & string }
const bytesOf = (node: unknown): Buffer => Buffer.from(forge.asn1.toDer(node as never).getBytes(), 'latin1')
const file = (password: string | null, options: object = {}): forge.asn1.Asn1 =>
  forge.pkcs12.toPkcs12Asn1(keys.privateKey, [certificate], password as string, options)

// 6 million iterations in JavaScript take as long as 24 million of the platform.
test.each(['\x7f\xff\xff\xff', '\x5b\x8d\x80'])(
  'derivations of many iterations are refused before they run: %j',
  async (many) => {
    const written = file('secret') as unknown as Asn1
    // PFX: version, content, and the checksum with its salt and iterations.
    const iterations = written.value[2]?.value[2]
    expect(iterations?.value).toBe('\x08\x00')
    if (iterations) iterations.value = many as never
    await expect(openPkcs12(bytesOf(written), 'secret', 'many.p12')).rejects.toMatchObject({
      code: 'INVALID_FILE',
      message: 'many.p12 derives its keys in too many iterations',
    })
    expect((await openPkcs12(bytesOf(file('secret')), 'secret', 'few.p12')).certificate.subject).toBe('CN=Ada')
  },
)

const digests = forge.pki.oids as Record<string, string>

// An iteration of SHA-256 takes as long as 5 of the platform, and one of SHA-512 as long as 16.
test.each([
  ['sha256', 4_500_000],
  ['sha512', 2_000_000],
])('iterations of %s are weighed', async (digest, count) => {
  const written = file('secret') as unknown as Asn1
  const [mac, , iterations] = written.value[2]?.value ?? []
  const algorithm = mac?.value[0]?.value[0]
  if (algorithm) algorithm.value = forge.asn1.oidToDer(digests[digest] ?? '').getBytes() as never
  if (iterations) iterations.value = forge.asn1.integerToDer(count).getBytes() as never
  await expect(openPkcs12(bytesOf(written), 'secret', 'many.p12')).rejects.toMatchObject({
    message: 'many.p12 derives its keys in too many iterations',
  })
})

/** A file with another number of iterations for its key. */
function withCount(der: string, from: number, to: number): string {
  const written = (count: number): string => forge.asn1.integerToDer(count).getBytes()
  const visit = (node: forge.asn1.Asn1): void => {
    const { type, value } = node
    if (typeof value !== 'string') for (const one of value) visit(one)
    else if (type === forge.asn1.Type.INTEGER && value === written(from)) node.value = written(to)
    else if (type === forge.asn1.Type.OCTETSTRING && value.startsWith('0\x82')) node.value = withCount(value, from, to)
  }
  const root = forge.asn1.fromDer(der)
  visit(root)
  return bytesOf(root).toString('latin1')
}

// SHA-1 has 20 bytes, and the key of AES-256 has 32. 11 million iterations of one block would be accepted.
test('iterations are counted for each block of a key', async () => {
  const written = bytesOf(file('secret', { algorithm: 'aes256', count: 100_000, useMac: false })).toString('latin1')
  expect((await openPkcs12(Buffer.from(written, 'latin1'), 'secret', 'few.p12')).key.type).toBe('private')
  const many = Buffer.from(withCount(written, 100_000, 11_000_000), 'latin1')
  await expect(openPkcs12(many, 'secret', 'many.p12')).rejects.toMatchObject({
    message: 'many.p12 derives its keys in too many iterations',
  })
})

test('a negative number of iterations gives no other key more of them', async () => {
  const written = bytesOf(file('secret', { algorithm: 'aes256', count: 100_000 })).toString('latin1')
  const parts = forge.asn1.fromDer(withCount(written, 100_000, 11_000_000)) as unknown as Asn1
  const [digest, salt, iterations] = parts.value[2]?.value ?? []
  if (iterations) iterations.value = '\x80\0\0\0' as never
  // The library derives the key of the checksum in one iteration then.
  const bytes = forge.util.createBuffer(salt?.value as string)
  const checksum = forge.hmac.create()
  checksum.start('sha1', forge.pkcs12.generateKey('secret', bytes, 3, 1, 20))
  checksum.update(parts.value[1]?.value[1]?.value[0]?.value as string)
  if (digest?.value[1]) digest.value[1].value = checksum.digest().getBytes() as never
  await expect(openPkcs12(bytesOf(parts), 'secret', 'negative.p12')).rejects.toMatchObject({
    message: 'negative.p12 derives its keys in too many iterations',
  })
})

test('many iterations, and a password with umlauts, open it', async () => {
  const opened = await openPkcs12(bytesOf(file('Schlüssel', { count: 30_000 })), 'Schlüssel', 'modern.p12')
  expect(opened.key.asymmetricKeyType).toBe('rsa')
})

test('damaged keys and certificates are damaged files', async () => {
  const plain = bytesOf(file(null, { useMac: false }))
  const codes = new Set<string>()
  for (let position = 30; position < plain.length; position += 11) {
    const damaged = Buffer.from(plain)
    damaged[position] = (damaged[position] ?? 0) ^ 0x24
    const result = await openPkcs12(damaged, '', 'damaged.p12').then(
      () => 'opened',
      (error: unknown) => (error instanceof MediaprocError ? error.code : String(error)),
    )
    codes.add(result)
  }
  codes.delete('opened')
  expect([...codes]).toEqual(['INVALID_FILE'])
})
