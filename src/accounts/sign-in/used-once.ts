import type { AccountsContext } from '../context.ts'
import { timeText } from '../context.ts'
import { sha256Hex } from './tokens.ts'

/** How long a used id is remembered: longer than it would be accepted. */
const KNOWN_MS = 1_800_000

/** Marks ids as used; returns false, and marks none, if one was used before. */
export async function useOnce({ store, now }: AccountsContext, words: readonly string[]): Promise<boolean> {
  const ids = words.map((word) => sha256Hex(`used ${word}`))
  return store.transaction(async ({ tickets }) => {
    await tickets.removeDead(timeText(now()))
    for (const id of ids) if (await tickets.byId(id)) return false
    const expiresAt = timeText(now() + KNOWN_MS)
    for (const id of ids) await tickets.put({ id, kind: 'used', userId: null, tries: 0, expiresAt })
    return true
  })
}
