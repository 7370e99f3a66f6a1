import type { Store } from '../store/store.ts'
import type { Vault } from './credentials/vault.ts'
import type { VerifiedKeys } from './credentials/verified-keys.ts'
import type { FailedAttempts } from './sign-in/attempts.ts'

export interface AccountsOptions {
  /** false: everybody is the administrator `anonymous`. */
  authEnabled: boolean
  /** Life of a session from sign-in, in milliseconds. */
  sessionMs: number
  /** 0 = no limit. */
  maxUsers: number
  /** Nobody has to change a password that somebody else chose; for automatic tests of a server. */
  skipMustChangePassword: boolean
  /** Where `initial-admin-password` is written. */
  dataFolder: string
  /** How long a proof of who somebody is counts for what outlives a session, in milliseconds; 0 without end. */
  confirmWithinMs?: number
  /** false: no second factor can be set up, and none is demanded. */
  hasMfa?: boolean
  /** What authenticator apps call the instance. */
  mfaIssuer?: string
  /** Encrypt what must be read again; 64 hexadecimal digits, '' for none. */
  encryptionKeys?: { current: string; previous: string }
  /** Signs what browsers keep; '' for one of our own. */
  cookieSecret?: string
  /** The clock, in milliseconds since 1970. */
  now?: () => number
}

/** A record before a change of it, and after. */
export interface Updated<Kept> {
  before: Kept
  after: Kept
}

/** What the account functions share. */
export interface AccountsContext {
  store: Store
  options: AccountsOptions
  now: () => number
  attempts: FailedAttempts
  /** Of codes; a code is far shorter than a password. */
  codeAttempts: FailedAttempts
  vault: Vault
  verifiedKeys: VerifiedKeys
}

/** A moment as the store keeps it. */
export function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
