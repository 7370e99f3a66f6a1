import { Accounts } from '../accounts/accounts.ts'
import { anonymousCaller } from '../accounts/caller.ts'
import type { ListedUser } from '../accounts/users.ts'
import { MediaprocError } from '../errors.ts'
import { openStore } from '../store/store.ts'
import type { ServerConfig } from './config.ts'

/** What whoever may write the data folder may do, without signing in. */
export interface Operator {
  list(): Promise<ListedUser[]>
  add(username: string, password: string, role: string): Promise<void>
  resetPassword(username: string, password: string): Promise<void>
  close(): Promise<void>
}

/**
 * Opens the data folder of a server that is not running.
 * @throws MediaprocError CONFLICT when it is
 */
export async function openOperator(config: ServerConfig): Promise<Operator> {
  const store = await openStore(config.dataFolder, {
    auditRetentionDays: config.auditRetentionDays,
    filesFolder: config.libraryFolder,
    workspaceFolder: config.workspaceFolder,
  })
  const accounts = new Accounts(store, config)
  // Access to the files is all the authority there is.
  const caller = anonymousCaller()
  const note = (action: string, targetId: string): Promise<unknown> =>
    store.audit.append({
      ...{ actorId: null, actorUsername: 'operator', action, targetType: 'user', targetId },
      ...{ details: null, ipAddress: null },
    })
  return {
    list: () => accounts.listUsers(),
    async add(username, password, role) {
      const { id } = await accounts.register(caller, { username, password, role })
      await note('USER_CREATED', id)
    },
    async resetPassword(username, password) {
      const user = await store.users.byName(username)
      if (!user) throw new MediaprocError('NOT_FOUND', `There is no user ${username}`)
      await accounts.resetPassword(caller, user.id, password)
      await note('PASSWORD_RESET', user.id)
    },
    close: () => store.close(),
  }
}
