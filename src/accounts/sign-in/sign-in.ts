import { MediaprocError } from '../../errors.ts'
import type { ProviderSession, SessionRecord, UserRecord } from '../../store/records.ts'
import type { Repositories } from '../../store/repositories.ts'
import type { Caller } from '../caller.ts'
import { type AccountsContext, timeText } from '../context.ts'
import { verifyPassword } from '../credentials/passwords.ts'
import { isDisabled } from '../directory/permissions.ts'
import { settingNumber } from '../settings.ts'
import { idleLimitMs } from './authenticate.ts'
import { newSessionToken, sha256Hex } from './tokens.ts'

/** Sessions of one user, whatever the setting says: all are in one file. */
const MAX_SESSIONS = 1000
/** Sessions of one user where the setting maxSessionsPerUser is not set. */
const DEFAULT_SESSIONS = 100

/** So much is kept of what a client calls itself, in characters. */
const MAX_USER_AGENT = 200

/** How long somebody has to set up the second factor that is demanded. */
const ENROLMENT_MS = 600_000

/** Where a sign-in came from. */
export interface Origin {
  address?: string | undefined
  userAgent?: string | undefined
}

const wrong = (): MediaprocError => new MediaprocError('INVALID_CREDENTIALS')

/**
 * Checks a user name and password. The answer is the account as it was then: what `createSession` compares with.
 *
 * @throws INVALID_CREDENTIALS at the same cost whether the user exists or not, RATE_LIMITED after ten failures from one
 * network in 15 minutes, USER_DISABLED after a right password only
 */
export async function login(
  context: AccountsContext,
  username: string,
  password: string,
  address = '',
): Promise<UserRecord> {
  const readable = username.length <= 255 && !`${username}${password}`.includes('\0')
  let user: UserRecord | undefined
  const right = await context.attempts.check(username.slice(0, 255).toLowerCase(), address, async () => {
    user = readable ? await context.store.users.byName(username) : undefined
    return verifyPassword(password, user?.passwordHash ?? null)
  })
  if (!right || !user) throw wrong()
  if (isDisabled(user.role)) throw new MediaprocError('USER_DISABLED')
  return user
}

/** Forgets what is over: expired sessions and those that idled for too long. */
async function dropDeadSessions(
  { now }: AccountsContext,
  { sessions, settings }: Pick<Repositories, 'sessions' | 'settings'>,
): Promise<number> {
  const limit = await idleLimitMs({ settings })
  return sessions.removeDead(timeText(now()), Number.isFinite(limit) ? timeText(now() - limit) : undefined)
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
  from: Origin = {},
  { endsAt, ...more }: Pick<SessionRecord, 'purpose'> & ProviderSession = {},
): Promise<{ token: string; expiresAt: string }> {
  const { store, options, now } = context
  const token = newSessionToken()
  const [createdAt, latest] = [timeText(now()), timeText(now() + (more.purpose ? ENROLMENT_MS : options.sessionMs))]
  const expiresAt = endsAt !== undefined && endsAt < latest ? endsAt : latest
  await store.transaction(async (known) => {
    const present = await known.users.byId(user.id)
    if (!present || present.passwordHash !== user.passwordHash || isDisabled(present.role)) throw wrong()
    await dropDeadSessions(context, known)
    const most = Math.min(
      (await settingNumber(known, 'maxSessionsPerUser', DEFAULT_SESSIONS)) || MAX_SESSIONS,
      MAX_SESSIONS,
    )
    const own = await known.sessions.ofUser(user.id)
    for (const { id } of own.slice(0, Math.max(0, own.length - most + 1))) await known.sessions.remove(id)
    await known.sessions.add({
      id: sha256Hex(token),
      userId: user.id,
      createdAt,
      expiresAt,
      lastSeenAt: createdAt,
      loginMethod,
      ipAddress: from.address ?? null,
      userAgent: from.userAgent?.slice(0, MAX_USER_AGENT) ?? null,
      ...more,
    })
  })
  return { token, expiresAt }
}

/** Ends the session that the caller came with, and gives it; with an API key nothing happens. */
export async function logout(
  { store, vault }: AccountsContext,
  { sessionId }: Caller,
): Promise<Pick<SessionRecord, 'loginMethod' | 'idToken'> | undefined> {
  const session = sessionId === undefined ? undefined : await store.sessions.find(sessionId)
  if (!session) return undefined
  await store.sessions.remove(session.id)
  const { loginMethod, idToken } = session
  return { loginMethod, ...(idToken !== undefined && openedToken(vault, idToken)) }
}

/** The key may have been exchanged since the sign-in: then the provider asks the user itself. */
function openedToken(vault: AccountsContext['vault'], sealed: string): { idToken?: string } {
  try {
    return { idToken: vault.open(sealed, 'id token') }
  } catch {
    return {}
  }
}

/** Forgets sessions that are over; says how many. Writes nothing when there are none. */
export function sweepSessions(context: AccountsContext): Promise<number> {
  return dropDeadSessions(context, context.store)
}
