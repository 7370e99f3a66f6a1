import type { AccountsContext } from '../context.ts'
import { timeText } from '../context.ts'
import { sha256Hex } from './tokens.ts'

/** So long it is known that something was used: longer than it would be taken otherwise. */
const KNOWN_MS = 1_800_000

/** Notes that these were used; false, and nothing is noted, when one of them was before. */
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
