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

/** Most sessions of one user, regardless of the setting: all are in one file. */
const MAX_SESSIONS = 1000
/** Most sessions of one user if the setting maxSessionsPerUser is not set. */
const DEFAULT_SESSIONS = 100

/** Stored length of a client's user agent, in characters. */
const MAX_USER_AGENT = 200

/** Time limit for setting up a required second factor. */
const ENROLMENT_MS = 600_000

/** Origin of a sign-in. */
export interface Origin {
  address?: string | undefined
  userAgent?: string | undefined
}

const wrong = (): MediaprocError => new MediaprocError('INVALID_CREDENTIALS')

/**
 * Checks a user name and password. Returns the account as of the check, for the comparison in `createSession`.
 *
 * @throws INVALID_CREDENTIALS at the same cost whether or not the user exists, RATE_LIMITED after ten failures from one
 * network in 15 minutes, USER_DISABLED only after a correct password
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

/** Removes expired and idle sessions. */
async function dropDeadSessions(
  { now }: AccountsContext,
  { sessions, settings }: Pick<Repositories, 'sessions' | 'settings'>,
): Promise<number> {
  const limit = await idleLimitMs({ settings })
  return sessions.removeDead(timeText(now()), Number.isFinite(limit) ? timeText(now() - limit) : undefined)
}

/**
 * Creates a session for an authenticated user. Removes the oldest sessions above the setting maxSessionsPerUser.
 *
 * @throws INVALID_CREDENTIALS when the account has changed since the authentication
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
    if (present.isService) throw wrong()
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

/** What a sealed hint belongs to. */
export const LOGOUT_HINT = 'logout hint'

/** Ends the caller's session and returns it; does nothing for an API key. */
export async function logout(
  { store, vault }: AccountsContext,
  { sessionId }: Caller,
): Promise<Pick<SessionRecord, 'loginMethod' | 'logoutHint'> | undefined> {
  const session = sessionId === undefined ? undefined : await store.sessions.find(sessionId)
  if (!session) return undefined
  await store.sessions.remove(session.id)
  const { loginMethod, logoutHint } = session
  return { loginMethod, ...(logoutHint !== undefined && openedHint(vault, logoutHint)) }
}

/** Decrypts the hint. The key may have been replaced since the sign-in; the provider then asks the user. */
function openedHint(vault: AccountsContext['vault'], sealed: string): { logoutHint?: string } {
  try {
    return { logoutHint: vault.open(sealed, LOGOUT_HINT) }
  } catch {
    return {}
  }
}

/** Removes ended sessions and returns their number. Writes nothing if there are none. */
export function sweepSessions(context: AccountsContext): Promise<number> {
  return dropDeadSessions(context, context.store)
}
