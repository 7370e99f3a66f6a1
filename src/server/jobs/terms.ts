import type { WebhookRecord } from '../../store/webhook-records.ts'
import type { RunnerParts } from './runner-parts.ts'

/** What applies to the end of a job. */
export interface Terms {
  /** How long its results are kept, in milliseconds. */
  age: number
  /** The webhooks of its owner. */
  subscribers: readonly WebhookRecord[]
}

export async function termsOf(
  { resultAgeMs, subscribersOf }: Pick<RunnerParts, 'resultAgeMs' | 'subscribersOf'>,
  ownerId: string | null,
): Promise<Terms> {
  const [age, subscribers] = await Promise.all([resultAgeMs(ownerId), subscribersOf?.(ownerId) ?? []])
  return { age, subscribers }
}
