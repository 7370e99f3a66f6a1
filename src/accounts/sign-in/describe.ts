import { MediaprocError } from '../../errors.ts'
import type { SessionRecord, UserRecord } from '../../store/records.ts'
import { type Caller, mustChange, teamName } from '../caller.ts'
import type { AccountsContext } from '../context.ts'
import { hasMfa } from '../credentials/mfa.ts'
import { effectivePermissions, type Permission, storedRoles } from '../directory/permissions.ts'

/** The user in the response to a sign-in. */
export interface SignedInUser {
  id: string
  username: string
  role: string
  mustChangePassword: boolean
  permissions: readonly Permission[]
  teamName: string
}

/** Response about a session. */
export interface SessionState {
  user: SignedInUser &
    Pick<UserRecord, 'authProvider' | 'email'> &
    Pick<SessionRecord, 'loginMethod'> & { hasLocalPassword: boolean; hasOidcLink: boolean; mfaEnabled: boolean }
  /** null: authentication is disabled. */
  expiresAt: string | null
}

/** Converts a user for the response to a sign-in. */
export async function describeUser(
  context: AccountsContext,
  user: UserRecord,
  loginMethod?: SessionRecord['loginMethod'],
): Promise<SignedInUser> {
  const { id, username, role, teamId } = user
  const permissions = [...effectivePermissions(role, await storedRoles(context.store, role))]
  const mustChangePassword = mustChange(context, user, loginMethod)
  return { id, username, role, mustChangePassword, permissions, teamName: await teamName(context.store, teamId) }
}

/** Describes the caller's session. @throws SESSION_INVALID for an API key */
export async function describeSession(context: AccountsContext, caller: Caller): Promise<SessionState> {
  const { users, sessions, identities } = context.store
  if (caller.via === 'nothing')
    return { user: anonymousUser(caller, await teamName(context.store, caller.teamId)), expiresAt: null }
  const session = caller.sessionId === undefined ? undefined : await sessions.find(caller.sessionId)
  const user = await users.byId(caller.userId)
  if (!session || !user) throw new MediaprocError('SESSION_INVALID')
  return {
    user: {
      ...(await describeUser(context, user, session.loginMethod)),
      authProvider: user.authProvider,
      loginMethod: session.loginMethod,
      email: user.email,
      hasLocalPassword: user.passwordHash !== null,
      hasOidcLink: (await identities.ofUser(user.id)).some(({ provider }) => provider === 'oidc'),
      mfaEnabled: await hasMfa(context, user.id),
    },
    expiresAt: session.expiresAt,
  }
}

function anonymousUser({ userId, username, role, permissions }: Caller, teamName: string): SessionState['user'] {
  return {
    id: userId,
    username,
    role,
    mustChangePassword: false,
    permissions: [...permissions],
    teamName,
    authProvider: 'local',
    loginMethod: 'local',
    email: null,
    hasLocalPassword: false,
    hasOidcLink: false,
    mfaEnabled: false,
  }
}
