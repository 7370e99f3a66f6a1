import { MediaprocError } from '../errors.ts'
import type { ApiKeyRecord, SessionRecord, ToolPermissions, UserRecord } from '../store/records.ts'
import { DEFAULT_TEAM_ID } from '../store/records.ts'
import type { Repositories } from '../store/repositories.ts'
import type { AccountsContext } from './context.ts'
import { effectivePermissions, PERMISSIONS, type Permission, storedRoles, toolsOf } from './directory/permissions.ts'

/** The authenticated caller and its permissions. */
export interface Caller {
  userId: string
  username: string
  role: string
  permissions: ReadonlySet<Permission>
  /** null for all tools. */
  toolPermissions: ToolPermissions | null
  /** `enrolment`: only to set up a second factor; `nothing`: authentication is disabled. */
  via: 'session' | 'enrolment' | 'key' | 'nothing'
  sessionId?: string
  /** Time of the session user's last sign-in or confirmation. */
  provedAt?: string
  keyId?: string
  mustChangePassword: boolean
  teamId: string
}

/** Reserved user name: the caller while authentication is disabled. */
export const ANONYMOUS = 'anonymous'

export function anonymousCaller(): Caller {
  return {
    userId: ANONYMOUS,
    username: ANONYMOUS,
    role: 'admin',
    permissions: new Set(PERMISSIONS),
    toolPermissions: null,
    via: 'nothing',
    mustChangePassword: false,
    teamId: DEFAULT_TEAM_ID,
  }
}

/** Whether a user must choose a new password first; not for a user who signed in without the current one. */
export function mustChange(
  { options }: AccountsContext,
  user: Pick<UserRecord, 'mustChangePassword'>,
  loginMethod: SessionRecord['loginMethod'] = 'local',
): boolean {
  return user.mustChangePassword && loginMethod === 'local' && !options.skipMustChangePassword
}

/** Returns the caller of a session or key. */
export async function callerOf(
  context: AccountsContext,
  user: UserRecord,
  by: { session: SessionRecord } | { key: ApiKeyRecord },
): Promise<Caller> {
  const roles = await storedRoles(context.store, user.role)
  const scope = 'key' in by ? by.key.permissions : null
  return {
    userId: user.id,
    username: user.username,
    role: user.role,
    permissions: effectivePermissions(user.role, roles, scope),
    toolPermissions: toolsOf(user.role, roles),
    ...('key' in by
      ? { via: 'key', keyId: by.key.id }
      : {
          via: by.session.purpose ?? 'session',
          sessionId: by.session.id,
          provedAt: by.session.confirmedAt ?? by.session.createdAt,
        }),
    mustChangePassword: mustChange(context, user, 'session' in by ? by.session.loginMethod : 'local'),
    teamId: user.teamId,
  }
}

/** @throws FORBIDDEN */
export function requirePermission(caller: Caller, permission: Permission): void {
  if (!caller.permissions.has(permission))
    throw new MediaprocError('FORBIDDEN', `This needs the permission ${permission}`)
}

/** Name of a team; the team Default if it no longer exists. */
export async function teamName({ teams }: Pick<Repositories, 'teams'>, teamId: string): Promise<string> {
  return (await teams.byId(teamId))?.name ?? 'Default'
}
