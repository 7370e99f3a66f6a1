import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { timeText } from '../../../accounts/context.ts'
import { MediaprocError } from '../../../errors.ts'
import type { Page } from '../../../store/repositories.ts'
import { DELIVERY_STATES, type DeliveryRecord, type DeliveryStatus } from '../../../store/webhook-records.ts'
import type { ServerContext } from '../../context.ts'
import { notFound } from '../../http/answers.ts'
import { perMinute } from '../../http/route-options.ts'
import { operation } from '../../openapi/operations.ts'
import { pageOf, the } from '../../openapi/shapes.ts'
import { newDelivery } from '../../webhooks/announce.ts'
import { testPayload } from '../../webhooks/payload.ts'
import { LOCK_MS, MOST_DELIVERIES } from '../../webhooks/rules.ts'
import { own, shownDelivery } from './shown.ts'

type Query = Page & { status?: DeliveryStatus }

const PAGE = {
  limit: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
  offset: { type: 'integer', minimum: 0, default: 0 },
  status: { type: 'string', enum: [...DELIVERY_STATES], description: 'dead: those that were given up' },
}
const DELIVERIES = pageOf('deliveries', the('Delivery'))

/** The log of deliveries, test messages, and the repetition of deliveries that were given up. Only for owners. */
export async function deliveryRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { store, accounts, webhooks: dispatcher } = context
  const reads = { access: 'tools:use' as const, rateLimit: perMinute(300) }
  const list = async (userId: string, query: Query, webhookId?: string) => {
    const { limit, offset, status } = query
    const filter = { userId, ...(webhookId !== undefined && { webhookId }), ...(status && { status }) }
    const { deliveries, total } = await store.deliveries.query(filter, { limit, offset })
    const known = new Map((await store.webhooks.ofUser(userId)).map((one) => [one.id, one]))
    return { deliveries: deliveries.map((one) => shownDelivery(one, known.get(one.webhookId))), total, limit, offset }
  }
  const shown = async (delivery: DeliveryRecord) =>
    shownDelivery(delivery, await store.webhooks.byId(delivery.webhookId))
  app.get<{ Querystring: Query }>(
    '/api/v1/webhooks/deliveries',
    {
      config: reads,
      ...operation('webhooks', 'Deliveries of all own webhooks and of the callbackUrl of jobs, newest first', {
        query: PAGE,
        answer: DELIVERIES,
      }),
    },
    async ({ caller, query }) => list(caller.userId, query),
  )
  app.get<{ Params: { id: string }; Querystring: Query }>(
    '/api/v1/webhooks/:id/deliveries',
    {
      config: reads,
      ...operation('webhooks', 'Deliveries of a webhook, newest first', { query: PAGE, answer: DELIVERIES }),
    },
    async ({ caller, params, query }) => {
      const { id } = own(caller, await store.webhooks.byId(params.id))
      return list(caller.userId, query, id)
    },
  )
  app.post<{ Params: { deliveryId: string } }>(
    '/api/v1/webhooks/deliveries/:deliveryId/redeliver',
    {
      config: { ...reads, rateLimit: perMinute(60) },
      ...operation('webhooks', 'Send a message again, with the same webhook-id and all its retries', {
        answer: the('Delivery'),
      }),
    },
    async ({ caller, params }) => {
      const delivery = await store.transaction(async ({ deliveries }) => {
        const known = await deliveries.byId(params.deliveryId)
        if (known?.userId !== caller.userId) throw notFound()
        if (known.status === 'pending')
          throw new MediaprocError('CONFLICT', 'This message is still being sent', { hint: '' })
        const again = { ...known, status: 'pending' as const, tries: 0, dueAt: timeText(accounts.now()) }
        await deliveries.put(again)
        return again
      })
      dispatcher.wake()
      return shown(delivery)
    },
  )
  app.post<{ Params: { id: string } }>(
    '/api/v1/webhooks/:id/test',
    {
      config: { ...reads, rateLimit: perMinute(10) },
      ...operation('webhooks', 'Send a test message once, and wait for its outcome', {
        answer: the('Delivery'),
        description: 'Its event is webhook.test. It is not repeated.',
      }),
    },
    async ({ caller, params }) => {
      const webhook = own(caller, await store.webhooks.byId(params.id))
      const now = accounts.now()
      const payload = testPayload(webhook.id, timeText(now))
      const message = { id: `msg_${randomUUID().replaceAll('-', '')}`, url: null, event: 'webhook.test', jobId: null }
      const made = newDelivery(webhook, { ...message, payload } as DeliveryRecord, now)
      // No server takes it meanwhile.
      const delivery = { ...made, dueAt: timeText(now + LOCK_MS) }
      await store.transaction(async ({ deliveries }) => {
        await deliveries.put(delivery)
        await deliveries.removeSurplus(caller.userId, MOST_DELIVERIES)
      })
      return shown((await dispatcher.attemptNow(delivery)) ?? delivery)
    },
  )
}
