import { createHash } from 'node:crypto'
import { timeText } from '../../accounts/context.ts'
import type { JobRecord } from '../../store/job-record.ts'
import type { Store } from '../../store/store.ts'
import type { DeliveryRecord, WebhookRecord } from '../../store/webhook-records.ts'
import { eventOf, jobPayload } from './payload.ts'
import { KEPT_MS, MOST_DELIVERIES } from './rules.ts'

/** A job that ends again, after a crash, has the same messages. */
const messageId = (jobId: string, webhookId: string): string =>
  `msg_${createHash('sha256').update(`${jobId} ${webhookId}`).digest('hex').slice(0, 32)}`

/** A new delivery, which is due at once. @param at in milliseconds since 1970 */
export const newDelivery = (
  { id: webhookId, userId }: Pick<WebhookRecord, 'id' | 'userId'>,
  message: Pick<DeliveryRecord, 'id' | 'url' | 'event' | 'jobId' | 'payload'>,
  at: number,
): DeliveryRecord => ({
  ...{ ...message, userId, webhookId, status: 'pending', tries: 0, attempts: [] },
  ...{ dueAt: timeText(at), createdAt: timeText(at), expiresAt: timeText(at + KEPT_MS) },
})

/**
 * Stores the messages about a job that is about to end, before its end is stored: so no end is without its messages, even
 * if the process is killed. They are sent once the record of the job has ended. Returns whether there are any.
 * @param record as it will be stored, with its task
 */
export async function announceEnd(
  { webhooks, transaction }: Pick<Store, 'webhooks' | 'transaction'>,
  record: JobRecord,
  now: number,
): Promise<boolean> {
  const { id: jobId, ownerId, task } = record
  if (ownerId === null) return false
  const event = eventOf(record)
  const callback = task?.callbackUrl ?? null
  const wanted = (await webhooks.ofUser(ownerId)).filter(({ url, isOn, events }) =>
    url === null ? callback !== null : isOn && events.includes(event),
  )
  if (wanted.length === 0) return false
  const payload = jobPayload(record)
  await transaction(async ({ deliveries }) => {
    for (const webhook of wanted) {
      const id = messageId(jobId, webhook.id)
      const url = webhook.url === null ? callback : null
      // An attempt was made already: the job has ended before.
      if ((await deliveries.byId(id))?.attempts.length) continue
      await deliveries.put(newDelivery(webhook, { id, url, event, jobId, payload }, now))
    }
    await deliveries.removeSurplus(ownerId, MOST_DELIVERIES)
  })
  return true
}
