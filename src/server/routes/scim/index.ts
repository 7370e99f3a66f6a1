import type { FastifyInstance } from 'fastify'
import { resourceTypes, schemas, serviceProviderConfig } from '../../../accounts/scim/discovery.ts'
import { listResponse } from '../../../accounts/scim/resources.ts'
import { createScimToken, revokeScimToken } from '../../../accounts/scim/token.ts'
import type { ServerContext } from '../../context.ts'
import { addJsonType } from '../../http/json-body.ts'
import { perMinute } from '../../http/route-options.ts'
import { audit } from '../../instance/audit.ts'
import { requireFeature } from '../../instance/features.ts'
import { operation } from '../../openapi/operations.ts'
import { count, DONE, exactly, listOf, text } from '../../openapi/shapes.ts'
import { addScimErrors, addScimLimit, SCIM_PATH, scimBase, sendScim } from './answers.ts'
import { SCIM_TYPE, scimOperation } from './describe.ts'
import { scimGroupRoutes } from './groups.ts'
import { scimUserRoutes } from './users.ts'

const anything = { type: 'object', additionalProperties: true }
const LIST = exactly({
  ...{
    schemas: listOf(text),
    totalResults: count,
    startIndex: count,
    itemsPerPage: count,
    Resources: listOf(anything),
  },
})

/** Public routes from which a provider learns what the API can do. */
function discoveryRoutes(scim: FastifyInstance, context: ServerContext): void {
  const config = { access: 'public' as const, rateLimit: false as const }
  scim.get(
    `${SCIM_PATH}/ServiceProviderConfig`,
    { config, ...scimOperation('What the SCIM API can do', { answer: exactly(SERVICE) }) },
    async (request, reply) => sendScim(reply, serviceProviderConfig(scimBase(context, request))),
  )
  for (const [name, list] of Object.entries({ Schemas: schemas, ResourceTypes: resourceTypes }))
    scim.get(
      `${SCIM_PATH}/${name}`,
      { config, ...scimOperation(`${name} of the SCIM API`, { answer: LIST }) },
      async (request, reply) =>
        sendScim(
          reply,
          listResponse(list(scimBase(context, request)), {}, (one) => one),
        ),
    )
}

const SERVICE = {
  ...{ schemas: listOf(text), patch: anything, bulk: anything, filter: anything, changePassword: anything },
  ...{ sort: anything, etag: anything, authenticationSchemes: listOf(anything), meta: anything },
}

const TOKEN = '/api/v1/enterprise/scim/token'

/** The credential of the provider, for those who manage users. */
function tokenRoutes(app: FastifyInstance, context: ServerContext): void {
  const config = { access: 'users:manage' as const, rateLimit: perMinute(30) }
  app.post(
    TOKEN,
    {
      config: { ...config, needsProof: true },
      ...operation('provisioning', 'Make the SCIM token; it is shown once, and replaces the former one', {
        answer: exactly({ token: text, message: text }),
      }),
    },
    async (request) => {
      requireFeature(context, 'scim')
      const token = await createScimToken(context.accounts, request.caller)
      await audit(context, request, 'SCIM_TOKEN_CREATED')
      return { token, message: 'Store the token now: it is not shown again. A former token has stopped working.' }
    },
  )
  app.delete(
    TOKEN,
    { config, ...operation('provisioning', 'End the SCIM token: it stops working at once', { answer: DONE }) },
    async (request) => {
      const wasThere = await revokeScimToken(context.accounts, request.caller)
      if (wasThere) await audit(context, request, 'SCIM_TOKEN_REVOKED')
      return { ok: true }
    },
  )
}

/** SCIM 2.0: an identity provider creates, changes and disables users and teams (RFC 7643, RFC 7644). */
export async function scimRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  tokenRoutes(app, context)
  // Own error handler and media type, for these routes only.
  await app.register(async (scim) => {
    addScimErrors(scim)
    addScimLimit(scim, context)
    addJsonType(scim, SCIM_TYPE)
    // After the guard: without a token the answer is 401, switched off or not.
    scim.addHook('preParsing', async () => requireFeature(context, 'scim'))
    discoveryRoutes(scim, context)
    scimUserRoutes(scim, context)
    scimGroupRoutes(scim, context)
  })
}
