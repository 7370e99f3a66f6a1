import { MediaprocError } from '../errors.ts'
import type { RoleRecord, SessionRecord, TeamRecord, UserRecord } from '../store/records.ts'
import type { Store } from '../store/seam.ts'
import { CODES, FailedAttempts } from './attempts.ts'
import { authenticate } from './authenticate.ts'
import { type Caller, mustChange, teamName } from './caller.ts'
import { changePassword, resetPassword } from './change-password.ts'
import type { AccountsContext, AccountsOptions } from './context.ts'
import { cookieSecret } from './cookie-secret.ts'
import { type ExternalRules, type ExternalUser, type ResolvedUser, resolveExternal } from './external-users.ts'
import { type FirstAdmin, firstStart } from './first-start.ts'
import { createKey, deleteKey, type ListedKey, listKeys, type WantedKey } from './keys.ts'
import {
  type CompletedMfa,
  challengeMfa,
  completeMfa,
  demandsMfa,
  disableMfa,
  type Enrolment,
  enrollMfa,
  hasMfa,
  resetMfa,
  verifyMfa,
} from './mfa.ts'
import { effectivePermissions, type Permission, storedRoles } from './permissions.ts'
import { renewSecrets } from './renew-secrets.ts'
import { createRole, deleteRole, type ListedRole, listRoles, updateRole, type WantedRole } from './roles.ts'
import { endOtherSessions, endSession, endSessionsOf, type ListedSession, ownSessions, sessionsOf } from './sessions.ts'
import { createSession, login, logout, type Origin, sweepSessions } from './sign-in.ts'
import { createTeam, deleteTeam, type ListedTeam, listTeams, updateTeam, type WantedTeam } from './teams.ts'
import { useOnce } from './used-once.ts'
import { deleteUser, type ListedUser, listUsers, type Registration, register, updateUser } from './users.ts'
import { Vault } from './vault.ts'
import { VerifiedKeys } from './verified-keys.ts'

/** The user in the answer to a sign-in. */
export interface SignedInUser {
  id: string
  username: string
  role: string
  mustChangePassword: boolean
  permissions: readonly Permission[]
  teamName: string
}

/** The answer about a session. */
export interface SessionState {
  user: SignedInUser &
    Pick<UserRecord, 'authProvider' | 'email'> &
    Pick<SessionRecord, 'loginMethod'> & { hasLocalPassword: boolean; hasOidcLink: boolean; mfaEnabled: boolean }
  /** null: authentication is switched off. */
  expiresAt: string | null
}

/** Users, sessions and API keys of one instance: the rules of the HTTP contract, sections 3 to 10, without HTTP. */
export class Accounts {
  readonly #context: AccountsContext

  constructor(store: Store, options: AccountsOptions) {
    const now = options.now ?? Date.now
    this.#context = {
      ...{ store, options, now, attempts: new FailedAttempts(now), codeAttempts: new FailedAttempts(now, CODES) },
      ...{ vault: new Vault(options.encryptionKeys), verifiedKeys: new VerifiedKeys() },
    }
  }

  /** Before anything else: what is kept encrypted is under the key of now afterwards. */
  renewSecrets(): Promise<void> {
    return renewSecrets(this.#context)
  }

  firstStart(admin: { username: string; password: string }): Promise<FirstAdmin | undefined> {
    return firstStart(this.#context, admin)
  }

  /** @param address where the client is, by which wrong passwords are counted */
  login(username: string, password: string, address = ''): Promise<UserRecord> {
    return login(this.#context, username, password, address)
  }

  createSession(
    user: UserRecord,
    loginMethod?: SessionRecord['loginMethod'],
    from?: Origin,
    more?: Pick<SessionRecord, 'purpose' | 'idToken'>,
  ): Promise<{ token: string; expiresAt: string }> {
    return createSession(this.#context, user, loginMethod, from, more)
  }

  authenticate(credential: string): Promise<Caller> {
    return authenticate(this.#context, credential)
  }

  /** Encrypts a secret where the operator gave a key. */
  seal(text: string, about: string): string {
    return this.#context.vault.seal(text, about)
  }

  /** Whether the instance demands a second factor of a user. */
  demandsMfa(user: UserRecord): Promise<boolean> {
    return demandsMfa(this.#context, user)
  }

  hasMfa(userId: string): Promise<boolean> {
    return hasMfa(this.#context, userId)
  }

  enrollMfa(userId: string): Promise<Enrolment> {
    return enrollMfa(this.#context, userId)
  }

  /** Finishes an enrolment; a session that was good for nothing else is over then. */
  async verifyMfa(caller: Pick<Caller, 'userId'> & Partial<Caller>, code: string, address = ''): Promise<void> {
    await verifyMfa(this.#context, caller.userId, code, address)
    if (caller.via === 'enrolment') await this.#context.store.sessions.remove(caller.sessionId!)
  }

  challengeMfa(user: UserRecord, loginMethod: SessionRecord['loginMethod'], idToken?: string): Promise<string> {
    return challengeMfa(this.#context, user, loginMethod, idToken)
  }

  completeMfa(token: string, code: string, address = ''): Promise<CompletedMfa> {
    return completeMfa(this.#context, token, code, address)
  }

  disableMfa(caller: Caller, code: string, address = ''): Promise<void> {
    return disableMfa(this.#context, caller.userId, code, address)
  }

  resetMfa(caller: Caller, userId: string): Promise<void> {
    return resetMfa(this.#context, caller, userId)
  }

  resolveExternal(external: ExternalUser, rules: ExternalRules): Promise<ResolvedUser> {
    return resolveExternal(this.#context, external, rules)
  }

  /** Notes that these were used; false when one of them was before. */
  useOnce(words: readonly string[]): Promise<boolean> {
    return useOnce(this.#context, words)
  }

  /** The secret that signs what browsers keep: the operator's, else one that is made once. */
  cookieSecret(): Promise<string> {
    return cookieSecret(this.#context)
  }

  logout(caller: Caller): ReturnType<typeof logout> {
    return logout(this.#context, caller)
  }

  ownSessions(caller: Caller): Promise<ListedSession[]> {
    return ownSessions(this.#context, caller)
  }

  endSession(caller: Caller, id: string): Promise<void> {
    return endSession(this.#context, caller, id)
  }

  endOtherSessions(caller: Caller): Promise<void> {
    return endOtherSessions(this.#context, caller)
  }

  sessionsOf(caller: Caller, userId: string): Promise<ListedSession[]> {
    return sessionsOf(this.#context, caller, userId)
  }

  endSessionsOf(caller: Caller, userId: string): Promise<void> {
    return endSessionsOf(this.#context, caller, userId)
  }

  sweepSessions(): Promise<number> {
    return sweepSessions(this.#context)
  }

  changePassword(caller: Caller, currentPassword: string, newPassword: string, address = ''): Promise<void> {
    return changePassword(this.#context, caller, currentPassword, newPassword, address)
  }

  resetPassword(caller: Caller, id: string, newPassword: string): Promise<void> {
    return resetPassword(this.#context, caller, id, newPassword)
  }

  listUsers(): Promise<ListedUser[]> {
    return listUsers(this.#context)
  }

  register(caller: Caller, registration: Registration): Promise<UserRecord> {
    return register(this.#context, caller, registration)
  }

  updateUser(caller: Caller, id: string, wanted: Parameters<typeof updateUser>[3]): Promise<UserRecord> {
    return updateUser(this.#context, caller, id, wanted)
  }

  /** @param withdraw takes away what others keep of the user, once the account is disabled */
  deleteUser(caller: Caller, id: string, withdraw = async (): Promise<void> => undefined): Promise<void> {
    return deleteUser(this.#context, caller, id, withdraw)
  }

  listRoles(): Promise<ListedRole[]> {
    return listRoles(this.#context)
  }

  createRole(caller: Caller, wanted: WantedRole): Promise<RoleRecord> {
    return createRole(this.#context, caller, wanted)
  }

  updateRole(caller: Caller, id: string, wanted: WantedRole): Promise<RoleRecord> {
    return updateRole(this.#context, caller, id, wanted)
  }

  deleteRole(caller: Caller, id: string): Promise<RoleRecord> {
    return deleteRole(this.#context, caller, id)
  }

  listTeams(caller: Caller): Promise<ListedTeam[]> {
    return listTeams(this.#context, caller)
  }

  createTeam(caller: Caller, wanted: WantedTeam): Promise<TeamRecord> {
    return createTeam(this.#context, caller, wanted)
  }

  updateTeam(caller: Caller, id: string, wanted: WantedTeam): Promise<TeamRecord> {
    return updateTeam(this.#context, caller, id, wanted)
  }

  deleteTeam(caller: Caller, id: string): Promise<void> {
    return deleteTeam(this.#context, caller, id)
  }

  createKey(caller: Caller, wanted: WantedKey): ReturnType<typeof createKey> {
    return createKey(this.#context, caller, wanted)
  }

  listKeys(caller: Caller): Promise<ListedKey[]> {
    return listKeys(this.#context, caller)
  }

  deleteKey(caller: Caller, id: string): Promise<void> {
    return deleteKey(this.#context, caller, id)
  }

  teamName(teamId: string): Promise<string> {
    return teamName(this.#context.store, teamId)
  }

  /** A user as the answer to a sign-in shows it. */
  async describe(user: UserRecord, loginMethod?: SessionRecord['loginMethod']): Promise<SignedInUser> {
    const { id, username, role, teamId } = user
    const permissions = [...effectivePermissions(role, await storedRoles(this.#context.store, role))]
    const mustChangePassword = mustChange(this.#context, user, loginMethod)
    return { id, username, role, mustChangePassword, permissions, teamName: await this.teamName(teamId) }
  }

  /** What the session of the caller is. @throws SESSION_INVALID for an API key */
  async describeSession(caller: Caller): Promise<SessionState> {
    const { users, sessions, identities } = this.#context.store
    if (caller.via === 'nothing')
      return { user: anonymousUser(caller, await this.teamName(caller.teamId)), expiresAt: null }
    const session = caller.sessionId === undefined ? undefined : await sessions.find(caller.sessionId)
    const user = await users.byId(caller.userId)
    if (!session || !user) throw new MediaprocError('SESSION_INVALID')
    return {
      user: {
        ...(await this.describe(user, session.loginMethod)),
        authProvider: user.authProvider,
        loginMethod: session.loginMethod,
        email: user.email,
        hasLocalPassword: user.passwordHash !== null,
        hasOidcLink: (await identities.ofUser(user.id)).some(({ provider }) => provider === 'oidc'),
        mfaEnabled: await hasMfa(this.#context, user.id),
      },
      expiresAt: session.expiresAt,
    }
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
