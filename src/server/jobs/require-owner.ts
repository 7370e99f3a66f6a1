import { ANONYMOUS } from '../../accounts/caller.ts'
import { MediaprocError } from '../../errors.ts'
import type { Store } from '../../store/store.ts'

/**
 * Looks again whether the owner of new data exists, once it is written: a request may take minutes, and the account may be
 * deleted meanwhile. The deletion lists what it removes once more after the account is gone, so that one of the two sees the
 * other.
 * @param ownerId null: nobody's, from before the accounts
 * @param remove removes what was written
 * @throws SESSION_INVALID
 */
export async function requireOwner(
  { users }: Pick<Store, 'users'>,
  ownerId: string | null,
  remove: () => Promise<unknown>,
): Promise<void> {
  if (ownerId === null || ownerId === ANONYMOUS || (await users.byId(ownerId))) return
  await remove()
  throw new MediaprocError('SESSION_INVALID', 'The account was deleted meanwhile')
}
