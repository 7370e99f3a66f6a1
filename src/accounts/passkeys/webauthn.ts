/**
 * Verification of WebAuthn responses: the adapter of @simplewebauthn/server. Loaded at the first response whose challenge
 * and credential are valid, because loading takes half a second.
 */
import type { PasskeyRecord } from '../../store/records.ts'

/** COSE algorithms: ECDSA with P-256, Ed25519, RSA with SHA-256. Together they cover all common authenticators. */
export const ALGORITHMS = [-7, -8, -257]

/** The server as authenticators know it. */
export interface RelyingParty {
  /** The RP ID: a domain that the origin belongs to. */
  id: string
  /** Origin of the pages that may use passkeys. */
  origin: string
  /** Shown by authenticators. */
  name: string
}

/** Answer of `navigator.credentials.create`; all binary fields are base64url. */
export interface Attestation {
  id: string
  response: { clientDataJSON: string; attestationObject: string; transports?: readonly string[] }
}

/** Answer of `navigator.credentials.get`; all binary fields are base64url. */
export interface Assertion {
  id: string
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string | null }
}

export type NewCredential = Pick<PasskeyRecord, 'id' | 'publicKey' | 'counter' | 'isBackedUp'>

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, 'base64url'))
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

/** The challenge in a response of a browser; undefined when it contains none. Not verified. */
export function challengeIn(clientDataJSON: string): string | undefined {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as { challenge?: unknown }
    return typeof challenge === 'string' ? challenge : undefined
  } catch {
    return undefined
  }
}

/**
 * Verifies a new credential with user verification and returns it. The attestation statement is dropped before the
 * verification: it is not needed, and checking one can fetch certificate revocation lists from addresses in it.
 *
 * @throws Error with the reason
 */
export async function verifyAttestation(
  { id, response }: Attestation,
  challenge: string,
  party: RelyingParty,
): Promise<NewCredential> {
  const [{ verifyRegistrationResponse }, { decodeAttestationObject, isoCBOR }] = await Promise.all([
    import('@simplewebauthn/server'),
    import('@simplewebauthn/server/helpers'),
  ])
  const authData = decodeAttestationObject(bytesOf(response.attestationObject)).get('authData')
  const withoutStatement = new Map<string, unknown>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', authData],
  ])
  const attestationObject = textOf(isoCBOR.encode(withoutStatement as Parameters<typeof isoCBOR.encode>[0]))
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: {
      ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
      response: { clientDataJSON: response.clientDataJSON, attestationObject },
    },
    ...{ expectedChallenge: challenge, expectedOrigin: party.origin, expectedRPID: party.id },
    ...{ requireUserVerification: true, supportedAlgorithmIDs: ALGORITHMS },
  })
  if (!verified) throw new Error('the attestation is not valid')
  const { credential, credentialBackedUp: isBackedUp } = registrationInfo
  if (credential.id !== id) throw new Error('the credential id differs from that in the authenticator data')
  return { id, publicKey: textOf(credential.publicKey), counter: credential.counter, isBackedUp }
}

/**
 * Verifies a signature with user verification; the caller compares the counter.
 *
 * @returns the signature counter and whether the passkey is synchronized
 * @throws Error with the reason
 */
export async function verifyAssertion(
  { id, response }: Assertion,
  challenge: string,
  party: RelyingParty,
  { publicKey }: Pick<PasskeyRecord, 'publicKey'>,
): Promise<Pick<PasskeyRecord, 'counter' | 'isBackedUp'>> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const { clientDataJSON, authenticatorData, signature } = response
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: {
      ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
      response: { clientDataJSON, authenticatorData, signature },
    },
    ...{ expectedChallenge: challenge, expectedOrigin: party.origin, expectedRPID: party.id },
    // 0: the library would report a counter that went back like any other error.
    ...{ requireUserVerification: true, credential: { id, publicKey: bytesOf(publicKey), counter: 0 } },
  })
  if (!verified) throw new Error('the signature is not valid')
  return { counter: authenticationInfo.newCounter, isBackedUp: authenticationInfo.credentialBackedUp }
}
