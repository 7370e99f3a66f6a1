import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { MediaprocError } from '../../errors.ts'

const ALGORITHM = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16
/** Prefix of a text that is stored in plain, because no key is configured. */
const PLAIN = 'plain'

interface Key {
  /** Start of the key's hash: identifies the key that a text needs without revealing it. */
  id: string
  bytes: Buffer
}

function parseKey(text: string, name: string): Key | undefined {
  if (text === '') return undefined
  // The message must not contain the value itself.
  if (!/^[0-9a-f]{64}$/i.test(text))
    throw new MediaprocError('INVALID_CONFIG', `Expected 64 hexadecimal digits for ${name}`, {
      hint: 'openssl rand -hex 32 makes such a key.',
    })
  const bytes = Buffer.from(text, 'hex')
  return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 8), bytes }
}

/**
 * Stores secrets that must be read again (second factors, secret settings) encrypted with AES-256-GCM if the operator
 * has configured a key. Each text is bound to its record: it cannot be decrypted in another record.
 */
export class Vault {
  readonly #current: Key | undefined
  readonly #keys: readonly Key[]

  /** @throws MediaprocError INVALID_CONFIG for an invalid key */
  constructor({ current = '', previous = '' }: { current?: string; previous?: string } = {}) {
    this.#current = parseKey(current, 'DATA_ENCRYPTION_KEY')
    const before = parseKey(previous, 'DATA_ENCRYPTION_KEY_PREVIOUS')
    this.#keys = [this.#current, before].filter((key) => key !== undefined)
  }

  /** @param about the record it belongs to, such as `totp <id of the user>` */
  seal(text: string, about: string): string {
    if (!this.#current) return `${PLAIN}.${Buffer.from(text).toString('base64url')}`
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv(ALGORITHM, this.#current.bytes, iv).setAAD(Buffer.from(about))
    const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
    return `${this.#current.id}.${sealed.toString('base64url')}`
  }

  /** @throws MediaprocError INVALID_CONFIG when the key is missing or the text was changed */
  open(sealed: string, about: string): string {
    const [id = '', text = ''] = sealed.split('.')
    const bytes = Buffer.from(text, 'base64url')
    if (id === PLAIN) return bytes.toString()
    const key = this.#keys.find((one) => one.id === id)
    if (!key)
      throw new MediaprocError(
        'INVALID_CONFIG',
        'Secrets in the data folder are encrypted with a key that is not given',
        {
          hint: 'Give it as DATA_ENCRYPTION_KEY, or as DATA_ENCRYPTION_KEY_PREVIOUS beside a new one.',
        },
      )
    try {
      const decipher = createDecipheriv(ALGORITHM, key.bytes, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(about)).setAuthTag(bytes.subarray(-TAG_BYTES))
      return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString()
    } catch {
      throw new MediaprocError('INVALID_CONFIG', 'A secret in the data folder was changed, and cannot be read')
    }
  }

  /** The text re-encrypted with the current key; unchanged if it already is. */
  renewed(sealed: string, about: string): string {
    const isCurrent = sealed.startsWith(`${this.#current?.id ?? PLAIN}.`)
    return isCurrent ? sealed : this.seal(this.open(sealed, about), about)
  }
}
