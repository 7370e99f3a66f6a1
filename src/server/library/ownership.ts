import type { Caller } from '../../accounts/caller.ts'

/** Jobs and kept files are seen by their owner, and by users with permission to see everybody's. */
export const maySee = (
  caller: Pick<Caller, 'userId' | 'permissions'>,
  { ownerId }: { ownerId: string | null },
): boolean => ownerId === caller.userId || caller.permissions.has('files:all')
