/** An authenticator for passkeys by hand, with node:crypto: what a browser would send, and what it would never send. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest()

/** CBOR, as far as attestations need it. */
function cbor(value: number | string | Buffer | Map<unknown, unknown>): Buffer {
  const head = (major: number, size: number): Buffer =>
    size < 24
      ? Buffer.from([(major << 5) | size])
      : size < 256
        ? Buffer.from([(major << 5) | 24, size])
        : Buffer.from([(major << 5) | 25, size >> 8, size & 255])
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  const pairs = [...value].flatMap(([key, one]) => [cbor(key as number), cbor(one as number)])
  return Buffer.concat([head(5, value.size), ...pairs])
}

/** What differs from an honest answer. */
export interface Bent {
  origin?: string
  rpId?: string
  type?: string
  counter?: number
  /** 0x01 user present, 0x04 user verified. */
  flags?: number
  userHandle?: string | null
  id?: string
  key?: KeyObject
  /** Attestation format and statement. */
  statement?: { fmt: string; attStmt: Map<unknown, unknown> }
}

const [PRESENT, VERIFIED, ATTESTED] = [0x01, 0x04, 0x40]

export class Authenticator {
  readonly id = randomBytes(32).toString('base64url')
  readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  readonly origin: string
  counter = 0
  userHandle = ''

  constructor(origin: string) {
    this.origin = origin
  }

  #clientData(type: string, challenge: string, { origin = this.origin, type: bent = type }: Bent): Buffer {
    return Buffer.from(JSON.stringify({ type: bent, challenge, origin, crossOrigin: false }))
  }

  #authData(rpId: string, flags: number, counter: number): Buffer {
    const tail = Buffer.alloc(5)
    tail[0] = flags
    tail.writeUInt32BE(counter, 1)
    return Buffer.concat([sha256(rpId), tail])
  }

  /** Answer of `navigator.credentials.create`. */
  create(options: { challenge: string; rp: { id: string }; user: { id: string } }, bent: Bent = {}) {
    this.userHandle = options.user.id
    const { x, y } = this.keys.publicKey.export({ format: 'jwk' })
    const key = cbor(
      new Map<number, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x!, 'base64url')],
        [-3, Buffer.from(y!, 'base64url')],
      ]),
    )
    const id = Buffer.from(this.id, 'base64url')
    const authData = Buffer.concat([
      this.#authData(bent.rpId ?? options.rp.id, (bent.flags ?? PRESENT | VERIFIED) | ATTESTED, bent.counter ?? 0),
      Buffer.alloc(16),
      Buffer.from([id.length >> 8, id.length & 255]),
      id,
      key,
    ])
    const { fmt, attStmt } = bent.statement ?? { fmt: 'none', attStmt: new Map() }
    const attestation = new Map<string, unknown>([
      ['fmt', fmt],
      ['attStmt', attStmt],
      ['authData', authData],
    ])
    return {
      id: bent.id ?? this.id,
      rawId: this.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: this.#clientData('webauthn.create', options.challenge, bent).toString('base64url'),
        attestationObject: cbor(attestation).toString('base64url'),
        transports: ['internal'],
      },
    }
  }

  /** Answer of `navigator.credentials.get`. */
  get(options: { challenge: string; rpId: string }, bent: Bent = {}) {
    this.counter = bent.counter ?? this.counter + 1
    const clientData = this.#clientData('webauthn.get', options.challenge, bent)
    const authData = this.#authData(bent.rpId ?? options.rpId, bent.flags ?? PRESENT | VERIFIED, this.counter)
    const signed = Buffer.concat([authData, sha256(clientData)])
    return {
      id: bent.id ?? this.id,
      rawId: bent.id ?? this.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: sign('sha256', signed, bent.key ?? this.keys.privateKey).toString('base64url'),
        userHandle: bent.userHandle === undefined ? this.userHandle : bent.userHandle,
      },
    }
  }
}
