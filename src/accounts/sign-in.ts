import { MediaprocError } from '../errors.ts'
import type { AccountsData, SessionRecord, UserRecord } from '../store/records.ts'
import { idleLimitMs } from './authenticate.ts'
import type { Caller } from './caller.ts'
import { type AccountsContext, timeText } from './context.ts'
import { verifyPassword } from './passwords.ts'
import { isDisabled } from './permissions.ts'
import { settingNumber } from './settings.ts'
import { newSessionToken, sha256Hex } from './tokens.ts'
import { findByName } from './user-rules.ts'

/** Sessions of one user, whatever the setting says: all are in one file. */
const MAX_SESSIONS = 1000

const wrong = (): MediaprocError => new MediaprocError('INVALID_CREDENTIALS')

/**
 * Checks a user name and password. The answer is a copy: what `createSession` compares the account with.
 *
 * @throws INVALID_CREDENTIALS at the same cost whether the user exists or not, RATE_LIMITED after ten failures from one
 * network in 15 minutes, USER_DISABLED after a right password only
 */
export async function login(
  context: AccountsContext,
  username: string,
  password: string,
  address: string,
): Promise<UserRecord> {
  const readable = username.length <= 255 && !`${username}${password}`.includes('\0')
  let user: UserRecord | undefined
  const right = await context.attempts.check(username.slice(0, 255).toLowerCase(), address, () => {
    const found = readable ? findByName(context.store.accounts.data, username) : undefined
    user = found && { ...found }
    return verifyPassword(password, user?.passwordHash ?? null)
  })
  if (!right || !user) throw wrong()
  if (isDisabled(user.role)) throw new MediaprocError('USER_DISABLED')
  return user
}

/** Takes out of the draft what is over: expired sessions and those that idled for too long. */
function dropDeadSessions(context: AccountsContext, draft: AccountsData): void {
  draft.sessions = draft.sessions.filter((session) => !isDead(context, session))
}

function isDead(context: AccountsContext, { expiresAt, lastSeenAt }: SessionRecord): boolean {
  const now = context.now()
  return Date.parse(expiresAt) <= now || now - Date.parse(lastSeenAt) >= idleLimitMs(context)
}

/**
 * Begins a session of a user who has proved who they are. The oldest sessions make room when the setting
 * maxSessionsPerUser says so.
 *
 * @throws INVALID_CREDENTIALS when the account has changed since the proof
 */
export async function createSession(
  context: AccountsContext,
  user: UserRecord,
  loginMethod: SessionRecord['loginMethod'] = 'local',
): Promise<{ token: string; expiresAt: string }> {
  const { store, options, now } = context
  const token = newSessionToken()
  const [createdAt, expiresAt] = [timeText(now()), timeText(now() + options.sessionMs)]
  await store.accounts.change((draft) => {
    const present = draft.users.find(({ id }) => id === user.id)
    if (!present || present.passwordHash !== user.passwordHash || isDisabled(present.role)) throw wrong()
    dropDeadSessions(context, draft)
    const most = Math.min(settingNumber(store, 'maxSessionsPerUser', 0) || MAX_SESSIONS, MAX_SESSIONS)
    const own = draft.sessions.filter(({ userId }) => userId === user.id)
    const tooMany = new Set(own.slice(0, Math.max(0, own.length - most + 1)))
    draft.sessions = draft.sessions.filter((session) => !tooMany.has(session))
    draft.sessions.push({
      id: sha256Hex(token),
      userId: user.id,
      createdAt,
      expiresAt,
      lastSeenAt: createdAt,
      loginMethod,
    })
  })
  return { token, expiresAt }
}

/** Ends the session that the caller came with; with an API key nothing happens. */
export async function logout({ store }: AccountsContext, { sessionId }: Caller): Promise<void> {
  if (sessionId === undefined) return
  await store.accounts.change((draft) => {
    draft.sessions = draft.sessions.filter(({ id }) => id !== sessionId)
  })
}

/** Forgets sessions that are over; says how many. Writes nothing when there are none. */
export async function sweepSessions(context: AccountsContext): Promise<number> {
  const { accounts } = context.store
  const dead = accounts.data.sessions.filter((session) => isDead(context, session)).length
  if (dead > 0) await accounts.change((draft) => dropDeadSessions(context, draft))
  return dead
}
