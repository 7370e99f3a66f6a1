import type { IdentityRecord, UserRecord } from '../../store/records.ts'
import type { Repositories } from '../../store/repositories.ts'
import type { AccountsContext } from '../context.ts'
import { sha256Hex } from '../sign-in/tokens.ts'
import { identityId } from './external-users.ts'

/** What a session stores of the provider's session: not the name itself, which is part of the user's sign-in there. */
export const providerSessionId = (issuer: string, sid: string): string => sha256Hex(JSON.stringify([issuer, sid]))

/** Sessions that a provider has ended. At least one of `subject` and `sessions` is given. */
export interface EndedSessions {
  provider: IdentityRecord['provider']
  issuer: string
  /** The provider's id of the user; undefined if it names sessions only. */
  subject?: string | undefined
  /** The provider's names of its sessions; undefined or empty for all sessions of the user. */
  sessions?: readonly string[] | undefined
}

/** The users whose sessions a message may end: the one that it names, or all where it names sessions only. */
async function usersOf(known: Repositories, { provider, issuer, subject }: EndedSessions): Promise<UserRecord[]> {
  if (subject === undefined) return known.users.list()
  const identity = await known.identities.byId(identityId({ provider, issuer, subject }))
  const user = identity && (await known.users.byId(identity.userId))
  return user ? [user] : []
}

/**
 * Ends the sessions that a provider has ended: those that it names, or all of a user that began with this provider.
 * Sessions that began in another way, and API keys, continue.
 * @returns the users who were signed out
 */
export function endProviderSessions({ store }: AccountsContext, message: EndedSessions): Promise<UserRecord[]> {
  const { provider, issuer, sessions = [] } = message
  const named = new Set(sessions.map((name) => providerSessionId(issuer, name)))
  return store.transaction(async (known) => {
    const ended: UserRecord[] = []
    for (const user of await usersOf(known, message)) {
      const own = await known.sessions.ofUser(user.id)
      const found = own.filter(
        ({ loginMethod, providerSession }) =>
          loginMethod === provider &&
          (named.size === 0 || (providerSession !== undefined && named.has(providerSession))),
      )
      for (const { id } of found) await known.sessions.remove(id)
      if (found.length > 0) ended.push(user)
    }
    return ended
  })
}
