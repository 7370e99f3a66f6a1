import { MediaprocError } from '../../errors.ts'
import type { SessionRecord } from '../../store/records.ts'
import { type Caller, requirePermission } from '../caller.ts'
import { type AccountsContext, timeText } from '../context.ts'
import { checkAuthority, userById } from '../directory/user-rules.ts'

/** A session as its owner and administrators see it. */
export interface ListedSession {
  id: string
  createdAt: string
  lastSeenAt: string
  expiresAt: string
  loginMethod: SessionRecord['loginMethod']
  ipAddress: string | null
  userAgent: string | null
  /** Whether it is the caller's current session. */
  isCurrent: boolean
}

/** Public id: part of the token's hash. It identifies the session, but is not the store's look-up key. */
const shownId = ({ id }: Pick<SessionRecord, 'id'>): string => id.slice(0, 32)

/** Active sessions of a user, newest first. */
async function listSessions(
  { store, now }: AccountsContext,
  userId: string,
  current?: string,
): Promise<ListedSession[]> {
  const at = timeText(now())
  const open = (await store.sessions.ofUser(userId)).filter(({ expiresAt, purpose }) => expiresAt > at && !purpose)
  return open.reverse().map((session) => ({
    id: shownId(session),
    createdAt: session.createdAt,
    lastSeenAt: session.lastSeenAt,
    expiresAt: session.expiresAt,
    loginMethod: session.loginMethod,
    ipAddress: session.ipAddress ?? null,
    userAgent: session.userAgent ?? null,
    isCurrent: session.id === current,
  }))
}

export function ownSessions(context: AccountsContext, { userId, sessionId }: Caller): Promise<ListedSession[]> {
  return listSessions(context, userId, sessionId)
}

/** Ends one of the caller's sessions. @throws NOT_FOUND */
export async function endSession({ store }: AccountsContext, { userId }: Caller, id: string): Promise<void> {
  const session = (await store.sessions.ofUser(userId)).find((one) => shownId(one) === id)
  if (!session) throw new MediaprocError('NOT_FOUND', 'There is no such session')
  await store.sessions.remove(session.id)
}

/** Ends all sessions of the caller except the current one. */
export function endOtherSessions({ store }: AccountsContext, { userId, sessionId }: Caller): Promise<void> {
  return store.sessions.removeOfUser(userId, sessionId)
}

/** @throws FORBIDDEN, NOT_FOUND */
export async function sessionsOf(context: AccountsContext, caller: Caller, userId: string): Promise<ListedSession[]> {
  requirePermission(caller, 'users:manage')
  await userById(context.store, userId)
  return listSessions(context, userId, caller.sessionId)
}

/** Ends all sessions of a user; keys remain valid. @throws FORBIDDEN, NOT_FOUND, ESCALATION_DENIED */
export async function endSessionsOf({ store }: AccountsContext, caller: Caller, userId: string): Promise<void> {
  requirePermission(caller, 'users:manage')
  await store.transaction(async (known) => {
    const { role } = await userById(known, userId)
    await checkAuthority(known, caller, role)
    await known.sessions.removeOfUser(userId)
  })
}
