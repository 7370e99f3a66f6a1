import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../../../accounts/caller.ts'
import { timeText } from '../../../accounts/context.ts'
import { newSecret, rotated } from '../../../accounts/credentials/webhook-secrets.ts'
import { JOB_EVENTS, type WebhookRecord } from '../../../store/webhook-records.ts'
import type { ServerContext } from '../../context.ts'
import { perMinute } from '../../http/route-options.ts'
import { audit } from '../../instance/audit.ts'
import { operation } from '../../openapi/operations.ts'
import { exactly, flag, momentOrNull, the } from '../../openapi/shapes.ts'
import { callbackSecret } from '../../webhooks/callback.ts'
import { own, previousUntil } from './shown.ts'

/** The secrets that sign messages: one of each webhook, and one of the account for the addresses that jobs name. */
export async function webhookSecretRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { store, accounts } = context
  const config = { access: 'tools:use' as const, rateLimit: perMinute(30) }
  const proved = { ...config, needsProof: true }
  app.post<{ Params: { id: string } }>(
    '/api/v1/webhooks/:id/rotate',
    {
      config: proved,
      ...operation('webhooks', 'Replace the secret of a webhook; the former one signs as well for a day', {
        answer: the('WebhookSecret'),
      }),
    },
    async (request) => {
      const { id } = request.params
      const { shown, record } = await store.transaction(async ({ webhooks }) => {
        const made = rotated(accounts, own(request.caller, await webhooks.byId(id)))
        await webhooks.put(made.record)
        return made
      })
      await audit(context, request, 'WEBHOOK_SECRET_ROTATED', { target: { type: 'webhook', id } })
      return { secret: shown, previousSecretUntil: previousUntil(record, accounts.now()) }
    },
  )
  app.get(
    '/api/v1/webhooks/callback-secret',
    {
      config,
      ...operation('webhooks', 'Whether the account has a secret for the callbackUrl of jobs', {
        answer: exactly({ exists: flag, updatedAt: momentOrNull, previousSecretUntil: momentOrNull }),
      }),
    },
    async ({ caller }) => {
      const record = await callbackSecret(store, caller)
      const until = record ? previousUntil(record, accounts.now()) : null
      return { exists: record !== undefined, updatedAt: record?.updatedAt ?? null, previousSecretUntil: until }
    },
  )
  app.post(
    '/api/v1/webhooks/callback-secret',
    {
      config: proved,
      ...operation('webhooks', "Make, or replace, the account's secret for the callbackUrl of jobs", {
        answer: the('WebhookSecret'),
        description: 'A former secret signs as well for a day.',
      }),
    },
    async (request) => {
      const { caller } = request
      const { shown, record } = await store.transaction(async (known) => {
        const present = await callbackSecret(known, caller)
        const made = present ? rotated(accounts, present) : newCallbackSecret(context, caller)
        await known.webhooks.put(made.record)
        return made
      })
      await audit(context, request, 'WEBHOOK_SECRET_ROTATED', { target: { type: 'webhook', id: record.id } })
      return { secret: shown, previousSecretUntil: previousUntil(record, accounts.now()) }
    },
  )
}

function newCallbackSecret(
  { accounts }: Pick<ServerContext, 'accounts'>,
  { userId }: Caller,
): { shown: string; record: WebhookRecord } {
  const [id, at] = [randomUUID(), timeText(accounts.now())]
  const { shown, sealed } = newSecret(accounts, { id })
  const record = {
    ...{ id, userId, url: null, events: JOB_EVENTS, description: '', isOn: true, offReason: null, secret: sealed },
    ...{ previous: null, failures: 0, createdAt: at, updatedAt: at },
  }
  return { shown, record }
}
