import { createVerify } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { MediaprocError } from '../../errors.ts'
import { logoutFacts } from './saml-facts.ts'
import { samlLibrary } from './saml-library.ts'
import { checkedBody, decodeMessage, MAX_AGE_MS, MAX_MESSAGE } from './saml-message.ts'

/** A logout request as it arrived. */
export type LogoutMessage =
  /** HTTP-POST binding: the XML contains its signature. */
  | { binding: 'post'; message: string }
  /** HTTP-Redirect binding: the query contains the signature, over its own characters. */
  | { binding: 'redirect'; query: string }

/** Expected values of a logout request. */
export interface LogoutExpectations {
  idpCertificates: readonly string[]
  entityId: string
  /** undefined accepts any issuer that the certificates sign for. */
  idpEntityId?: string | undefined
  /** URL of this server for logout messages. */
  logoutUrl: string
  /** The server's own key, which decrypts an encrypted NameID; PEM. */
  privateKey?: string | undefined
  clockToleranceMs: number
}

/** A valid logout request. */
export interface LogoutRequest {
  id: string
  issuer: string
  nameId: string
  /** The provider's names of the sessions; empty for all of the user. */
  sessionIndexes: readonly string[]
}

const wrong = (reason: string): MediaprocError => new MediaprocError('INVALID_CREDENTIALS', reason)

/** Hash by signature algorithm (RFC 6931); RSA only, as providers sign the HTTP-Redirect binding. */
const HASHES: Readonly<Record<string, string>> = {
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256': 'sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha384': 'sha384',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512': 'sha512',
}

/** The raw values of a query by name. @throws INVALID_CREDENTIALS for a repeated name */
function rawParameters(query: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const part of query.split('&')) {
    const [name = '', ...value] = part.split('=')
    if (found.has(name)) throw wrong('the query has a parameter twice')
    found.set(name, value.join('='))
  }
  return found
}

const decoded = (raw: string | undefined): string => {
  try {
    return decodeURIComponent((raw ?? '').replaceAll('+', ' '))
  } catch {
    throw wrong('the query is not encoded correctly')
  }
}

/**
 * Verifies a message of the HTTP-Redirect binding (SAML V2.0 Bindings, section 3.4.4.1): the signature covers the encoded
 * parameters in a fixed order.
 * @returns the XML and its base64 form
 * @throws INVALID_CREDENTIALS
 */
function readRedirect(query: string, certificates: readonly string[]): { xml: string; message: string } {
  const raw = rawParameters(query)
  const hash = HASHES[decoded(raw.get('SigAlg'))]
  if (hash === undefined) throw wrong('the request is not signed with an accepted algorithm')
  const signed = ['SAMLRequest', 'RelayState', 'SigAlg']
    .filter((name) => raw.has(name))
    .map((name) => `${name}=${raw.get(name)}`)
    .join('&')
  const signature = decoded(raw.get('Signature'))
  const isSigned = certificates.some((key) => createVerify(hash).update(signed).verify(key, signature, 'base64'))
  if (!isSigned) throw wrong('the signature of the request is not valid')
  const message = decoded(raw.get('SAMLRequest'))
  try {
    const bytes = inflateRawSync(Buffer.from(message, 'base64'), { maxOutputLength: MAX_MESSAGE })
    return { xml: bytes.toString('utf8'), message }
  } catch {
    throw wrong('the request is not compressed correctly')
  }
}

/**
 * Checks a logout request completely: signed by the provider, for this server, and recent. Reads only signed content.
 * @throws INVALID_CREDENTIALS; the library's error
 */
export async function readLogoutRequest(sent: LogoutMessage, expected: LogoutExpectations): Promise<LogoutRequest> {
  const { idpCertificates, entityId, idpEntityId, logoutUrl, privateKey, clockToleranceMs } = expected
  const { SAML } = await samlLibrary()
  const saml = new SAML({
    ...{ idpCert: [...idpCertificates], issuer: entityId, callbackUrl: logoutUrl },
    ...{ acceptedClockSkewMs: clockToleranceMs, ...(privateKey !== undefined && { decryptionPvk: privateKey }) },
  })
  const { xml, message } =
    sent.binding === 'redirect'
      ? readRedirect(sent.query, idpCertificates)
      : { xml: decodeMessage(sent.message), message: sent.message }
  if (!/^<(?:[\w.-]+:)?LogoutRequest(?=[\s>])/.test(checkedBody(xml))) throw wrong('the message is no logout request')
  // Without a signature in its arguments, the library's function for redirects only reads the verified message.
  const { profile } =
    sent.binding === 'redirect'
      ? await saml.validateRedirectAsync({ SAMLRequest: message }, '')
      : await saml.validatePostRequestAsync({ SAMLRequest: message })
  const facts = await logoutFacts(xml)
  if (!profile?.nameID || !facts.id || !facts.issuer) throw wrong('the request names no user, issuer or ID')
  if (idpEntityId !== undefined && facts.issuer !== idpEntityId)
    throw wrong('the request is from another identity provider')
  if (facts.destination !== undefined && facts.destination !== logoutUrl)
    throw wrong('the request is for another address')
  const age = Date.now() - Date.parse(facts.issueInstant ?? '')
  if (!(age <= MAX_AGE_MS + clockToleranceMs && age >= -clockToleranceMs))
    throw wrong('the request is too old, or from the future')
  return { id: facts.id, issuer: facts.issuer, nameId: profile.nameID, sessionIndexes: facts.sessionIndexes }
}
