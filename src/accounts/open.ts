import type { Store } from '../store/store.ts'
import type { AccountsContext, AccountsOptions } from './context.ts'
import { Vault } from './credentials/vault.ts'
import { VerifiedKeys } from './credentials/verified-keys.ts'
import { type AttemptLimits, CODES, type FailedAttempts, LocalAttempts, PASSWORDS } from './sign-in/attempts.ts'
import { SharedAttempts } from './sign-in/shared-attempts.ts'

/**
 * The accounts of a server: first argument of `login`, `register`, `createKey` and the other functions of this
 * folder.
 */
export function openAccounts(store: Store, options: AccountsOptions): AccountsContext {
  const now = options.now ?? (() => Date.now())
  const attempts = (kind: string, limits: AttemptLimits): FailedAttempts =>
    store.attempts ? new SharedAttempts(store.attempts, kind, now, limits) : new LocalAttempts(now, limits)
  return {
    ...{ store, options, now, attempts: attempts('password', PASSWORDS), codeAttempts: attempts('code', CODES) },
    deviceAttempts: attempts('device', CODES),
    ...{ vault: new Vault(options.encryptionKeys), verifiedKeys: new VerifiedKeys() },
  }
}
