import { randomUUID } from 'node:crypto'
import { MediaprocError } from '../../errors.ts'
import type { IdempotencyRecord, StoredAnswer } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import { KEPT_MS, LOCK_MS, MOST_KEYS, RETRY_AFTER_S } from './rules.ts'

/** What a request is known by. */
export type Keyed = Pick<IdempotencyRecord, 'id' | 'userId' | 'fingerprint'>

/** A key that this request holds until it has an answer. */
export interface Claim {
  /** Stores the answer for later requests with the key. */
  answer(stored: StoredAnswer): Promise<void>
  /** Makes the key free, because the request changed nothing or may be repeated. */
  release(): Promise<void>
}

const timeText = (ms: number): string => new Date(ms).toISOString()

/** The answer to a request that was made before. @throws IDEMPOTENCY_KEY_REUSED, REQUEST_IN_PROGRESS */
function answerOf(known: IdempotencyRecord, { fingerprint }: Keyed, now: string): StoredAnswer | undefined {
  if (known.fingerprint !== fingerprint) throw new MediaprocError('IDEMPOTENCY_KEY_REUSED')
  if (known.answer) return known.answer
  if (known.lockedUntil > now)
    throw new MediaprocError('REQUEST_IN_PROGRESS', undefined, { fields: { retryAfter: RETRY_AFTER_S } })
  return undefined
}

/**
 * Gives a key to one request: of several at the same time, at any server, one gets it. Returns the stored answer if an
 * earlier request has one. The key of a server that ended without an answer is free after `LOCK_MS`.
 * @throws IDEMPOTENCY_KEY_REUSED, REQUEST_IN_PROGRESS
 */
export async function claimKey(
  store: Pick<Store, 'transaction'>,
  keyed: Keyed,
  now: () => number,
): Promise<{ claim: Claim } | { answer: StoredAnswer }> {
  const runId = randomUUID()
  const found = await store.transaction(async ({ idempotencyKeys }) => {
    const at = timeText(now())
    const known = await idempotencyKeys.byId(keyed.id)
    const answer = known && known.expiresAt > at ? answerOf(known, keyed, at) : undefined
    if (answer) return answer
    // Removed first: a replaced record would keep its age.
    if (known) await idempotencyKeys.remove(keyed.id)
    await idempotencyKeys.removeSurplus(keyed.userId, MOST_KEYS - 1)
    await idempotencyKeys.put({
      ...{ ...keyed, runId, lockedUntil: timeText(now() + LOCK_MS), answer: null },
      ...{ createdAt: at, expiresAt: timeText(now() + KEPT_MS) },
    })
    return undefined
  })
  return found ? { answer: found } : { claim: held(store, { id: keyed.id, runId }, now) }
}

/** A key that is locked for as long as its request runs. */
function held(
  store: Pick<Store, 'transaction'>,
  { id, runId }: Pick<IdempotencyRecord, 'id' | 'runId'>,
  now: () => number,
): Claim {
  /** Changes the record, unless another request has taken the key over. */
  const change = (next: (record: IdempotencyRecord) => IdempotencyRecord | undefined): Promise<void> =>
    store.transaction(async ({ idempotencyKeys }) => {
      const record = await idempotencyKeys.byId(id)
      if (record?.runId !== runId || record.answer) return
      const after = next(record)
      await (after ? idempotencyKeys.put(after) : idempotencyKeys.remove(id))
    })
  const timer = setInterval(() => {
    change((record) => ({ ...record, lockedUntil: timeText(now() + LOCK_MS) })).catch(() => {})
  }, LOCK_MS / 3).unref()
  const end = (next: Parameters<typeof change>[0]): Promise<void> => {
    clearInterval(timer)
    return change(next)
  }
  return {
    answer: (answer) => end((record) => ({ ...record, answer })),
    release: () => end(() => undefined),
  }
}
