import { X509Certificate } from 'node:crypto'
import { MediaprocError } from '../../../errors.ts'

/** Maximum number of certificates from the signer to the root. */
const MAX_LENGTH = 10

/**
 * The certificates of a PEM file (several are allowed) or a DER file.
 * @throws MediaprocError INVALID_FILE
 */
export function readCertificates(bytes: Uint8Array, name: string): X509Certificate[] {
  const text = Buffer.from(bytes).toString('latin1')
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)
  try {
    return blocks ? blocks.map((block) => new X509Certificate(block)) : [new X509Certificate(bytes)]
  } catch (error) {
    throw new MediaprocError('INVALID_FILE', `${name} has no certificates that can be read`, {
      cause: error,
      hint: 'Expected certificates as PEM or DER.',
    })
  }
}

export interface Chain {
  /** Subjects from the signer up, as far as they are known. */
  subjects: string[]
  /** It ends at a trusted certificate. */
  isTrusted: boolean
  /** A certificate was not valid at that time. */
  isExpired: boolean
}

/** Follows the issuers of a certificate, and verifies their signatures, up to a trusted one. */
export function chainOf(
  certificate: X509Certificate,
  others: readonly X509Certificate[],
  trusted: readonly X509Certificate[],
  at: Date,
): Chain {
  const chain = [certificate]
  const isTrusted = (one: X509Certificate) => trusted.some(({ raw }) => raw.equals(one.raw))
  for (let last = certificate; !isTrusted(last) && chain.length < MAX_LENGTH; ) {
    const issuer = [...trusted, ...others].find(
      (one) => !chain.includes(one) && one.ca && last.checkIssued(one) && last.verify(one.publicKey),
    )
    if (!issuer) break
    chain.push(issuer)
    last = issuer
  }
  const end = chain.at(-1)
  return {
    subjects: chain.map(commonName),
    isTrusted: end !== undefined && isTrusted(end),
    isExpired: chain.some((one) => at < new Date(one.validFrom) || at > new Date(one.validTo)),
  }
}

/** The common name of the subject, or all of it. */
export function commonName({ subject }: X509Certificate): string {
  return /^CN=(.*)$/m.exec(subject)?.[1] ?? subject.replaceAll('\n', ', ')
}
