import { MediaprocError } from '../../errors.ts'
import { responseFacts } from './saml-facts.ts'
import { samlLibrary } from './saml-library.ts'
import { checkedBody, decodeMessage, MAX_AGE_MS } from './saml-message.ts'

/** Expected values of a response from an identity provider. */
export interface SamlExpectations {
  /** Certificates of the identity provider, PEM. */
  idpCertificates: readonly string[]
  entityId: string
  /** Entity ID of the identity provider; undefined accepts any issuer that its certificates sign for. */
  idpEntityId?: string | undefined
  callbackUrl: string
  /** The server's own key, which decrypts assertions; PEM. */
  privateKey?: string | undefined
  clockToleranceMs: number
  /** The request that the response must answer. */
  requestId: string
}

/** User information of a valid response. */
export interface SamlUser {
  assertionId: string
  issuer: string
  nameId: string
  nameIdFormat: string | null
  attributes: Readonly<Record<string, readonly string[]>>
  /** The provider's name for its session. */
  sessionIndex?: string
  /** When the provider wants the session to end, milliseconds since 1970. */
  sessionEnds?: number
}

const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success'

const wrong = (reason: string): MediaprocError => new MediaprocError('INVALID_CREDENTIALS', reason)

/** Decodes the XML of a response and the attributes of its first tag. @throws INVALID_CREDENTIALS */
export function readEnvelope(base64: string): { xml: string; inResponseTo: string; destination: string | undefined } {
  const xml = decodeMessage(base64)
  const body = checkedBody(xml)
  const [root] = /^<(?:[\w.-]+:)?Response(?=[\s>])[^<>]*>/.exec(body) ?? []
  if (root === undefined) throw wrong('it is no response')
  const attribute = (name: string): string | undefined =>
    new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`)
      .exec(root)
      ?.slice(1)
      .find((value) => value !== undefined)
  const inResponseTo = attribute('InResponseTo')
  if (inResponseTo === undefined) throw wrong('nobody asked for this response')
  return { xml, inResponseTo, destination: attribute('Destination') }
}

/** An element as parsed by xml2js. */
interface Parsed {
  $?: Record<string, string>
  _?: string
  [name: string]: unknown
}

const children = (parent: Parsed | undefined, name: string): Parsed[] => (parent?.[name] as Parsed[] | undefined) ?? []

/** Bearer check: the assertion must be for this recipient, in response to this request, and currently valid. */
function checkBearer(assertion: Parsed, { callbackUrl, requestId, clockToleranceMs }: SamlExpectations): void {
  const [subject, ...more] = children(assertion, 'Subject')
  if (more.length > 0) throw wrong('the assertion has several subjects')
  const isOurs = children(subject, 'SubjectConfirmation').some(({ $, SubjectConfirmationData }) => {
    const data = (SubjectConfirmationData as Parsed[] | undefined)?.[0]?.$ ?? {}
    const ends = Date.parse(data.NotOnOrAfter ?? '')
    return (
      $?.Method === 'urn:oasis:names:tc:SAML:2.0:cm:bearer' &&
      data.Recipient === callbackUrl &&
      data.InResponseTo === requestId &&
      ends > Date.now() - clockToleranceMs &&
      data.NotBefore === undefined
    )
  })
  if (!isOurs) throw wrong('the assertion is for another recipient or request, or has expired')
}

function attributesOf(assertion: Parsed): Record<string, string[]> {
  const found: Record<string, string[]> = Object.create(null)
  for (const statement of children(assertion, 'AttributeStatement'))
    for (const attribute of children(statement, 'Attribute')) {
      const name = attribute.$?.Name
      if (name === undefined) continue
      const values = children(attribute, 'AttributeValue').map((value) => value?._)
      found[name] = [...(found[name] ?? []), ...values.filter((value) => typeof value === 'string')]
    }
  return found
}

/**
 * Status, issuer and time of the response itself, whose signature was verified.
 * @param issuer of the assertion
 */
async function checkResponse(xml: string, issuer: string, expected: SamlExpectations): Promise<void> {
  const { clockToleranceMs, idpEntityId } = expected
  const facts = await responseFacts(xml)
  if (facts.status !== SUCCESS) throw wrong(`the status of the response is ${facts.status?.slice(0, 100)}`)
  if (facts.issuer !== undefined && facts.issuer !== issuer)
    throw wrong('response and assertion are from different issuers')
  if (idpEntityId !== undefined && issuer !== idpEntityId) throw wrong('the response is from another identity provider')
  const age = Date.now() - Date.parse(facts.issueInstant ?? '')
  if (!(age <= MAX_AGE_MS + clockToleranceMs && age >= -clockToleranceMs))
    throw wrong('the response is too old, or from the future')
}

/** The earliest end of the session that a statement names. */
function sessionEnd(assertion: Parsed): number | undefined {
  const ends = children(assertion, 'AuthnStatement').flatMap(({ $ }) => $?.SessionNotOnOrAfter ?? [])
  if (ends.length === 0) return undefined
  const first = Math.min(...ends.map((text) => Date.parse(text)))
  if (Number.isNaN(first)) throw wrong('the end of the session is no time')
  return first
}

/**
 * Checks a response completely: the provider must have signed response and assertion, for this service, in response to
 * this request, within the validity period. Reads only signed content.
 *
 * @throws the library's error; INVALID_CREDENTIALS
 */
export async function readSamlResponse(base64: string, expected: SamlExpectations): Promise<SamlUser> {
  const { xml, destination, inResponseTo } = readEnvelope(base64)
  if (inResponseTo !== expected.requestId) throw wrong('the response answers another request')
  if (destination !== undefined && destination !== expected.callbackUrl)
    throw wrong('the response is for another address')
  const { SAML } = await samlLibrary()
  const saml = new SAML({
    idpCert: [...expected.idpCertificates],
    issuer: expected.entityId,
    audience: expected.entityId,
    callbackUrl: expected.callbackUrl,
    wantAuthnResponseSigned: true,
    wantAssertionsSigned: true,
    // The check of this module is stateless and stricter: see checkBearer.
    validateInResponseTo: 'never',
    acceptedClockSkewMs: expected.clockToleranceMs,
    maxAssertionAgeMs: MAX_AGE_MS,
    ...(expected.privateKey !== undefined && { decryptionPvk: expected.privateKey }),
  })
  const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: base64 })
  const assertion = (profile?.getAssertion?.() as { Assertion?: Parsed } | undefined)?.Assertion
  const assertionId = assertion?.$?.ID
  if (!profile?.nameID || !profile.issuer || !assertion || !assertionId) throw wrong('the assertion names nobody')
  await checkResponse(xml, profile.issuer, expected)
  checkBearer(assertion, expected)
  const conditions = children(assertion, 'Conditions')[0]?.$
  if (conditions?.NotOnOrAfter === undefined) throw wrong('the assertion has no end')
  const sessionEnds = sessionEnd(assertion)
  if (sessionEnds !== undefined && sessionEnds <= Date.now() - expected.clockToleranceMs)
    throw wrong('the session at the provider has ended')
  const sessionIndex = children(assertion, 'AuthnStatement')[0]?.$?.SessionIndex
  return {
    ...(sessionEnds !== undefined && { sessionEnds }),
    ...(sessionIndex !== undefined && { sessionIndex }),
    assertionId,
    issuer: profile.issuer,
    nameId: profile.nameID,
    nameIdFormat: profile.nameIDFormat ?? null,
    attributes: attributesOf(assertion),
  }
}
