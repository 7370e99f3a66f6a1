import { MediaprocError } from '../../errors.ts'
import type { PasskeyRecord } from '../../store/records.ts'
import type { Repositories } from '../../store/repositories.ts'
import type { Caller } from '../caller.ts'
import type { AccountsContext } from '../context.ts'
import { demandsMfa } from '../credentials/mfa.ts'
import { userById } from '../directory/user-rules.ts'
import { sha256Hex } from '../sign-in/tokens.ts'
import { factorMethods } from './factors.ts'

/** A passkey as its owner sees it. */
export interface ListedPasskey {
  id: string
  name: string
  isBackedUp: boolean
  createdAt: string
  lastUsedAt: string | null
}

/** Public id: credential ids can be longer than a path allows. */
const shownId = ({ id }: Pick<PasskeyRecord, 'id'>): string => sha256Hex(id).slice(0, 32)

export const listed = (passkey: PasskeyRecord): ListedPasskey => ({
  id: shownId(passkey),
  name: passkey.name,
  isBackedUp: passkey.isBackedUp,
  createdAt: passkey.createdAt,
  lastUsedAt: passkey.lastUsedAt,
})

/** The caller's passkeys, oldest first. */
export async function listPasskeys(
  { store }: AccountsContext,
  { userId }: Pick<Caller, 'userId'>,
): Promise<ListedPasskey[]> {
  return (await store.passkeys.ofUser(userId)).map(listed)
}

async function ownPasskey({ passkeys }: Repositories, userId: string, id: string): Promise<PasskeyRecord> {
  const found = (await passkeys.ofUser(userId)).find((passkey) => shownId(passkey) === id)
  if (!found) throw new MediaprocError('NOT_FOUND', 'There is no such passkey')
  return found
}

/** @throws NOT_FOUND */
export async function renamePasskey(
  { store }: AccountsContext,
  { userId }: Pick<Caller, 'userId'>,
  id: string,
  name: string,
): Promise<ListedPasskey> {
  return store.transaction(async (known) => {
    const passkey = { ...(await ownPasskey(known, userId, id)), name }
    await known.passkeys.put(passkey)
    return listed(passkey)
  })
}

/** @throws NOT_FOUND, FORBIDDEN for the last factor of a user who must have one */
export async function removePasskey(
  context: AccountsContext,
  { userId }: Pick<Caller, 'userId'>,
  id: string,
): Promise<ListedPasskey> {
  return context.store.transaction(async (known) => {
    const passkey = await ownPasskey(known, userId, id)
    await known.passkeys.remove(passkey.id)
    const isLast = (await factorMethods(known, userId)).length === 0
    if (isLast && (await demandsMfa({ ...context, store: known }, await userById(known, userId))))
      throw new MediaprocError('FORBIDDEN', 'This server requires a second factor: set up another one first', {
        hint: '',
      })
    return listed(passkey)
  })
}
