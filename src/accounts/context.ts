import type { Store } from '../store/store.ts'
import type { Vault } from './credentials/vault.ts'
import type { VerifiedKeys } from './credentials/verified-keys.ts'
import type { FailedAttempts } from './sign-in/attempts.ts'

export interface AccountsOptions {
  /** false: every request acts as the administrator `anonymous`. */
  authEnabled: boolean
  /** Lifetime of a session from sign-in, in milliseconds. */
  sessionMs: number
  /** 0 = no limit. */
  maxUsers: number
  /** Users need not change a password that someone else set; for automated tests of a server. */
  skipMustChangePassword: boolean
  /** Folder of `initial-admin-password`. */
  dataFolder: string
  /** How long a sign-in or confirmation allows changes that outlive a session, in milliseconds; 0 without expiry. */
  confirmWithinMs?: number
  /** false: a second factor can be neither set up nor required. */
  hasMfa?: boolean
  /** Issuer name shown in authenticator apps. */
  mfaIssuer?: string
  /** Keys that encrypt stored secrets; 64 hexadecimal digits each, empty for none. */
  encryptionKeys?: { current: string; previous: string }
  /** Signs cookies and links; empty to generate a secret. */
  cookieSecret?: string
  /** The clock, in milliseconds since 1970. */
  now?: () => number
}

/** A record before and after a change. */
export interface Updated<Kept> {
  before: Kept
  after: Kept
}

/** State shared by the account functions. */
export interface AccountsContext {
  store: Store
  options: AccountsOptions
  now: () => number
  attempts: FailedAttempts
  /** Attempts with one-time codes; a code is far shorter than a password. */
  codeAttempts: FailedAttempts
  /** Attempts with codes of programs that wait for a key. */
  deviceAttempts: FailedAttempts
  vault: Vault
  verifiedKeys: VerifiedKeys
}

/** A time in the format of the store. */
export function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
