import { randomBytes, randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaprocError } from '../../errors.ts'
import { storageFailure, writeDurably } from '../../store/local/atomic-write.ts'
import { DEFAULT_TEAM_ID } from '../../store/records.ts'
import type { Repositories } from '../../store/repositories.ts'
import { ANONYMOUS } from '../caller.ts'
import { type AccountsContext, timeText } from '../context.ts'
import { hashPassword } from '../credentials/passwords.ts'
import { isUsername } from './user-rules.ts'

/** The administrator created by the first start. */
export interface FirstAdmin {
  username: string
  /** Set only if it was generated: shown once, and in `file` until it is changed. */
  password?: string
  file?: string
}

const passwordFile = ({ options }: AccountsContext): string => join(options.dataFolder, 'initial-admin-password')

/**
 * Creates the first administrator if there are no users; otherwise does nothing.
 *
 * @param password empty for a random one. The password policy does not apply, because it must be changed anyway.
 * @throws INVALID_CONFIG when the name is invalid
 */
export async function firstStart(
  context: AccountsContext,
  { username, password }: { username: string; password: string },
): Promise<FirstAdmin | undefined> {
  const { store, options, now } = context
  if ((await store.users.count()) > 0) return undefined
  if (!isUsername(username) || username.toLowerCase() === ANONYMOUS)
    throw new MediaprocError('INVALID_CONFIG', `Expected a user name for DEFAULT_USERNAME, got ${username}`, {
      hint: 'Use 3 to 50 letters A to Z, digits, _, . and -; anonymous is taken.',
    })
  const given = password !== ''
  const file = passwordFile(context)
  const chosen = given ? password : randomBytes(18).toString('base64url')
  // Writes the file first: after a crash in between there is still no user, and the next start recreates both.
  if (!given)
    await writeDurably(file, `${chosen}\n`).catch((error: unknown) => {
      throw storageFailure(error)
    })
  const passwordHash = await hashPassword(chosen)
  const isFirst = await store.transaction(async ({ users }) => {
    // Another server of the cluster may have started at the same time.
    if ((await users.count()) > 0) return false
    await users.add({
      id: randomUUID(),
      username,
      role: 'admin',
      teamId: DEFAULT_TEAM_ID,
      passwordHash,
      mustChangePassword: !options.skipMustChangePassword,
      authProvider: 'local',
      email: null,
      createdAt: timeText(now()),
    })
    return true
  })
  if (!isFirst) {
    if (!given) await removeInitialPassword(context)
    return undefined
  }
  return given ? { username } : { username, password: chosen, file }
}

/** Whether this is the user created by the first start: users are only appended. */
export async function isFirstUser({ users }: Pick<Repositories, 'users'>, id: string): Promise<boolean> {
  return (await users.first())?.id === id
}

/** Removes the file with the old password. A failure is ignored, because that password no longer works. */
export async function removeInitialPassword(context: AccountsContext): Promise<void> {
  await rm(passwordFile(context), { force: true }).catch(() => {})
}
