import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Caller } from '../../src/accounts/caller.ts'
import type { AccountsContext, AccountsOptions } from '../../src/accounts/context.ts'
import { firstStart } from '../../src/accounts/directory/first-start.ts'
import { register } from '../../src/accounts/directory/users.ts'
import { openAccounts } from '../../src/accounts/open.ts'
import { authenticate } from '../../src/accounts/sign-in/authenticate.ts'
import { createSession, login } from '../../src/accounts/sign-in/sign-in.ts'
import { openStore } from '../../src/store/file/open.ts'
import type { Store } from '../../src/store/store.ts'
import { cheapenScrypt, restoreScrypt } from './cheap-scrypt.mjs'
import { afterEveryFile, afterEveryTest } from './clean-up.ts'

export const ADMIN_PASSWORD = 'Start-Passw0rd-1'
export const USER_PASSWORD = 'Alice-Passw0rd-1'

export interface Instance {
  folder: string
  store: Store
  accounts: AccountsContext
  /** Advances the clock of the accounts, in milliseconds; it does not run by itself. */
  wait(milliseconds: number): void
  set(name: string, value: string): Promise<unknown>
  /** Signs in; returns the caller and the token of the session. */
  signIn(username: string, password: string): Promise<{ caller: Caller; token: string }>
  admin(): Promise<Caller>
  /** Registers a user with USER_PASSWORD. */
  add(username: string, role?: string): Promise<string>
}

/** The contents of all files in a data folder. */
export function allText(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.map((entry) => readFileSync(join(entry.parentPath ?? entry.path, entry.name), 'utf8')).join('\n')
}

const opened: Instance[] = []

afterEveryFile(restoreScrypt)

afterEveryTest(async () => {
  for (const { store, folder } of opened.splice(0)) {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

/** An instance with the administrator `admin` in its own folder, removed after the test. */
export async function openInstance(options: Partial<AccountsOptions> = {}): Promise<Instance> {
  cheapenScrypt()
  const folder = mkdtempSync(join(tmpdir(), 'mediaproc-test-'))
  const store = await openStore(folder, { auditRetentionDays: 0 })
  let now = Date.now()
  const accounts = openAccounts(store, {
    authEnabled: true,
    sessionMs: 168 * 3_600_000,
    maxUsers: 0,
    skipMustChangePassword: false,
    dataFolder: folder,
    now: () => now,
    ...options,
  })
  const signIn: Instance['signIn'] = async (username, password) => {
    const { token } = await createSession(accounts, await login(accounts, username, password))
    return { caller: await authenticate(accounts, token), token }
  }
  const admin = async (): Promise<Caller> => (await signIn('admin', ADMIN_PASSWORD)).caller
  const instance: Instance = {
    folder,
    store,
    accounts,
    wait: (milliseconds) => {
      now += milliseconds
    },
    set: (name, value) => store.settings.set(name, { value, updatedAt: new Date().toISOString() }),
    signIn,
    admin,
    add: async (username, role = 'user') =>
      (await register(accounts, await admin(), { username, password: USER_PASSWORD, role })).id,
  }
  opened.push(instance)
  await firstStart(accounts, { username: 'admin', password: ADMIN_PASSWORD })
  return instance
}
