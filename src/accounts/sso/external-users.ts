import { randomUUID } from 'node:crypto'
import { MediaprocError } from '../../errors.ts'
import { DEFAULT_TEAM_ID, type IdentityRecord, type UserRecord } from '../../store/records.ts'
import type { Repositories } from '../../store/repositories.ts'
import { ANONYMOUS } from '../caller.ts'
import { type AccountsContext, timeText } from '../context.ts'
import { isDisabled, parseRole, permissionsOf, storedRoles } from '../directory/permissions.ts'
import { checkRoom } from '../directory/user-rules.ts'
import { sha256Hex } from '../sign-in/tokens.ts'

/** A user authenticated by a provider. */
export interface ExternalUser {
  provider: IdentityRecord['provider']
  issuer: string
  /** The provider's own id of the user, which never changes. */
  subject: string
  email: string | null
  /** Whether the provider has verified the email address. */
  isEmailVerified: boolean
  /** Candidate names for a new account, best first. */
  usernames: readonly unknown[]
  /** undefined: omitted because there are too many for a token; the role is not changed. */
  groups: readonly string[] | undefined
}

/** Rules set by the operator. */
export interface ExternalRules {
  autoCreate: boolean
  autoLink: boolean
  /** Applies also to users who manage others. */
  autoLinkAdmins: boolean
  defaultRole: string
  /** Maps groups to roles; the first group that the user is in counts. Empty: roles are managed on this server only. */
  roles: Readonly<Record<string, string>>
}

export interface ResolvedUser {
  user: UserRecord
  how: 'known' | 'linked' | 'created'
  /** The account before this sign-in, if the provider's groups changed its role. */
  before?: UserRecord
}

const MAX_EMAIL = 254
const LENGTHS = { least: 3, most: 46 }

const refused = (reason: string): MediaprocError => new MediaprocError('FORBIDDEN', reason)

/** The id of an identity's record. */
export const identityId = ({
  provider,
  issuer,
  subject,
}: Pick<ExternalUser, 'provider' | 'issuer' | 'subject'>): string =>
  sha256Hex(JSON.stringify([provider, issuer, subject]))

/** Derives a user name from the provider's value; undefined if no valid character is left. */
function cleanUsername(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined
  const name = text
    .slice(0, 1000)
    .toLowerCase()
    .replace(/[^a-z0-9_.-]+/g, '_')
    .replace(/([_.-])\1+/g, '$1')
    .replace(/^[_.-]+|[_.-]+$/g, '')
    .slice(0, LENGTHS.most)
  return name.length >= LENGTHS.least ? name : undefined
}

/**
 * A user name that nobody has, made from the first usable of several texts.
 * @param ownId the user who may keep the name
 * @throws FORBIDDEN
 */
export async function freeUsername(
  { users }: Repositories,
  wanted: readonly unknown[],
  ownId?: string,
): Promise<string> {
  const base = wanted.map(cleanUsername).find((name) => name !== undefined) ?? 'user'
  for (let count = 1; count < 10_000; count++) {
    const name = count === 1 ? base : `${base}_${count}`
    const id = (await users.byName(name))?.id
    if (name !== ANONYMOUS && (id === undefined || id === ownId)) return name
  }
  throw refused('There is no free user name')
}

/** The role for a user's groups, or the default role. @throws FORBIDDEN for a role that does not exist */
async function wantedRole(known: Repositories, { groups = [] }: ExternalUser, rules: ExternalRules): Promise<string> {
  const group = Object.keys(rules.roles).find((one) => groups.includes(one))
  const text = group === undefined ? rules.defaultRole : rules.roles[group]!
  const role = parseRole(text, await storedRoles(known, text.trim().toLowerCase()))
  if (role === undefined || isDisabled(role)) throw refused(`There is no role ${text.slice(0, 50)}`)
  return role
}

/**
 * Groups of the provider set the role only for accounts that the provider created, by a sign-in or by SCIM; local
 * accounts keep the role set on this server. The last administrator stays an administrator.
 */
async function withRole(known: Repositories, user: UserRecord, external: ExternalUser, rules: ExternalRules) {
  if (Object.keys(rules.roles).length === 0 || ![external.provider, 'scim'].includes(user.authProvider)) return user
  if (external.groups === undefined) return user
  const role = await wantedRole(known, external, rules)
  if (role === user.role) return user
  if (user.role === 'admin' && (await known.users.countOfRole('admin')) === 1) return user
  await known.sessions.removeOfUser(user.id)
  return known.users.update(user.id, { role })
}

async function linkable(
  known: Repositories,
  external: ExternalUser,
  rules: ExternalRules,
): Promise<UserRecord | undefined> {
  if (!external.isEmailVerified || external.email === null) return undefined
  const email = external.email.toLowerCase()
  const found = (await known.users.list()).filter(
    (user) => !user.isService && [user.email, user.scim?.userName].some((one) => one?.toLowerCase() === email),
  )
  // With two matches it is unknown which one is meant.
  if (found.length !== 1) return undefined
  const [user] = found as [UserRecord]
  // The identity provider announced this user by SCIM, and there is no other way to sign in.
  const isAnnounced =
    ['oidc', 'saml'].includes(external.provider) && user.authProvider === 'scim' && user.passwordHash === null
  if (!rules.autoLink && !isAnnounced) return undefined
  const isMighty = permissionsOf(user.role, await storedRoles(known, user.role)).includes('users:manage')
  return isMighty && !rules.autoLinkAdmins ? undefined : user
}

async function created(
  context: AccountsContext,
  known: Repositories,
  external: ExternalUser,
  rules: ExternalRules,
): Promise<UserRecord> {
  const { options, now } = context
  await checkRoom(known, options)
  const { email } = external
  const user: UserRecord = {
    id: randomUUID(),
    username: await freeUsername(known, external.usernames),
    role: await wantedRole(known, external, rules),
    teamId: DEFAULT_TEAM_ID,
    passwordHash: null,
    mustChangePassword: false,
    authProvider: external.provider,
    // Another provider would link to an unverified address.
    email: external.isEmailVerified && email !== null && email.length <= MAX_EMAIL ? email : null,
    createdAt: timeText(now()),
  }
  await known.users.add(user)
  return user
}

/**
 * The account of a user authenticated by a provider: found by the provider's id, linked by the same address, or newly
 * created, as the rules allow. In one transaction, so that two concurrent sign-ins create one account.
 *
 * @throws FORBIDDEN when the rules allow none, USER_DISABLED, USER_LIMIT_REACHED
 */
export async function resolveExternal(
  context: AccountsContext,
  external: ExternalUser,
  rules: ExternalRules,
): Promise<ResolvedUser> {
  const { store, now } = context
  return store.transaction(async (known) => {
    const id = identityId(external)
    const identity = await known.identities.byId(id)
    const present = identity && (await known.users.byId(identity.userId))
    if (present) {
      if (isDisabled(present.role)) throw new MediaprocError('USER_DISABLED')
      const user = await withRole(known, present, external, rules)
      return { user, how: 'known' as const, ...(user.role !== present.role && { before: present }) }
    }
    const other = await linkable(known, external, rules)
    if (other && isDisabled(other.role)) throw new MediaprocError('USER_DISABLED')
    if (!other && !rules.autoCreate) throw refused('There is no account for this user')
    const user = other ? await withRole(known, other, external, rules) : await created(context, known, external, rules)
    await known.identities.add({
      ...{ id, userId: user.id, provider: external.provider, createdAt: timeText(now()) },
    })
    const before = other && user.role !== other.role ? { before: other } : {}
    return { user, how: other ? ('linked' as const) : ('created' as const), ...before }
  })
}
