import { exactly, flag, listOf, moment, momentOrNull, text } from './shapes.ts'

/** A base64url value of a browser, with its maximum length in characters. */
const bytes = (maxLength: number, description: string) => ({
  type: 'string',
  minLength: 1,
  maxLength,
  pattern: '^[A-Za-z0-9_-]+$',
  description,
})

/** 1023 bytes, the maximum of WebAuthn, in base64url. */
const ID = bytes(1364, 'the credential id, base64url')
const CLIENT_DATA = bytes(4096, 'base64url')

/** Body: what `navigator.credentials.get` returns, as JSON. Other fields of it are ignored. */
export const ASSERTION = {
  type: 'object',
  required: ['id', 'response'],
  properties: {
    id: ID,
    response: {
      type: 'object',
      required: ['clientDataJSON', 'authenticatorData', 'signature'],
      properties: {
        clientDataJSON: CLIENT_DATA,
        authenticatorData: bytes(4096, 'base64url'),
        signature: bytes(2048, 'base64url'),
        userHandle: { type: ['string', 'null'], maxLength: 100, description: 'base64url' },
      },
    },
  },
}

/** Body: what `navigator.credentials.create` returns, as JSON. Other fields of it are ignored. */
export const ATTESTATION = {
  type: 'object',
  required: ['id', 'response'],
  properties: {
    id: ID,
    response: {
      type: 'object',
      required: ['clientDataJSON', 'attestationObject'],
      properties: {
        clientDataJSON: CLIENT_DATA,
        attestationObject: bytes(16_384, 'base64url'),
        transports: { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 30 } },
      },
    },
  },
}

const DESCRIPTORS = listOf(exactly({ type: text, id: text, transports: listOf(text) }))

/** Answer: for `PublicKeyCredential.parseRequestOptionsFromJSON`. */
export const REQUEST_OPTIONS = exactly({
  challenge: { ...text, description: 'valid once, for five minutes' },
  rpId: text,
  timeout: { type: 'integer', description: 'in milliseconds' },
  userVerification: text,
  allowCredentials: DESCRIPTORS,
})

/** Answer: for `PublicKeyCredential.parseCreationOptionsFromJSON`. */
export const CREATION_OPTIONS = exactly({
  challenge: { ...text, description: 'valid once, for five minutes' },
  rp: exactly({ id: text, name: text }),
  user: exactly({ id: text, name: text, displayName: text }),
  pubKeyCredParams: listOf(exactly({ type: text, alg: { type: 'integer' } })),
  timeout: { type: 'integer', description: 'in milliseconds' },
  excludeCredentials: DESCRIPTORS,
  authenticatorSelection: exactly({ residentKey: text, requireResidentKey: flag, userVerification: text }),
  attestation: text,
})

export const PASSKEY = exactly({
  id: text,
  name: text,
  isBackedUp: { ...flag, description: 'whether it is synchronized to other devices' },
  createdAt: moment,
  lastUsedAt: momentOrNull,
})
