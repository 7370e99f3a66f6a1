import { timeText } from '../../accounts/context.ts'
import type { Repositories } from '../../store/repositories.ts'
import type { DeliveryAttempt, DeliveryRecord, WebhookRecord } from '../../store/webhook-records.ts'
import type { AttemptResult } from './attempt.ts'
import { EARLY_MS, JITTER, LOCK_MS, MOST_FAILURES, MOST_LISTED, PAUSES } from './rules.ts'

/** Longest Retry-After that is respected, in seconds: a longer one would keep a delivery past its day. */
const MOST_RETRY_AFTER_S = 3600
/** Status of a receiver that wants no more messages. */
const GONE = 410

export interface Ended {
  delivery: DeliveryRecord
  result: AttemptResult
  /** Duration of the attempt, in milliseconds. */
  ms: number
}

const retryAfterMs = (text: string | undefined): number =>
  text !== undefined && /^\d+$/.test(text) ? Math.min(Number(text), MOST_RETRY_AFTER_S) * 1000 : 0

/** The pause before the next attempt; undefined if there is none. @param random from 0 to 1 */
export function pauseAfter(tries: number, retryAfter: string | undefined, random: number): number | undefined {
  const pause = PAUSES[tries - 1]
  return pause && Math.max(pause * (1 + JITTER * random), retryAfterMs(retryAfter))
}

/** A delivery after an attempt. @param now in milliseconds since 1970 */
export function afterAttempt({ delivery, result, ms }: Ended, now: number, random: number): DeliveryRecord {
  if (result.kind === 'early') {
    const isNew = now - Date.parse(delivery.createdAt) < 10 * EARLY_MS
    return { ...delivery, dueAt: timeText(now + (isNew ? EARLY_MS : LOCK_MS)) }
  }
  const status = result.kind === 'made' ? result.status : null
  const made: DeliveryAttempt = { at: timeText(now - ms), duration: ms, status, error: result.error }
  const tries = delivery.tries + 1
  const next = { ...delivery, tries, attempts: [...delivery.attempts, made].slice(-MOST_LISTED) }
  if (result.error === null) return { ...next, status: 'delivered', dueAt: null }
  const isFinal = result.kind === 'ended' || status === GONE || delivery.event === 'webhook.test'
  const pause = isFinal ? undefined : pauseAfter(tries, result.kind === 'made' ? result.retryAfter : undefined, random)
  return pause === undefined
    ? { ...next, status: 'dead', dueAt: null }
    : { ...next, status: 'pending', dueAt: timeText(now + pause) }
}

/** A webhook after an attempt; undefined if nothing changes. */
function webhookAfter(
  webhook: WebhookRecord,
  { event, status, attempts }: DeliveryRecord,
  now: number,
): WebhookRecord | undefined {
  if (status === 'delivered') return webhook.failures > 0 ? { ...webhook, failures: 0 } : undefined
  // The addresses of jobs are many: one that fails says nothing about the others.
  if (status !== 'dead' || event === 'webhook.test' || webhook.url === null || !webhook.isOn) return undefined
  const failures = webhook.failures + 1
  const isGone = attempts.at(-1)?.status === GONE
  if (!isGone && failures < MOST_FAILURES) return { ...webhook, failures }
  const offReason = isGone
    ? `The receiver answered with the status ${GONE}: it wants no more messages`
    : `${failures} deliveries in a row failed`
  return { ...webhook, failures, isOn: false, offReason, updatedAt: timeText(now) }
}

/**
 * Stores the result of an attempt, unless the delivery was deleted meanwhile.
 * @returns the stored delivery
 */
export async function noteResult(
  { deliveries, webhooks }: Repositories,
  ended: Ended,
  now: number,
  random: number,
): Promise<DeliveryRecord | undefined> {
  const { id, webhookId } = ended.delivery
  const known = await deliveries.byId(id)
  if (!known) return undefined
  const after = afterAttempt(ended, now, random)
  await deliveries.put(after)
  const webhook = ended.result.kind === 'made' ? await webhooks.byId(webhookId) : undefined
  const changed = webhook && webhookAfter(webhook, after, now)
  if (changed) await webhooks.put(changed)
  return after
}
