import type { X509Certificate } from 'node:crypto'
import { loadMupdf } from '../../../engines/mupdf.ts'
import { limitExceeded } from '../../../limit-exceeded.ts'
import type { FormField } from '../form/fields.ts'
import type { PdfHandle } from '../handle.ts'
import { type Chain, chainOf, commonName } from './chain.ts'
import { checkCms } from './cms.ts'
import { factsOf, type Ranges, rangesOf, type SignatureFacts, signedFacts, signedFields } from './signed-revision.ts'

/** Maximum number of signatures: each is a checksum of the whole file. */
const MAX_SIGNATURES = 100

/** Kinds of signatures that are checked. */
const KINDS: Readonly<Record<string, string>> = {
  'ETSI.CAdES.detached': 'PAdES',
  'adbe.pkcs7.detached': 'PKCS#7',
  'adbe.pkcs7.sha1': 'PKCS#7 of SHA-1',
}

export interface SignatureReport {
  field: string
  kind: string
  signer: string
  issuer?: string
  /** As the signer states it. */
  time?: string | undefined
  reason?: string | undefined
  location?: string | undefined
  /** The signed bytes are unchanged, and the key of the certificate made the signature. */
  valid: boolean
  digestValid: boolean
  signatureValid: boolean
  digestAlgorithm?: string
  /** All of the file is signed, except the signature itself. */
  coversWholeDocument: boolean
  /** The file was extended after this signature. */
  changedSince: boolean
  certificateIsSigned?: boolean
  hasTimeStamp?: boolean
  certificate?: { serialNumber: string; validFrom: string; validTo: string; sha256: string }
  chain?: Chain & { isChecked: boolean }
  /** Why it is not valid. */
  problem?: string
}

/** Checks every signature of a document, in file order. `bytes` are those that the document was opened from. */
export async function verifySignatures(
  document: Pick<PdfHandle, 'pdf' | 'password'>,
  bytes: Buffer,
  trusted: readonly X509Certificate[],
): Promise<SignatureReport[]> {
  const mupdf = await loadMupdf()
  const fields = signedFields(document.pdf)
  if (fields.length > MAX_SIGNATURES)
    throw limitExceeded(`The document has more than ${MAX_SIGNATURES} signatures`, { hint: 'Split the document.' })
  return fields.map((field) => {
    const ranges = rangesOf(field.object.getInheritable('V'), bytes)
    const facts = ranges && signedFacts(mupdf, document, bytes, field, ranges)
    return checkField(field, bytes, trusted, ranges, facts)
  })
}

/** @param facts as they were signed; undefined if they were not */
function checkField(
  field: FormField,
  bytes: Buffer,
  trusted: readonly X509Certificate[],
  ranges: Ranges | undefined,
  facts: SignatureFacts | undefined,
): SignatureReport {
  const { subFilter, name, time, reason, location } = facts ?? factsOf(field.object.getInheritable('V'))
  const base = {
    field: field.name,
    kind: KINDS[subFilter] ?? (subFilter || 'unknown'),
    signer: name,
    time: time?.toISOString(),
    reason,
    location,
    coversWholeDocument: false,
    changedSince: false,
  }
  const invalid = (problem: string): SignatureReport => ({
    ...base,
    valid: false,
    digestValid: false,
    signatureValid: false,
    problem,
  })
  if (!ranges) return invalid('The signed ranges are not those of one signature in this file')
  base.changedSince = bytes.subarray(ranges.end).some((byte) => ![0, 9, 10, 13, 32].includes(byte))
  base.coversWholeDocument = ranges.end === bytes.length
  if (!facts) return invalid('The part of the file that is signed has another signature, or another field has it')
  if (!(subFilter in KINDS)) return invalid(`Signatures of the kind ${base.kind} are not checked`)
  try {
    const check = checkCms(ranges.signature, Buffer.concat(ranges.signed), subFilter === 'adbe.pkcs7.sha1')
    const { certificate, others } = check
    const chain = chainOf(certificate, others, trusted, time ?? check.signingTime ?? new Date())
    const valid = check.isDigestValid && check.isSignatureValid && (check.isCertificateSigned || base.kind !== 'PAdES')
    return {
      ...base,
      time: base.time ?? check.signingTime?.toISOString(),
      signer: commonName(certificate),
      issuer: /^CN=(.*)$/m.exec(certificate.issuer)?.[1] ?? certificate.issuer.replaceAll('\n', ', '),
      valid,
      digestValid: check.isDigestValid,
      signatureValid: check.isSignatureValid,
      digestAlgorithm: check.digestAlgorithm,
      certificateIsSigned: check.isCertificateSigned,
      hasTimeStamp: check.hasTimeStamp,
      certificate: {
        serialNumber: certificate.serialNumber,
        validFrom: new Date(certificate.validFrom).toISOString(),
        validTo: new Date(certificate.validTo).toISOString(),
        sha256: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
      },
      chain: { ...chain, isChecked: trusted.length > 0 },
      ...(!valid && {
        problem: check.isDigestValid
          ? check.isSignatureValid
            ? 'The certificate is not the one that was signed'
            : 'The signature was not made with the key of its certificate'
          : 'The signed content was changed',
      }),
    }
  } catch (error) {
    return invalid(`The signature cannot be read: ${error instanceof Error ? error.message : 'unknown error'}`)
  }
}
