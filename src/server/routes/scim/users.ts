import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Updated } from '../../../accounts/context.ts'
import { parseFilter } from '../../../accounts/scim/filter.ts'
import type { ScimOperation } from '../../../accounts/scim/patch.ts'
import { userResource, type WantedPage } from '../../../accounts/scim/resources.ts'
import {
  createScimUser,
  deleteScimUser,
  listScimUsers,
  managedUser,
  patchScimUser,
  replaceScimUser,
} from '../../../accounts/scim/users.ts'
import type { UserRecord } from '../../../store/records.ts'
import type { ServerContext } from '../../context.ts'
import { audit, changesOf } from '../../instance/audit.ts'
import { the } from '../../openapi/shapes.ts'
import { type AttributeQuery, SCIM_PATH, scimBase, sendScim, shaped } from './answers.ts'
import { LIST_QUERY, ONE_QUERY, PATCH_BODY, scimOperation, USER_BODY } from './describe.ts'

type Body = Record<string, unknown>
interface One {
  Params: { id: string }
  Querystring: AttributeQuery
}

/** The actor in the audit log: the token belongs to no user. */
export const ACTOR = { actor: { id: null, username: 'scim' } }

const USERS = `${SCIM_PATH}/Users`

/** Users that the provider manages. */
export function scimUserRoutes(scim: FastifyInstance, context: ServerContext): void {
  const { accounts } = context
  const config = { access: 'scim' as const, rateLimit: false as const }
  const answer = the('ScimUser')
  const shown = async (request: FastifyRequest, user: UserRecord, query: AttributeQuery = {}) =>
    shaped(userResource(user, await accounts.store.teams.byId(user.teamId), scimBase(context, request)), query)
  const note = async (request: FastifyRequest, { before, after }: Updated<UserRecord>): Promise<void> => {
    if (before === after) return
    await audit(context, request, 'USER_UPDATED', {
      ...ACTOR,
      target: { type: 'user', id: after.id },
      details: changesOf(before, after, ['username', 'role', 'email', 'scim']),
    })
  }
  scim.get<{ Querystring: AttributeQuery & WantedPage & { filter?: string } }>(
    USERS,
    { config, ...scimOperation('Users that the provider created', { query: LIST_QUERY, answer: the('ScimUserList') }) },
    async (request, reply) => {
      const { filter, startIndex, count, ...query } = request.query
      const list = await listScimUsers(accounts, {
        filter: filter === undefined ? undefined : parseFilter(filter, ['userName', 'externalId']),
        ...{ startIndex, count, base: scimBase(context, request) },
      })
      return sendScim(reply, { ...list, Resources: list.Resources.map((user) => shaped(user, query)) })
    },
  )
  scim.post<{ Body: Body }>(
    USERS,
    { config, ...scimOperation('Create a user with the role `user`', { body: USER_BODY, answer, status: 201 }) },
    async (request, reply) => {
      const user = await createScimUser(accounts, request.body)
      const { id, username, role, scim } = user
      await audit(context, request, 'USER_CREATED', {
        ...ACTOR,
        target: { type: 'user', id },
        details: { username, role, userName: scim?.userName },
      })
      reply.header('location', `${scimBase(context, request)}/Users/${id}`)
      return sendScim(reply, await shown(request, user), 201)
    },
  )
  scim.get<One>(
    `${USERS}/:id`,
    { config, ...scimOperation('A user that the provider created', { query: ONE_QUERY, answer }) },
    async (request, reply) => {
      const user = await managedUser(accounts.store, request.params.id)
      return sendScim(reply, await shown(request, user, request.query))
    },
  )
  scim.put<One & { Body: Body }>(
    `${USERS}/:id`,
    { config, ...scimOperation('Replace the attributes of a user', { body: USER_BODY, answer }) },
    async (request, reply) => {
      const updated = await replaceScimUser(accounts, request.params.id, request.body)
      await note(request, updated)
      return sendScim(reply, await shown(request, updated.after))
    },
  )
  scim.patch<One & { Body: { Operations: ScimOperation[] } }>(
    `${USERS}/:id`,
    { config, ...scimOperation('Change attributes of a user', { body: PATCH_BODY, answer }) },
    async (request, reply) => {
      const updated = await patchScimUser(accounts, request.params.id, request.body.Operations)
      await note(request, updated)
      return sendScim(reply, await shown(request, updated.after))
    },
  )
  scim.delete<One>(
    `${USERS}/:id`,
    {
      config,
      ...scimOperation('Disable a user: sessions and keys end, files stay; `active: true` enables it', { status: 204 }),
    },
    async (request, reply) => {
      await note(request, await deleteScimUser(accounts, request.params.id))
      return reply.code(204).send()
    },
  )
}
