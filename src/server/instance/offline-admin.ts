import { existsSync } from 'node:fs'
import { anonymousCaller } from '../../accounts/caller.ts'
import { resetPassword } from '../../accounts/credentials/change-password.ts'
import { type Enrolment, enrollMfa, MFA_POLICIES, resetMfa, verifyMfa } from '../../accounts/credentials/mfa.ts'
import type { ListedUser } from '../../accounts/directory/users.ts'
import { listUsers, register } from '../../accounts/directory/users.ts'
import { openAccounts } from '../../accounts/open.ts'
import { MediaprocError } from '../../errors.ts'
import { printableName } from '../../media/file.ts'
import { isDataFolder } from '../../store/file/open.ts'
import { openConfiguredStore } from '../../store/open.ts'
import type { ServerConfig } from '../config.ts'
import { storeParts } from '../store-parts.ts'

/** What an operator with write access to the data folder can do without signing in. */
export interface Operator {
  list(): Promise<ListedUser[]>
  add(username: string, password: string, role: string): Promise<void>
  resetPassword(username: string, password: string): Promise<void>
  /** Which users must have a second factor. */
  mfaPolicy(): Promise<string>
  setMfaPolicy(policy: string): Promise<void>
  enrollMfa(username: string): Promise<Enrolment>
  verifyMfa(username: string, code: string): Promise<void>
  disableMfa(username: string): Promise<void>
  /** Resets a setting that locks users out. */
  removeSetting(name: 'ssoEnforcement' | 'ipAllowList'): Promise<void>
  close(): Promise<void>
}

/**
 * Opens the data folder of a server that is not running.
 * @param mayCreate create the folder if it does not exist
 * @throws MediaprocError CONFLICT when the server runs, FILE_NOT_FOUND without a data folder
 */
export async function openOperator(config: ServerConfig, { mayCreate = false } = {}): Promise<Operator> {
  const { dataFolder, database } = config
  if (!database && !mayCreate && !isDataFolder(dataFolder)) {
    const what = existsSync(dataFolder) ? 'is not the data folder of a server' : 'does not exist'
    throw new MediaprocError('FILE_NOT_FOUND', `The folder ${printableName(dataFolder)} ${what}`, {
      hint: { shell: "Name the server's data folder with --data DIR or DATA_DIR." },
    })
  }
  const store = await openConfiguredStore(dataFolder, {
    ...storeParts(config, () => {}),
    auditRetentionDays: config.auditRetentionDays,
  })
  const accounts = openAccounts(store, config)
  // Write access to the files is the only authorization.
  const caller = anonymousCaller()
  const by = { actorId: null, actorUsername: 'operator', ipAddress: null }
  const note = (action: string, targetId: string): Promise<unknown> =>
    store.audit.append({ ...by, action, targetType: 'user', targetId, details: null })
  const noteSetting = (key: string): Promise<unknown> =>
    store.audit.append({
      ...by,
      action: 'SETTINGS_UPDATED',
      targetType: null,
      targetId: null,
      details: { keys: [key] },
    })
  const idOf = async (username: string): Promise<string> => {
    const user = await store.users.byName(username)
    if (!user) throw new MediaprocError('NOT_FOUND', `There is no user ${username}`)
    return user.id
  }
  return {
    list: () => listUsers(accounts),
    async add(username, password, role) {
      const { id } = await register(accounts, caller, { username, password, role })
      await note('USER_CREATED', id)
    },
    async resetPassword(username, password) {
      const id = await idOf(username)
      await resetPassword(accounts, caller, id, password)
      await note('PASSWORD_RESET', id)
    },
    mfaPolicy: async () => (await store.settings.get('mfaPolicy'))?.value ?? 'optional',
    async setMfaPolicy(policy) {
      if (!(MFA_POLICIES as readonly string[]).includes(policy))
        throw new MediaprocError('USAGE', `Expected ${MFA_POLICIES.join(', ')}, got ${policy}`)
      await store.settings.set('mfaPolicy', { value: policy, updatedAt: new Date().toISOString() })
      await noteSetting('mfaPolicy')
    },
    enrollMfa: async (username) => enrollMfa(accounts, await idOf(username)),
    async verifyMfa(username, code) {
      const userId = await idOf(username)
      await verifyMfa(accounts, { userId }, code)
      await note('MFA_ENROLLED', userId)
    },
    async disableMfa(username) {
      const id = await idOf(username)
      await resetMfa(accounts, caller, id)
      await note('MFA_RESET', id)
    },
    async removeSetting(name) {
      await store.settings.remove(name)
      await noteSetting(name)
    },
    close: () => store.close(),
  }
}
