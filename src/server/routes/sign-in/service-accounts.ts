import type { FastifyInstance } from 'fastify'
import type { WantedKey } from '../../../accounts/credentials/keys.ts'
import type { WantedServiceAccount } from '../../../accounts/directory/service-accounts.ts'
import {
  createServiceAccount,
  createServiceKey,
  deleteServiceAccount,
  deleteServiceKey,
  listServiceAccounts,
  listServiceKeys,
  updateServiceAccount,
} from '../../../accounts/directory/service-accounts.ts'
import type { JsonSchema } from '../../../tool/json-schema.ts'
import type { ServerContext } from '../../context.ts'
import { perMinute } from '../../http/route-options.ts'
import { audit, changesOf } from '../../instance/audit.ts'
import { operation } from '../../openapi/operations.ts'
import { DONE, exactly, listOf, the } from '../../openapi/shapes.ts'
import { WANTED_KEY } from './api-keys.ts'

const words: JsonSchema = { type: 'string', maxLength: 255 }
const PLACE: Record<string, JsonSchema> = {
  role: { ...words, description: 'a role that has no more permissions than yours; `user` by default' },
  team: { ...words, description: 'name or id' },
}

interface ById {
  Params: { id: string }
}

const KEYS = '/api/v1/service-accounts/:id/keys'

/** Accounts of programs, for those who manage users. */
export async function serviceAccountRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { accounts } = context
  const config = { access: 'users:manage' as const, rateLimit: perMinute(30) }
  const proved = { ...config, needsProof: true }
  const target = (id: string) => ({ target: { type: 'user', id } })
  app.get(
    '/api/v1/service-accounts',
    {
      config,
      ...operation('account', 'All service accounts', {
        answer: exactly({ serviceAccounts: listOf(the('ServiceAccount')) }),
      }),
    },
    async ({ caller }) => ({ serviceAccounts: await listServiceAccounts(accounts, caller) }),
  )
  app.post<{ Body: WantedServiceAccount }>(
    '/api/v1/service-accounts',
    {
      config: proved,
      ...operation('account', 'Create the account of a program: it has API keys and cannot sign in', {
        body: {
          type: 'object',
          required: ['name'],
          properties: { name: { ...words, description: 'as a user name' }, ...PLACE },
          examples: [{ name: 'build-server', role: 'user' }],
        },
        status: 201,
        answer: the('ServiceAccount'),
      }),
    },
    async (request, reply) => {
      const { name, role, team } = request.body
      const made = await createServiceAccount(accounts, request.caller, {
        name,
        ...(role !== undefined && { role }),
        ...(team !== undefined && { team }),
      })
      await audit(context, request, 'SERVICE_ACCOUNT_CREATED', {
        ...target(made.id),
        details: { name: made.name, role: made.role, team: made.team },
      })
      return reply.code(201).send(made)
    },
  )
  app.put<ById & { Body: { role?: string; team?: string; enabled?: boolean } }>(
    '/api/v1/service-accounts/:id',
    {
      config: proved,
      ...operation('account', 'Change a service account; while it is disabled its keys are refused', {
        body: {
          type: 'object',
          properties: { ...PLACE, enabled: { type: 'boolean' } },
          examples: [{ enabled: false }],
        },
        answer: DONE,
      }),
    },
    async (request) => {
      const { role, team, enabled } = request.body
      const { before, after } = await updateServiceAccount(accounts, request.caller, request.params.id, {
        ...(role !== undefined && { role }),
        ...(team !== undefined && { team }),
        ...(enabled !== undefined && { enabled }),
      })
      await audit(context, request, 'SERVICE_ACCOUNT_UPDATED', {
        ...target(after.id),
        details: changesOf(before, after, ['role', 'teamId']),
      })
      return { ok: true }
    },
  )
  app.delete<ById>(
    '/api/v1/service-accounts/:id',
    { config, ...operation('account', 'Delete a service account with its keys and data', { answer: DONE }) },
    async (request) => {
      const { id } = request.params
      await deleteServiceAccount(accounts, request.caller, id, () => context.jobs.removeOwner(id))
      await audit(context, request, 'SERVICE_ACCOUNT_DELETED', target(id))
      return { ok: true }
    },
  )
  app.get<ById>(
    KEYS,
    {
      config,
      ...operation('account', 'Keys of a service account, without the keys', {
        answer: exactly({ apiKeys: listOf(the('ApiKey')) }),
      }),
    },
    async ({ caller, params }) => ({ apiKeys: await listServiceKeys(accounts, caller, params.id) }),
  )
  app.post<ById & { Body: WantedKey }>(
    KEYS,
    {
      config: proved,
      ...operation('account', 'Make a key of a service account; it is shown once', {
        body: WANTED_KEY,
        status: 201,
        answer: the('NewApiKey'),
      }),
    },
    async (request, reply) => {
      const { id } = request.params
      const made = await createServiceKey(accounts, request.caller, id, request.body)
      const { permissions, expiresAt } = made
      await audit(context, request, 'API_KEY_CREATED', {
        target: { type: 'api-key', id: made.id },
        details: { serviceAccount: id, permissions, expiresAt },
      })
      return reply.code(201).send(made)
    },
  )
  app.delete<{ Params: { id: string; keyId: string } }>(
    `${KEYS}/:keyId`,
    {
      config,
      ...operation('account', 'Delete a key of a service account: it stops working at once', { answer: DONE }),
    },
    async (request) => {
      const { id, keyId } = request.params
      await deleteServiceKey(accounts, request.caller, id, keyId)
      await audit(context, request, 'API_KEY_DELETED', {
        target: { type: 'api-key', id: keyId },
        details: { serviceAccount: id },
      })
      return { ok: true }
    },
  )
}
