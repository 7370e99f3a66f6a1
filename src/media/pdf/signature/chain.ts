import { X509Certificate } from 'node:crypto'
import { MediaprocError } from '../../../errors.ts'
import { mayIssue, maySign } from './extensions.ts'

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
  /** Why it is not trusted, if a certificate is used for what it does not allow. */
  problem?: string
}

/**
 * Follows the issuers of a certificate, and verifies their signatures and that they may issue, up to a trusted one.
 * @throws Error for a certificate that cannot be read
 */
export function chainOf(
  certificate: X509Certificate,
  others: readonly X509Certificate[],
  trusted: readonly X509Certificate[],
  at: Date,
): Chain {
  const chain = [certificate]
  const isTrusted = (one: X509Certificate) => trusted.some(({ raw }) => raw.equals(one.raw))
  let problem = maySign(certificate) ? undefined : `The certificate of ${commonName(certificate)} is not for signatures`
  for (let last = certificate; !isTrusted(last) && chain.length < MAX_LENGTH; ) {
    const issuers = [...trusted, ...others].filter(
      (one) => !chain.includes(one) && last.checkIssued(one) && last.verify(one.publicKey),
    )
    const issuer = issuers.find((one) => mayIssue(one, chain))
    if (!issuer) {
      if (issuers[0]) problem ??= `${commonName(issuers[0])} may not issue the certificate of ${commonName(last)}`
      break
    }
    chain.push(issuer)
    last = issuer
  }
  const end = chain.at(-1)
  return {
    subjects: chain.map(commonName),
    isTrusted: end !== undefined && isTrusted(end) && problem === undefined,
    isExpired: chain.some((one) => at < new Date(one.validFrom) || at > new Date(one.validTo)),
    ...(problem !== undefined && { problem }),
  }
}

/** The common name of the subject, or all of it. */
export function commonName({ subject }: X509Certificate): string {
  return /^CN=(.*)$/m.exec(subject)?.[1] ?? subject.replaceAll('\n', ', ')
}
