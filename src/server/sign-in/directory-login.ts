import type { FastifyRequest } from 'fastify'
import { verifyPassword } from '../../accounts/credentials/passwords.ts'
import { login } from '../../accounts/sign-in/sign-in.ts'
import { CheckThreads } from '../../accounts/sso/check-threads.ts'
import { identityId } from '../../accounts/sso/external-users.ts'
import type { LdapUser } from '../../accounts/sso/ldap.ts'
import type { LdapReading } from '../../accounts/sso/ldap-worker.ts'
import { MediaprocError } from '../../errors.ts'
import type { SessionRecord, UserRecord } from '../../store/records.ts'
import type { ServerContext } from '../context.ts'
import { resolveAudited } from './federated-login.ts'
import type { LdapConfig } from './ldap-config.ts'
import { mayUsePassword } from './sso.ts'

/** A user after a password was accepted, and who accepted it. */
export interface PasswordLogin {
  user: UserRecord
  loginMethod: Extract<SessionRecord['loginMethod'], 'local' | 'ldap'>
}

const ISSUER = 'ldap'

/** Longer than the two connections of a check may take. */
const CHECK_MS = 40_000
const threads = new CheckThreads<LdapReading, LdapUser | undefined>('src/accounts/sso/ldap-worker.js', CHECK_MS)

/** Ends the idle threads that talk to the directory. */
export const closeDirectory = (): Promise<void> => threads.close()

/** A thread that ended or took too long is a directory that does not answer. */
function notReached(error: unknown): never {
  if (error instanceof MediaprocError && error.code === 'QUEUE_UNAVAILABLE') throw error
  throw new MediaprocError('DIRECTORY_UNREACHABLE', undefined, { cause: error })
}

const externalUser = ({ subject, username, email, groups }: LdapUser) => ({
  ...{ provider: 'ldap' as const, issuer: ISSUER, subject, email },
  // The directory is the company's own, so its addresses count as verified.
  isEmailVerified: email !== null,
  usernames: [username, email?.split('@')[0]],
  groups,
})

/** Whether the directory decides about a name: every name without a local password. */
async function isInDirectory(context: ServerContext, username: string): Promise<boolean> {
  // Enforced single sign-on asks the directory for nobody.
  if (!(await mayUsePassword(context, username))) return false
  const known = username.length <= 255 ? await context.store.users.byName(username) : undefined
  return known === undefined || known.passwordHash === null
}

/** Asks the directory, with the same limits of attempts and at least the same work as for a local password. */
async function askDirectory(
  { accounts }: ServerContext,
  options: LdapConfig,
  { username, password, address }: { username: string; password: string; address: string },
): Promise<LdapUser | undefined> {
  let found: LdapUser | undefined
  await accounts.attempts.check(username.slice(0, 255).toLowerCase(), address, async () => {
    const [answer] = await Promise.all([
      threads.ask({ options, username: username.slice(0, 255), password }, address).catch(notReached),
      verifyPassword(password, null),
    ])
    found = answer
    return found !== undefined
  })
  return found
}

/**
 * Checks a user name and password: those of a local account here, all others in the directory, if one is configured. A local
 * administrator can therefore sign in while the directory is down.
 * @throws INVALID_CREDENTIALS, RATE_LIMITED, USER_DISABLED, USER_LIMIT_REACHED, FORBIDDEN, DIRECTORY_UNREACHABLE
 */
export async function passwordLogin(
  context: ServerContext,
  request: FastifyRequest,
  username: string,
  password: string,
): Promise<PasswordLogin> {
  const { accounts, config } = context
  if (!config.ldap || !(await isInDirectory(context, username)))
    return { user: await login(accounts, username, password, request.ip), loginMethod: 'local' }
  const found = await askDirectory(context, config.ldap, { username, password, address: request.ip })
  if (!found) throw new MediaprocError('INVALID_CREDENTIALS')
  return { user: await resolveAudited(context, request, externalUser(found), config.ldap.rules), loginMethod: 'ldap' }
}

/** Whether the directory accepts a password of a user who is signed in. @throws RATE_LIMITED, DIRECTORY_UNREACHABLE */
export async function provesInDirectory(
  context: ServerContext,
  request: FastifyRequest,
  password: string,
): Promise<boolean> {
  const { config, store } = context
  const { userId, username } = request.caller
  if (!config.ldap) return false
  const found = await askDirectory(context, config.ldap, { username, password, address: request.ip })
  if (!found) return false
  const identity = await store.identities.byId(identityId(externalUser(found)))
  return identity?.userId === userId
}
