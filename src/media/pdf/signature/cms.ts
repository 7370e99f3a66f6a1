import { constants, createHash, type KeyObject, sign, verify, X509Certificate } from 'node:crypto'
import { MediaprocError } from '../../../errors.ts'
import { decode, encode, encodeOid, type Node, oidOf, TAG } from './der.ts'

/** Object identifiers of CMS (RFC 5652), ESS (RFC 5035) and their algorithms. */
const OID = {
  data: '1.2.840.113549.1.7.1',
  signedData: '1.2.840.113549.1.7.2',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingTime: '1.2.840.113549.1.9.5',
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
  timeStamp: '1.2.840.113549.1.9.16.2.14',
  rsa: '1.2.840.113549.1.1.1',
  rsaPss: '1.2.840.113549.1.1.10',
  sha256: '2.16.840.1.101.3.4.2.1',
  ecdsaSha256: '1.2.840.10045.4.3.2',
} as const

const DIGESTS: Readonly<Record<string, string>> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
}

const hash = (algorithm: string, bytes: Uint8Array): Buffer => createHash(algorithm).update(bytes).digest()
const attribute = (oid: string, value: Buffer): Buffer => encode(TAG.sequence, encodeOid(oid), encode(TAG.set, value))
const algorithm = (oid: string, ...parameters: Buffer[]): Buffer => encode(TAG.sequence, encodeOid(oid), ...parameters)

/**
 * A detached CMS signature for PDF (ETSI EN 319 142-1, PAdES baseline B-B): SHA-256, with the attribute
 * signing-certificate-v2 and without a signing time, which the PDF has.
 * @param digest SHA-256 of the signed bytes
 * @throws MediaprocError INVALID_FILE for a key of another kind than RSA and ECDSA
 */
export function signCms(
  digest: Buffer,
  { key, certificate, others }: { key: KeyObject; certificate: X509Certificate; others: readonly X509Certificate[] },
): Buffer {
  const isEcdsa = key.asymmetricKeyType === 'ec'
  if (!isEcdsa && key.asymmetricKeyType !== 'rsa')
    throw new MediaprocError('INVALID_FILE', `Keys of the kind ${key.asymmetricKeyType} cannot sign PDFs`, {
      hint: 'Use a certificate with an RSA or ECDSA key.',
    })
  const { issuer, serial } = namesOf(certificate)
  const id = encode(TAG.sequence, encode(TAG.octets, hash('sha256', certificate.raw)))
  const attributes = [
    attribute(OID.contentType, encodeOid(OID.data)),
    attribute(OID.messageDigest, encode(TAG.octets, digest)),
    attribute(OID.signingCertificateV2, encode(TAG.sequence, encode(TAG.sequence, id))),
    // DER sorts the elements of a set.
  ].sort(Buffer.compare)
  const signature = sign('sha256', encode(TAG.set, ...attributes), key)
  const signer = encode(
    TAG.sequence,
    encode(TAG.integer, Buffer.from([1])),
    encode(TAG.sequence, issuer, serial),
    algorithm(OID.sha256),
    encode(TAG.context, ...attributes),
    isEcdsa ? algorithm(OID.ecdsaSha256) : algorithm(OID.rsa, encode(TAG.null)),
    encode(TAG.octets, signature),
  )
  const signed = encode(
    TAG.sequence,
    encode(TAG.integer, Buffer.from([1])),
    encode(TAG.set, algorithm(OID.sha256)),
    encode(TAG.sequence, encodeOid(OID.data)),
    encode(TAG.context, ...[certificate, ...others].map(({ raw }) => raw)),
    encode(TAG.set, signer),
  )
  return encode(TAG.sequence, encodeOid(OID.signedData), encode(TAG.context, signed))
}

/** The issuer and the serial number of a certificate, encoded. */
function namesOf({ raw }: X509Certificate): { issuer: Buffer; serial: Buffer } {
  const fields = decode(raw).children[0]?.children ?? []
  // The version comes first, except in version 1.
  const at = fields[0]?.tag === TAG.context ? 1 : 0
  const [serial, issuer] = [fields[at], fields[at + 2]]
  if (!serial || !issuer) throw new Error('The certificate is damaged')
  return { issuer: issuer.whole, serial: serial.whole }
}

/** What a CMS signature says, and whether it is right. */
export interface CmsCheck {
  certificate: X509Certificate
  others: X509Certificate[]
  digestAlgorithm: string
  /** The signed bytes are those of the document. */
  isDigestValid: boolean
  /** The key of the certificate made the signature. */
  isSignatureValid: boolean
  /** The certificate is part of what is signed, and is the one that was used. */
  isCertificateSigned: boolean
  hasTimeStamp: boolean
  signingTime?: Date | undefined
}

/**
 * Checks a signature of the given bytes.
 * @param isSha1 of the older kind adbe.pkcs7.sha1, which has the SHA-1 of the bytes inside; all others are detached
 * @throws Error for a structure that cannot be read
 */
export function checkCms(encoded: Buffer, signedBytes: Buffer, isSha1 = false): CmsCheck {
  const [type, wrapped] = decode(encoded).children
  if (!type || oidOf(type) !== OID.signedData) throw new Error('It is no CMS signature')
  const parts = wrapped?.children[0]?.children ?? []
  const certificates = certificatesOf(parts.find(({ tag }) => tag === TAG.context))
  const signers = parts.at(-1)?.children ?? []
  const signer = signers[0]?.children
  if (!signer || signers.length !== 1) throw new Error('It has not exactly one signer')
  const certificate = certificates.find((one) => isSigner(one, signer[1]))
  if (!certificate) throw new Error('The certificate of the signer is missing')
  const digestAlgorithm = DIGESTS[oidOf(child(signer[2], 0))]
  if (!digestAlgorithm) throw new Error('Its digest algorithm is not supported')
  const attributes = signer[3]?.tag === TAG.context ? signer[3] : undefined
  const [method, value] = signer.slice(attributes ? 4 : 3)
  if (!method || value?.tag !== TAG.octets) throw new Error('The signature is missing')
  const content = contentOf(parts[2])
  const digest = hash(digestAlgorithm, content ?? signedBytes)
  const stated = attributeValue(attributes, OID.messageDigest)?.content
  const isContentValid = isSha1 ? (content?.equals(hash('sha1', signedBytes)) ?? false) : !content
  const message = attributes ? encode(TAG.set, attributes.content) : (content ?? signedBytes)
  const isSignatureValid = verifyWith(certificate, digestAlgorithm, oidOf(child(method, 0)), message, value.content)
  const unsigned = signer.at(-1)
  return {
    certificate,
    others: certificates.filter((one) => one !== certificate),
    digestAlgorithm,
    isDigestValid: isContentValid && (attributes ? (stated?.equals(digest) ?? false) : isSignatureValid),
    isSignatureValid,
    isCertificateSigned: namesCertificate(attributes, certificate),
    hasTimeStamp: unsigned?.tag === TAG.context + 1 && attributeValue(unsigned, OID.timeStamp) !== undefined,
    signingTime: timeOf(attributeValue(attributes, OID.signingTime)),
  }
}

function child(node: Node | undefined, index: number): Node {
  const found = node?.children[index]
  if (!found) throw new Error('A part is missing')
  return found
}

function certificatesOf(node: Node | undefined): X509Certificate[] {
  return (node?.children ?? []).filter(({ tag }) => tag === TAG.sequence).map(({ whole }) => new X509Certificate(whole))
}

/** Whether a signer is named by issuer and serial number, or by the key identifier. */
function isSigner(certificate: X509Certificate, name: Node | undefined): boolean {
  if (!name) return false
  // [0]: the key identifier, which the certificate repeats in an extension.
  if (name.tag === 0x80) return certificate.raw.includes(name.content)
  const { issuer, serial } = namesOf(certificate)
  return name.content.equals(Buffer.concat([issuer, serial]))
}

/** The content inside the signature, if any. */
function contentOf(node: Node | undefined): Buffer | undefined {
  const octets = node?.children[1]?.children[0]
  if (!octets) return undefined
  return octets.children.length > 0 ? Buffer.concat(octets.children.map(({ content }) => content)) : octets.content
}

function attributeValue(attributes: Node | undefined, oid: string): Node | undefined {
  const found = attributes?.children.find((one) => one.children[0] && oidOf(one.children[0]) === oid)
  return found?.children[1]?.children[0]
}

function verifyWith(
  certificate: X509Certificate,
  digest: string,
  method: string,
  message: Buffer,
  signature: Buffer,
): boolean {
  const key = certificate.publicKey
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO }
  try {
    return verify(digest, message, method === OID.rsaPss ? { key, ...padding } : key, signature)
  } catch {
    return false
  }
}

function namesCertificate(attributes: Node | undefined, certificate: X509Certificate): boolean {
  const id = attributeValue(attributes, OID.signingCertificateV2)?.children[0]?.children[0]
  if (!id) return false
  const [first, second] = id.children
  const isDefault = first?.tag === TAG.octets
  const digest = isDefault ? 'sha256' : first && DIGESTS[oidOf(child(first, 0))]
  const value = isDefault ? first : second
  if (digest === undefined || !value) return false
  return value.content.equals(hash(digest, certificate.raw))
}

/** UTCTime or GeneralizedTime. */
function timeOf(node: Node | undefined): Date | undefined {
  const text = node?.content.toString('latin1') ?? ''
  const full = node?.tag === 0x17 ? `${Number(text.slice(0, 2)) < 50 ? '20' : '19'}${text}` : text
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)/.exec(full) ?? []
  if (year === undefined) return undefined
  return new Date(Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)))
}
