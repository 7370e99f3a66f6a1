import { MediaprocError } from '../../errors.ts'
import { responseFacts } from './saml-facts.ts'
import { samlLibrary } from './saml-library.ts'

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
  /** When the provider wants the session to end, milliseconds since 1970. */
  sessionEnds?: number
}

/** Longest response, in base64 characters: those with hundreds of groups are far shorter. */
export const MAX_RESPONSE = 400_000
/** Maximum age of an assertion. */
const MAX_AGE_MS = 600_000

/** Maximum nesting depth; a response has a dozen levels. Parsers and signatures take time quadratic in the depth. */
const MAX_DEPTH = 60

/** Maximum number of tags, including closing ones: a response with 2,000 groups has about 4,100. */
const MAX_TAGS = 6000
/** Maximum number of attributes of all elements. */
const MAX_ATTRIBUTES = 6000

const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success'

const wrong = (reason: string): MediaprocError => new MediaprocError('INVALID_CREDENTIALS', reason)

/**
 * Decodes the XML of a response and the attributes of its first tag. Refuses type and entity declarations, comments and
 * processing instructions: valid responses have none, and attacks exploit how parsers handle them.
 *
 * @throws INVALID_CREDENTIALS
 */
export function readEnvelope(base64: string): { xml: string; inResponseTo: string; destination: string | undefined } {
  if (base64.length > MAX_RESPONSE) throw wrong('the response is too long')
  if (!/^[A-Za-z0-9+/=\s]+$/.test(base64)) throw wrong('the response is not base64')
  const xml = Buffer.from(base64, 'base64').toString('utf8')
  const body = xml.replace(/^\uFEFF?\s*<\?xml [^?<>]*\?>/, '').trimStart()
  if (/<[!?]/.test(body)) throw wrong('the response holds declarations or comments')
  // Canonicalization takes time quadratic in these.
  if (countOf(body, /</g) > MAX_TAGS) throw wrong('the response has too many elements')
  if (countOf(body, /=\s*["']/g) > MAX_ATTRIBUTES) throw wrong('the response has too many attributes')
  if (depthOf(body) > MAX_DEPTH) throw wrong('the response is nested too deep')
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

const countOf = (text: string, what: RegExp): number => text.match(what)?.length ?? 0

/** The maximum nesting depth; arbitrary for text that is not XML. */
function depthOf(xml: string): number {
  let [depth, deepest] = [0, 0]
  for (const tag of xml.split('<').slice(1)) {
    if (tag.startsWith('/')) depth--
    else if (tag[tag.lastIndexOf('>') - 1] !== '/') depth++
    deepest = Math.max(deepest, depth)
  }
  return deepest
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
  return {
    ...(sessionEnds !== undefined && { sessionEnds }),
    assertionId,
    issuer: profile.issuer,
    nameId: profile.nameID,
    nameIdFormat: profile.nameIDFormat ?? null,
    attributes: attributesOf(assertion),
  }
}
