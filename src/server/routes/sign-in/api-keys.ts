import type { FastifyInstance } from 'fastify'
import type { WantedKey } from '../../../accounts/credentials/keys.ts'
import { createKey, deleteKey, listKeys } from '../../../accounts/credentials/keys.ts'
import type { ServerContext } from '../../context.ts'
import { perMinute } from '../../http/route-options.ts'
import { audit } from '../../instance/audit.ts'
import { operation } from '../../openapi/operations.ts'
import { DONE, exactly, listOf, the } from '../../openapi/shapes.ts'

/** Body of a request for a new key. */
export const WANTED_KEY = {
  type: 'object',
  examples: [{ name: 'for CI', permissions: ['tools:use'] }],
  properties: {
    name: { type: 'string', maxLength: 1000, description: "at most 100 characters; 'Default API Key' by default" },
    permissions: {
      type: 'array',
      maxItems: 100,
      items: { type: 'string', maxLength: 50 },
      description: 'absent or empty: all that the role holds',
    },
    expiresAt: { type: ['string', 'null'], maxLength: 100, description: 'a moment in the future, ISO 8601' },
  },
}

/** API keys: created, listed and deleted by their owners. */
export async function apiKeyRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { accounts } = context
  const config = { access: 'apikeys:own' as const, rateLimit: perMinute(30) }
  app.post<{ Body: WantedKey }>(
    '/api/v1/api-keys',
    {
      config: { ...config, needsProof: true },
      ...operation('account', 'Make an API key; it is shown once', {
        body: WANTED_KEY,
        status: 201,
        answer: the('NewApiKey'),
      }),
    },
    async (request, reply) => {
      const made = await createKey(accounts, request.caller, request.body)
      await audit(context, request, 'API_KEY_CREATED', { target: { type: 'api-key', id: made.id } })
      return reply.code(201).send(made)
    },
  )
  app.get(
    '/api/v1/api-keys',
    {
      config,
      ...operation('account', 'API keys, without the keys', { answer: exactly({ apiKeys: listOf(the('ApiKey')) }) }),
    },
    async (request) => ({
      apiKeys: await listKeys(accounts, request.caller),
    }),
  )
  app.delete<{ Params: { id: string } }>(
    '/api/v1/api-keys/:id',
    { config, ...operation('account', 'Delete an API key: it stops working at once', { answer: DONE }) },
    async (request) => {
      await deleteKey(accounts, request.caller, request.params.id)
      await audit(context, request, 'API_KEY_DELETED', { target: { type: 'api-key', id: request.params.id } })
      return { ok: true }
    },
  )
}
