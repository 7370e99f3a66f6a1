import type { X509Certificate } from 'node:crypto'
import type { PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import { limitExceeded } from '../../../limit-exceeded.ts'
import { type FormField, readFields } from '../form/fields.ts'
import { itemsOf } from '../structure/trees.ts'
import { type Chain, chainOf, commonName } from './chain.ts'
import { checkCms } from './cms.ts'

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

/** Checks every signature of a document, in file order. `bytes` are those that `pdf` was opened from. */
export function verifySignatures(
  pdf: PDFDocument,
  bytes: Buffer,
  trusted: readonly X509Certificate[],
): SignatureReport[] {
  const fields = readFields(pdf).filter(
    ({ type, object }) => type === 'signature' && object.getInheritable('V').isDictionary(),
  )
  if (fields.length > MAX_SIGNATURES)
    throw limitExceeded(`The document has more than ${MAX_SIGNATURES} signatures`, { hint: 'Split the document.' })
  return fields.map((field) => checkField(field, bytes, trusted))
}

function checkField(field: FormField, bytes: Buffer, trusted: readonly X509Certificate[]): SignatureReport {
  const signature = field.object.getInheritable('V')
  const subFilter = signature.get('SubFilter').asName()
  const time = dateOf(signature.get('M').asString())
  const base = {
    field: field.name,
    kind: KINDS[subFilter] ?? (subFilter || 'unknown'),
    signer: signature.get('Name').asString(),
    time: time?.toISOString(),
    reason: signature.get('Reason').asString() || undefined,
    location: signature.get('Location').asString() || undefined,
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
  const ranges = rangesOf(signature, bytes)
  if (!ranges) return invalid('The signed ranges are not those of one signature in this file')
  base.changedSince = bytes.subarray(ranges.end).some((byte) => ![0, 9, 10, 13, 32].includes(byte))
  base.coversWholeDocument = ranges.end === bytes.length
  if (!(subFilter in KINDS)) return invalid(`Signatures of the kind ${base.kind} are not checked`)
  try {
    const check = checkCms(ranges.signature, Buffer.concat(ranges.signed))
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

interface Ranges {
  signed: Buffer[]
  signature: Buffer
  /** The end of what is signed, in bytes. */
  end: number
}

/**
 * The signed bytes and the signature between them. The gap must be one hexadecimal string: anything else could be
 * changed without effect on the signature.
 */
function rangesOf(signature: PDFObject, bytes: Buffer): Ranges | undefined {
  const numbers = itemsOf(signature.get('ByteRange')).map((one) => (one.isInteger() ? one.asNumber() : -1))
  const [start = -1, length = -1, second = -1, rest = -1] = numbers
  if (numbers.length !== 4 || start !== 0 || length < 1 || second <= length || rest < 0) return undefined
  if (second + rest > bytes.length) return undefined
  const gap = bytes.toString('latin1', length, second)
  if (!/^<[0-9A-Fa-f]+>$/.test(gap)) return undefined
  return {
    signed: [bytes.subarray(0, length), bytes.subarray(second, second + rest)],
    signature: Buffer.from(gap.slice(1, -1), 'hex'),
    end: second + rest,
  }
}

/** A date of PDF (ISO 32000-1, 7.9.4). */
function dateOf(text: string): Date | undefined {
  const [
    ,
    year,
    month = '01',
    day = '01',
    hour = '00',
    minute = '00',
    second = '00',
    sign,
    offset = '00',
    more = '00',
  ] = /^D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([-+Z])(?:(\d\d)'?(\d\d)?)?)?/.exec(text) ?? []
  if (year === undefined) return undefined
  const zone = sign === '+' || sign === '-' ? `${sign}${offset}:${more}` : 'Z'
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`)
  return Number.isNaN(date.getTime()) ? undefined : date
}
