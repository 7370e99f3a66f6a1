/** WebAuthn in the browser: the server's options in, answers as JSON out. */
import { call } from '../api/call.ts'
import { STRINGS } from '../strings.ts'

/** Whether this browser supports passkeys; it does so only over https and on localhost. */
export const canUsePasskeys = typeof PublicKeyCredential === 'function'

const toBytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))

const toText = (buffer: ArrayBuffer): string =>
  btoa(Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

interface Descriptor {
  id: string
  type: 'public-key'
}

interface CreationOptions
  extends Omit<PublicKeyCredentialCreationOptions, 'challenge' | 'user' | 'excludeCredentials'> {
  challenge: string
  user: { id: string; name: string; displayName: string }
  excludeCredentials: Descriptor[]
}

interface RequestOptions extends Omit<PublicKeyCredentialRequestOptions, 'challenge' | 'allowCredentials'> {
  challenge: string
  allowCredentials: Descriptor[]
}

const withBytes = (list: readonly Descriptor[]): PublicKeyCredentialDescriptor[] =>
  list.map((one) => ({ ...one, id: toBytes(one.id) }))

/** Replaces the messages of browsers, which are technical and differ. */
async function ask(make: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  try {
    return (await make()) as PublicKeyCredential
  } catch (error) {
    const { name, message } = error as Error
    if (name === 'InvalidStateError') throw new Error(STRINGS.passkeys.alreadyHere)
    if (name === 'NotAllowedError') throw new Error(STRINGS.passkeys.cancelled)
    throw new Error(`${STRINGS.passkeys.notAvailable}: ${message}`)
  }
}

/** Registers a passkey. @param token a credential other than the cookie, if needed */
export async function registerPasskey(name: string, token?: string): Promise<void> {
  const by = token === undefined ? {} : { token }
  const path = 'api/auth/passkeys/register'
  const options = await call<CreationOptions>(`${path}/options`, { method: 'POST', body: {}, ...by })
  const { id, response } = await ask(() =>
    navigator.credentials.create({
      publicKey: {
        ...options,
        challenge: toBytes(options.challenge),
        user: { ...options.user, id: toBytes(options.user.id) },
        excludeCredentials: withBytes(options.excludeCredentials),
      },
    }),
  )
  const made = response as AuthenticatorAttestationResponse
  const credential = {
    id,
    response: {
      clientDataJSON: toText(made.clientDataJSON),
      attestationObject: toText(made.attestationObject),
      transports: made.getTransports?.() ?? [],
    },
  }
  await call(`${path}/verify`, { method: 'POST', body: { credential, ...(name && { name }) }, ...by })
}

/** Asks the user for a passkey. @param path returns the options; @param body is sent there */
export async function usePasskey(path: string, body: object = {}): Promise<object> {
  const options = await call<RequestOptions>(path, { method: 'POST', body, mayBeSignedOut: true })
  const { id, response } = await ask(() =>
    navigator.credentials.get({
      publicKey: {
        ...options,
        challenge: toBytes(options.challenge),
        allowCredentials: withBytes(options.allowCredentials),
      },
    }),
  )
  const made = response as AuthenticatorAssertionResponse
  return {
    id,
    response: {
      clientDataJSON: toText(made.clientDataJSON),
      authenticatorData: toText(made.authenticatorData),
      signature: toText(made.signature),
      userHandle: made.userHandle ? toText(made.userHandle) : null,
    },
  }
}
