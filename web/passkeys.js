/** WebAuthn in the browser: the server's options in, answers as JSON out. */
import { call } from './common.js'

/** Whether this browser supports passkeys; it does so only over https and on localhost. */
export const canUsePasskeys = typeof PublicKeyCredential === 'function'

const toBytes = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))

const toText = (buffer) =>
  btoa(Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const withBytes = (list) => list.map((one) => ({ ...one, id: toBytes(one.id) }))

/** Replaces the messages of browsers, which are technical and differ. */
async function ask(request) {
  try {
    return await request()
  } catch (error) {
    if (error.name === 'InvalidStateError') throw new Error('This device already has a passkey for your account.')
    if (error.name === 'NotAllowedError') throw new Error('The passkey request was cancelled or timed out. Try again.')
    throw new Error(`Passkeys are not available here: ${error.message}`)
  }
}

/** Registers a passkey. @param token a credential other than the cookie, if needed */
export async function registerPasskey(name, token) {
  const options = await call('POST', 'api/auth/passkeys/register/options', {}, token)
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
  const credential = {
    id,
    response: {
      clientDataJSON: toText(response.clientDataJSON),
      attestationObject: toText(response.attestationObject),
      transports: response.getTransports?.() ?? [],
    },
  }
  return call('POST', 'api/auth/passkeys/register/verify', { credential, ...(name && { name }) }, token)
}

/** Asks the user for a passkey. @param path returns the options; @param body is sent there */
export async function usePasskey(path, body = {}) {
  const options = await call('POST', path, body)
  const { id, response } = await ask(() =>
    navigator.credentials.get({
      publicKey: {
        ...options,
        challenge: toBytes(options.challenge),
        allowCredentials: withBytes(options.allowCredentials),
      },
    }),
  )
  return {
    id,
    response: {
      clientDataJSON: toText(response.clientDataJSON),
      authenticatorData: toText(response.authenticatorData),
      signature: toText(response.signature),
      userHandle: response.userHandle ? toText(response.userHandle) : null,
    },
  }
}
