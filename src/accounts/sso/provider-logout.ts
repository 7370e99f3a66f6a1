import type { UserRecord } from '../../store/records.ts'
import type { Repositories } from '../../store/repositories.ts'
import type { AccountsContext } from '../context.ts'
import { sha256Hex } from '../sign-in/tokens.ts'
import { identityId } from './external-users.ts'
import type { LogoutToken } from './logout-token.ts'

/** What a session stores of the provider's session: not the name itself, which is part of the user's sign-in there. */
export const providerSessionId = (issuer: string, sid: string): string => sha256Hex(JSON.stringify([issuer, sid]))

/** The users whose sessions a logout token may end: the one that it names, or all where it names a session only. */
async function usersOf(known: Repositories, issuer: string, { subject }: LogoutToken): Promise<UserRecord[]> {
  if (subject === undefined) return known.users.list()
  const identity = await known.identities.byId(identityId({ provider: 'oidc', issuer, subject }))
  const user = identity && (await known.users.byId(identity.userId))
  return user ? [user] : []
}

/**
 * Ends the sessions that an OpenID provider has ended: one session of a user, or all that began with this provider. Sessions
 * that began in another way, and API keys, continue.
 * @returns the users who were signed out
 */
export function endProviderSessions(
  { store }: AccountsContext,
  issuer: string,
  token: LogoutToken,
): Promise<UserRecord[]> {
  const wanted = token.session === undefined ? undefined : providerSessionId(issuer, token.session)
  return store.transaction(async (known) => {
    const ended: UserRecord[] = []
    for (const user of await usersOf(known, issuer, token)) {
      const own = await known.sessions.ofUser(user.id)
      const found = own.filter(
        ({ loginMethod, providerSession }) =>
          loginMethod === 'oidc' && (wanted === undefined || providerSession === wanted),
      )
      for (const { id } of found) await known.sessions.remove(id)
      if (found.length > 0) ended.push(user)
    }
    return ended
  })
}
