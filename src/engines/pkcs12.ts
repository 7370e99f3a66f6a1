import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { MediaprocError } from '../errors.ts'

/** The key and certificates of a PKCS#12 file. */
export interface SigningIdentity {
  key: KeyObject
  /** The certificate of the key. */
  certificate: X509Certificate
  /** Further certificates of the file, such as those of the issuers. */
  others: X509Certificate[]
}

/**
 * Opens a PKCS#12 file (.p12, .pfx; RFC 7292).
 * @param name for messages
 * @throws MediaprocError INVALID_FILE, WRONG_PASSWORD
 */
export async function openPkcs12(bytes: Uint8Array, password: string, name: string): Promise<SigningIdentity> {
  const { default: forge } = await import('node-forge')
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
  let bags: ReturnType<typeof forge.pkcs12.pkcs12FromAsn1>
  try {
    bags = forge.pkcs12.pkcs12FromAsn1(outer as never, false, password)
  } catch (error) {
    if (/password|mac could not be verified|decrypt/i.test(String(error)))
      throw new MediaprocError('WRONG_PASSWORD', `The password for ${name} is wrong`)
    throw fault('cannot be read', error)
  }
  const all = bags.safeContents.flatMap(({ safeBags }) => safeBags)
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
  for (const key of keys) {
    const certificate = certificates.find((one) => one.checkPrivateKey(key))
    if (certificate) return { key, certificate, others: certificates.filter((one) => one !== certificate) }
  }
  throw fault(keys.length === 0 ? 'has no private key' : 'has no certificate for its private key')
}
