import type { Store } from '../store/store.ts'
import type { AccountsContext, AccountsOptions } from './context.ts'
import { Vault } from './credentials/vault.ts'
import { VerifiedKeys } from './credentials/verified-keys.ts'
import { CODES, FailedAttempts } from './sign-in/attempts.ts'

/**
 * The accounts of one server: first argument of `login`, `register`, `createKey` and the other functions of this
 * folder.
 */
export function openAccounts(store: Store, options: AccountsOptions): AccountsContext {
  const now = options.now ?? (() => Date.now())
  return {
    ...{ store, options, now, attempts: new FailedAttempts(now), codeAttempts: new FailedAttempts(now, CODES) },
    ...{ vault: new Vault(options.encryptionKeys), verifiedKeys: new VerifiedKeys() },
  }
}
