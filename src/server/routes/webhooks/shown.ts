import type { Caller } from '../../../accounts/caller.ts'
import { timeText } from '../../../accounts/context.ts'
import { shownUrl } from '../../../engines/http/guard.ts'
import type { DeliveryRecord, WebhookRecord } from '../../../store/webhook-records.ts'
import { notFound } from '../../http/answers.ts'

/** Whether a user may see, switch off and delete the webhooks of all users. */
export const managesAll = ({ permissions }: Caller): boolean => permissions.has('webhooks:manage')

/** A webhook that is not the account's secret for the addresses of jobs. */
export type AddressedWebhook = WebhookRecord & { url: string }

export const isAddressed = (webhook: WebhookRecord): webhook is AddressedWebhook => webhook.url !== null

/** The caller's own webhook. @throws NOT_FOUND otherwise */
export function own({ userId }: Caller, webhook: WebhookRecord | undefined): AddressedWebhook {
  if (!webhook || !isAddressed(webhook) || webhook.userId !== userId) throw notFound()
  return webhook
}

/** A webhook that the caller may see. @throws NOT_FOUND otherwise */
export function visible(caller: Caller, webhook: WebhookRecord | undefined): AddressedWebhook {
  if (!webhook || !isAddressed(webhook) || (webhook.userId !== caller.userId && !managesAll(caller))) throw notFound()
  return webhook
}

/** Until when the former secret signs; null if it does not. */
export const previousUntil = ({ previous }: WebhookRecord, now: number): string | null =>
  previous && previous.expiresAt > timeText(now) ? previous.expiresAt : null

/** As the API shows a webhook. Queries of addresses often contain secrets: others see an address without one. */
export function shownWebhook(caller: Caller, webhook: AddressedWebhook, now: number): Record<string, unknown> {
  const { id, userId, url, events, description, isOn: enabled, offReason, createdAt, updatedAt } = webhook
  return {
    ...{ id, url: userId === caller.userId ? url : shownUrl(new URL(url)), events, description, enabled, offReason },
    ...{ previousSecretUntil: previousUntil(webhook, now), createdAt, updatedAt },
    ...(managesAll(caller) && { userId }),
  }
}

/** As the API shows a delivery to its owner. @param webhook where it goes, if it is known */
export function shownDelivery(delivery: DeliveryRecord, webhook: WebhookRecord | undefined): Record<string, unknown> {
  const { id, webhookId, url, event, jobId, status, attempts, dueAt, createdAt } = delivery
  return {
    ...{ id, webhookId: url === null ? webhookId : null, url: url ?? webhook?.url ?? '', event, jobId, status },
    attempts: attempts.map(({ at, duration, status: answered, error }) => ({
      ...{ at, durationMs: duration, status: answered, error },
    })),
    ...{ nextAttemptAt: dueAt, createdAt },
  }
}
