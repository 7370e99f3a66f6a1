import { ANONYMOUS } from '../../accounts/caller.ts'
import { MediaprocError } from '../../errors.ts'
import type { Store } from '../../store/store.ts'

/**
 * Checks again, after writing, that the owner of new data still exists: a request may take minutes, and the account may
 * be deleted in the meantime. The deletion lists the user's data once more after the account is removed, so that one of
 * the two always detects the other.
 * @param ownerId null for data without an owner, from before accounts were enabled
 * @param remove removes the data that was written
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
