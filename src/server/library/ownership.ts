import type { Caller } from '../../accounts/caller.ts'

/** Jobs and stored files are visible to their owner, and to users with permission to see those of all users. */
export const maySee = (
  caller: Pick<Caller, 'userId' | 'permissions'>,
  { ownerId }: { ownerId: string | null },
): boolean => ownerId === caller.userId || caller.permissions.has('files:all')
