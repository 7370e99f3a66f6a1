import { DELIVERY_STATES, JOB_EVENTS } from '../../store/webhook-records.ts'
import type { JsonSchema } from '../../tool/json-schema.ts'
import { MAX_ADDRESS } from '../webhooks/rules.ts'
import { count, countOrNull, exactly, flag, listOf, moment, momentOrNull, text, textOrNull } from './shapes.ts'

const EVENTS: JsonSchema = { type: 'string', enum: [...JOB_EVENTS] }

const SECRET: JsonSchema = { ...text, description: 'whsec_ and base64: the key of Standard Webhooks; shown this once' }
const PREVIOUS: JsonSchema = {
  ...momentOrNull,
  description: 'until when the secret before the last rotation signs as well; null: only one secret signs',
}

const WEBHOOK = {
  ...{ id: text, url: text, events: listOf(EVENTS), description: text, enabled: flag },
  offReason: { ...textOrNull, description: 'why the server switched it off' },
  previousSecretUntil: PREVIOUS,
  ...{ createdAt: moment, updatedAt: moment },
}

const ATTEMPT = exactly({
  at: moment,
  durationMs: count,
  status: { ...countOrNull, description: 'HTTP status; null: no answer' },
  error: { ...textOrNull, description: 'null after a success' },
})

/** The records of the API, by name. */
const RECORDS: Record<string, [description: string, schema: JsonSchema]> = {
  Webhook: [
    'An address that receives the events of your jobs, without its secret',
    exactly({ ...WEBHOOK, userId: text }, ['userId']),
  ],
  NewWebhook: ['A webhook with its secret, which is shown this once', exactly({ ...WEBHOOK, secret: SECRET })],
  WebhookSecret: [
    'A new secret; the former one signs as well until the given time',
    exactly({ secret: SECRET, previousSecretUntil: PREVIOUS }),
  ],
  Delivery: [
    'A message for a webhook, or for the callbackUrl of a job',
    exactly({
      id: { ...text, description: 'the webhook-id of its requests' },
      webhookId: { ...textOrNull, description: 'null: for the callbackUrl of a job' },
      ...{ url: text, event: { enum: [...JOB_EVENTS, 'webhook.test'] }, jobId: textOrNull },
      status: { enum: [...DELIVERY_STATES], description: 'dead: given up; it can be requested again' },
      attempts: { ...listOf(ATTEMPT), description: 'the last ones, oldest first' },
      nextAttemptAt: momentOrNull,
      createdAt: moment,
    }),
  ],
}

export const WEBHOOK_SCHEMAS: readonly JsonSchema[] = Object.entries(RECORDS).map(([name, [description, schema]]) => ({
  $id: name,
  description,
  ...schema,
}))

/** What the owner of a webhook chooses. */
export const WEBHOOK_FIELDS = {
  url: {
    ...{ type: 'string', minLength: 1, maxLength: MAX_ADDRESS },
    description: 'https; a host of the public Internet. Redirects are not followed',
  },
  events: {
    ...{ type: 'array', minItems: 1, maxItems: JOB_EVENTS.length, uniqueItems: true, items: EVENTS },
    description: 'all by default',
  },
  description: { type: 'string', maxLength: 200 },
} satisfies Record<string, JsonSchema>
