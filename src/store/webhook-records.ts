/** Webhooks and their deliveries. As in `records.ts`, a record never changes in place. */

/** What a webhook can be sent about. */
export const JOB_EVENTS = ['job.completed', 'job.failed', 'job.canceled'] as const
export type JobEvent = (typeof JOB_EVENTS)[number]

/** An address that is sent the events of an account's jobs. */
export interface WebhookRecord {
  readonly id: string
  readonly userId: string
  /** null: the secret of the account for the addresses that jobs name (`callbackUrl`). */
  readonly url: string | null
  readonly events: readonly JobEvent[]
  readonly description: string
  readonly isOn: boolean
  /** Why the server switched it off. */
  readonly offReason: string | null
  /** Encrypted by src/accounts/credentials/vault.ts. */
  readonly secret: string
  /** The secret before the last rotation, which signs as well until then. */
  readonly previous: { readonly secret: string; readonly expiresAt: string } | null
  /** Deliveries that were given up since the last success. */
  readonly failures: number
  readonly createdAt: string
  readonly updatedAt: string
}

export const DELIVERY_STATES = ['pending', 'delivered', 'dead'] as const
/** `dead`: given up. */
export type DeliveryStatus = (typeof DELIVERY_STATES)[number]

/** One request of a delivery. */
export interface DeliveryAttempt {
  readonly at: string
  /** In milliseconds. */
  readonly duration: number
  /** HTTP status; null without an answer. */
  readonly status: number | null
  /** null after a success. */
  readonly error: string | null
}

/** A message for a webhook. */
export interface DeliveryRecord {
  /** The `webhook-id` of every attempt. */
  readonly id: string
  readonly userId: string
  readonly webhookId: string
  /** The address that the job named; null: that of the webhook. */
  readonly url: string | null
  readonly event: JobEvent | 'webhook.test'
  /** null for a test. */
  readonly jobId: string | null
  /** The body, as JSON. */
  readonly payload: string
  readonly status: DeliveryStatus
  /** Attempts since the delivery was created, or was last requested again. */
  readonly tries: number
  /** The last ones, oldest first. */
  readonly attempts: readonly DeliveryAttempt[]
  /** When the next attempt is due, unless another server has made it; null when there is none. */
  readonly dueAt: string | null
  readonly createdAt: string
  /** When the record is removed. */
  readonly expiresAt: string
}
