import { createPrivateKey, type KeyObject, pbkdf2Sync, X509Certificate } from 'node:crypto'
import type forgeLibrary from 'node-forge'
import { MediaprocError } from '../errors.ts'

/**
 * Maximum number of iterations of all key derivations of a file, in iterations of the platform for one block of output;
 * programs write 1 to about a million for each key. 20 million take 8 (SHA-1) to 17 seconds (SHA-512).
 */
const MAX_ITERATIONS = 20_000_000
/**
 * How many iterations of the platform take as long as one of the library, by the length of the digest in bytes: 4 with
 * MD5 and SHA-1, 5 with SHA-256, and 16 with SHA-384 and SHA-512, whose words of 64 bits JavaScript does not have.
 */
const libraryCost = (digestLength: number): number => (digestLength > 32 ? 16 : digestLength > 20 ? 5 : 4)

/** The key and certificates of a PKCS#12 file. */
export interface SigningIdentity {
  key: KeyObject
  /** The certificate of the key. */
  certificate: X509Certificate
  /** Further certificates of the file, such as those of the issuers. */
  others: X509Certificate[]
}

type Forge = typeof forgeLibrary

class TooManyIterations extends Error {}

/** How many iterations are left while a file is opened; writing is not limited. */
let left = Number.POSITIVE_INFINITY

/** Counts the iterations for a number of bytes, each block of which is derived in turn. There is at least one. */
function count(iterations: number, size: number, digestLength: number, cost = 1): void {
  left -= Math.max(1, iterations) * Math.ceil(size / digestLength) * cost
  if (!(left >= 0)) throw new TooManyIterations()
}

const SHA1_LENGTH = 20

/** A derivation of the library, with SHA-1 by default (RFC 7292, appendix B). */
type Derive = (
  password: string,
  salt: unknown,
  id: number,
  iterations: number,
  size: number,
  digest?: Digest | null,
) => unknown

interface Digest {
  algorithm: string
  /** Bytes. */
  digestLength: number
}

/**
 * Limits the library's key derivations, whose iterations the file states, and replaces the one of RFC 8018 with that of
 * the platform, which is 100 times faster. The platform has none of RFC 7292.
 */
function limitDerivations(forge: Forge): void {
  const parts = forge as unknown as { pkcs12: { generateKey: Derive }; pki: { pbe: { generatePkcs12Key: Derive } } }
  const derive = parts.pki.pbe.generatePkcs12Key
  const limited: Derive = (password, salt, id, repeated, size, digest) => {
    const length = digest?.digestLength ?? SHA1_LENGTH
    count(repeated, size, length, libraryCost(length))
    return derive(password, salt, id, repeated, size, digest)
  }
  parts.pkcs12.generateKey = limited
  parts.pki.pbe.generatePkcs12Key = limited
  forge.pkcs5.pbkdf2 = ((password: string, salt: string, repeated: number, size: number, digest: Digest) => {
    count(repeated, size, digest.digestLength)
    return pbkdf2Sync(password, Buffer.from(salt, 'latin1'), repeated, size, digest.algorithm).toString('latin1')
  }) as unknown as Forge['pkcs5']['pbkdf2']
}

let loading: Promise<Forge> | undefined

async function load(): Promise<Forge> {
  const { default: forge } = await import('node-forge')
  limitDerivations(forge)
  return forge
}

/**
 * Opens a PKCS#12 file (.p12, .pfx; RFC 7292).
 * @param name for messages
 * @throws MediaprocError INVALID_FILE, WRONG_PASSWORD
 */
export async function openPkcs12(bytes: Uint8Array, password: string, name: string): Promise<SigningIdentity> {
  loading ??= load()
  const forge = await loading
  const fault = (what: string, cause?: unknown) =>
    new MediaprocError('INVALID_FILE', `${name} ${what}`, {
      cause,
      hint: 'A PKCS#12 file (.p12 or .pfx) has a private key and its certificate.',
    })
  let outer: InstanceType<typeof Object>
  try {
    outer = forge.asn1.fromDer(Buffer.from(bytes).toString('latin1'))
  } catch (error) {
    throw fault('is not a PKCS#12 file', error)
  }
  left = MAX_ITERATIONS
  let parts: ReturnType<typeof partsOf>
  try {
    parts = partsOf(forge, forge.pkcs12.pkcs12FromAsn1(outer as never, false, password))
  } catch (error) {
    if (error instanceof TooManyIterations) throw fault('derives its keys in too many iterations')
    if (/password|mac could not be verified|decrypt/i.test(String(error)))
      throw new MediaprocError('WRONG_PASSWORD', `The password for ${name} is wrong`)
    throw fault('cannot be read', error)
  } finally {
    left = Number.POSITIVE_INFINITY
  }
  const { certificates, keys } = parts
  for (const key of keys) {
    const certificate = certificates.find((one) => one.checkPrivateKey(key))
    if (certificate) return { key, certificate, others: certificates.filter((one) => one !== certificate) }
  }
  throw fault(keys.length === 0 ? 'has no private key' : 'has no certificate for its private key')
}

/** @throws Error for a damaged key or certificate */
function partsOf(forge: Forge, { safeContents }: forgeLibrary.pkcs12.Pkcs12Pfx) {
  const all = safeContents.flatMap(({ safeBags }) => safeBags)
  const der = (node: unknown) => Buffer.from(forge.asn1.toDer(node as never).getBytes(), 'latin1')
  const certificates = all
    .filter(({ type }) => type === forge.pki.oids.certBag)
    .map((bag) => new X509Certificate(bag.cert ? der(forge.pki.certificateToAsn1(bag.cert)) : der(bag.asn1)))
  const keys = all
    .filter(({ type }) => type === forge.pki.oids.keyBag || type === forge.pki.oids.pkcs8ShroudedKeyBag)
    .map((bag) => {
      // The library knows RSA; other keys stay as they are in the file.
      const node = bag.key ? forge.pki.wrapRsaPrivateKey(forge.pki.privateKeyToAsn1(bag.key)) : bag.asn1
      return createPrivateKey({ key: der(node), format: 'der', type: 'pkcs8' })
    })
  return { certificates, keys }
}
