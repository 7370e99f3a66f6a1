import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { timeText } from '../../../accounts/context.ts'
import { newSecret } from '../../../accounts/credentials/webhook-secrets.ts'
import { JOB_EVENTS, type JobEvent } from '../../../store/webhook-records.ts'
import type { ServerContext } from '../../context.ts'
import { invalid } from '../../http/answers.ts'
import { perMinute } from '../../http/route-options.ts'
import { audit, changesOf } from '../../instance/audit.ts'
import { operation } from '../../openapi/operations.ts'
import { DONE, exactly, flag, listOf, the } from '../../openapi/shapes.ts'
import { WEBHOOK_FIELDS } from '../../openapi/webhooks.ts'
import { checkedAddress } from '../../webhooks/address.ts'
import { type AddressedWebhook, isAddressed, managesAll, own, shownWebhook, visible } from './shown.ts'

interface Wanted {
  url: string
  events?: JobEvent[]
  description?: string
}

interface ById {
  Params: { id: string }
}

const target = (id: string) => ({ target: { type: 'webhook', id } })

/** The webhooks of accounts: their owners have all rights; holders of webhooks:manage see, switch off and delete all. */
export async function webhookRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { store, accounts, config: server } = context
  // An API key with other permissions must not reach its owner's jobs, nor have them reported.
  const reads = { access: 'tools:use' as const, rateLimit: perMinute(300) }
  const writes = { ...reads, rateLimit: perMinute(30) }
  app.get(
    '/api/v1/webhooks',
    {
      config: reads,
      ...operation('webhooks', 'Own webhooks; with webhooks:manage those of everybody', {
        answer: exactly({ webhooks: listOf(the('Webhook')) }),
      }),
    },
    async ({ caller }) => {
      const { webhooks } = store
      const found = managesAll(caller) ? await webhooks.list() : await webhooks.ofUser(caller.userId)
      return { webhooks: found.filter(isAddressed).map((one) => shownWebhook(caller, one, accounts.now())) }
    },
  )
  app.post<{ Body: Wanted }>(
    '/api/v1/webhooks',
    {
      config: { ...writes, needsProof: true },
      ...operation('webhooks', 'Make a webhook; its secret is shown once', {
        body: {
          type: 'object',
          required: ['url'],
          properties: WEBHOOK_FIELDS,
          examples: [{ url: 'https://example.com/hooks/media', events: ['job.completed', 'job.failed'] }],
        },
        status: 201,
        answer: the('NewWebhook'),
      }),
    },
    async (request, reply) => {
      const { caller } = request
      const { url, events = JOB_EVENTS, description = '' } = request.body
      const [id, at] = [randomUUID(), timeText(accounts.now())]
      const { shown, sealed } = newSecret(accounts, { id })
      const webhook: AddressedWebhook = {
        ...{ id, userId: caller.userId, url: checkedAddress(url, server.webhooks), events, description, isOn: true },
        ...{ offReason: null, secret: sealed, previous: null, failures: 0, createdAt: at, updatedAt: at },
      }
      await store.transaction(async ({ webhooks }) => {
        const { maxPerUser } = server.webhooks
        const count = (await webhooks.ofUser(caller.userId)).filter(isAddressed).length
        if (maxPerUser > 0 && count >= maxPerUser)
          throw invalid(`You have ${count} webhooks, and ${maxPerUser} are allowed: delete one that is not used`)
        await webhooks.put(webhook)
      })
      await audit(context, request, 'WEBHOOK_CREATED', { ...target(id), details: { url: new URL(url).host, events } })
      const { userId: _owner, ...made } = shownWebhook(caller, webhook, accounts.now())
      return reply.code(201).send({ ...made, secret: shown })
    },
  )
  app.get<ById>(
    '/api/v1/webhooks/:id',
    { config: reads, ...operation('webhooks', 'One webhook', { answer: the('Webhook') }) },
    async ({ caller, params }) =>
      shownWebhook(caller, visible(caller, await store.webhooks.byId(params.id)), accounts.now()),
  )
  app.patch<ById & { Body: Partial<Wanted> & { enabled?: boolean } }>(
    '/api/v1/webhooks/:id',
    {
      config: { ...writes, needsProof: true },
      ...operation('webhooks', 'Change a webhook, or switch it off or on', {
        body: {
          type: 'object',
          minProperties: 1,
          properties: { ...WEBHOOK_FIELDS, enabled: flag },
          examples: [{ events: ['job.failed'] }],
        },
        answer: the('Webhook'),
        description: 'For webhooks of others, holders of webhooks:manage can only set enabled to false.',
      }),
    },
    async (request) => {
      const { caller, params } = request
      const { url, events, description, enabled } = request.body
      const switchesOff = enabled === false && Object.keys(request.body).length === 1
      const allowed = switchesOff ? visible : own
      const before = allowed(caller, await store.webhooks.byId(params.id))
      const address = url === undefined ? undefined : checkedAddress(url, server.webhooks)
      const after = await store.transaction(async ({ webhooks }) => {
        // It may have been changed or deleted meanwhile.
        const present = allowed(caller, await webhooks.byId(params.id))
        const changed: AddressedWebhook = {
          ...present,
          ...(address !== undefined && { url: address }),
          ...(events && { events }),
          ...(description !== undefined && { description }),
          ...(enabled !== undefined && { isOn: enabled, offReason: null }),
          // It starts over.
          ...((enabled === true || address !== undefined) && { failures: 0 }),
          updatedAt: timeText(accounts.now()),
        }
        await webhooks.put(changed)
        return changed
      })
      const details = changesOf(before, after, ['events', 'isOn'])
      await audit(context, request, 'WEBHOOK_UPDATED', { ...target(params.id), details })
      return shownWebhook(caller, after, accounts.now())
    },
  )
  app.delete<ById>(
    '/api/v1/webhooks/:id',
    {
      config: writes,
      ...operation('webhooks', 'Delete a webhook with its deliveries, also those that still wait', { answer: DONE }),
    },
    async (request) => {
      const { id } = visible(request.caller, await store.webhooks.byId(request.params.id))
      await store.transaction(async ({ webhooks, deliveries }) => {
        await deliveries.removeOfWebhook(id)
        await webhooks.remove(id)
      })
      await audit(context, request, 'WEBHOOK_DELETED', target(id))
      return { ok: true }
    },
  )
}
