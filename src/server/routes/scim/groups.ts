import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseFilter } from '../../../accounts/scim/filter.ts'
import {
  type ChangedGroup,
  createScimGroup,
  deleteScimGroup,
  groupById,
  listScimGroups,
  membersOf,
  patchScimGroup,
  replaceScimGroup,
} from '../../../accounts/scim/groups.ts'
import type { ScimOperation } from '../../../accounts/scim/patch.ts'
import { groupResource, type WantedPage } from '../../../accounts/scim/resources.ts'
import type { TeamRecord } from '../../../store/records.ts'
import type { ServerContext } from '../../context.ts'
import { type AuditAction, audit } from '../../instance/audit.ts'
import { the } from '../../openapi/shapes.ts'
import { type AttributeQuery, SCIM_PATH, scimBase, sendScim, shaped } from './answers.ts'
import { GROUP_BODY, LIST_QUERY, ONE_QUERY, PATCH_BODY, scimOperation } from './describe.ts'
import { ACTOR } from './users.ts'

type Body = Record<string, unknown>
interface One {
  Params: { id: string }
  Querystring: AttributeQuery
}

/** Most ids of users in one entry of the audit log. */
const MOST_NAMED = 100

const GROUPS = `${SCIM_PATH}/Groups`

/** Teams as groups of the provider. */
export function scimGroupRoutes(scim: FastifyInstance, context: ServerContext): void {
  const { accounts } = context
  const config = { access: 'scim' as const, rateLimit: false as const }
  const answer = the('ScimGroup')
  const shown = async (request: FastifyRequest, team: TeamRecord, query: AttributeQuery = {}) =>
    shaped(groupResource(team, await membersOf(accounts.store, team.id), scimBase(context, request)), query)
  const note = async (request: FastifyRequest, action: AuditAction, changed: ChangedGroup): Promise<void> => {
    const { before, after, added, removed } = changed
    if (action === 'TEAM_UPDATED' && before === after && added.length + removed.length === 0) return
    await audit(context, request, action, {
      ...ACTOR,
      target: { type: 'team', id: after.id },
      details: {
        name: after.name,
        ...(before.name !== after.name && { formerName: before.name }),
        ...{ addedCount: added.length, removedCount: removed.length },
        ...{ added: added.slice(0, MOST_NAMED), removed: removed.slice(0, MOST_NAMED) },
      },
    })
  }
  scim.get<{ Querystring: AttributeQuery & WantedPage & { filter?: string } }>(
    GROUPS,
    { config, ...scimOperation('Teams as groups', { query: LIST_QUERY, answer: the('ScimGroupList') }) },
    async (request, reply) => {
      const { filter, startIndex, count, ...query } = request.query
      const list = await listScimGroups(accounts, {
        filter: filter === undefined ? undefined : parseFilter(filter, ['displayName', 'externalId']),
        ...{ startIndex, count, base: scimBase(context, request) },
      })
      return sendScim(reply, { ...list, Resources: list.Resources.map((group) => shaped(group, query)) })
    },
  )
  scim.post<{ Body: Body }>(
    GROUPS,
    { config, ...scimOperation('Create a team', { body: GROUP_BODY, answer, status: 201 }) },
    async (request, reply) => {
      const made = await createScimGroup(accounts, request.body)
      await note(request, 'TEAM_CREATED', made)
      reply.header('location', `${scimBase(context, request)}/Groups/${made.after.id}`)
      return sendScim(reply, await shown(request, made.after), 201)
    },
  )
  scim.get<One>(
    `${GROUPS}/:id`,
    { config, ...scimOperation('A team as a group', { query: ONE_QUERY, answer }) },
    async (request, reply) =>
      sendScim(reply, await shown(request, await groupById(accounts.store, request.params.id), request.query)),
  )
  scim.put<One & { Body: Body }>(
    `${GROUPS}/:id`,
    { config, ...scimOperation('Replace the name and the members of a team', { body: GROUP_BODY, answer }) },
    async (request, reply) => {
      const changed = await replaceScimGroup(accounts, request.params.id, request.body)
      await note(request, 'TEAM_UPDATED', changed)
      return sendScim(reply, await shown(request, changed.after))
    },
  )
  scim.patch<One & { Body: { Operations: ScimOperation[] } }>(
    `${GROUPS}/:id`,
    { config, ...scimOperation('Change the name or the members of a team', { body: PATCH_BODY, answer }) },
    async (request, reply) => {
      const changed = await patchScimGroup(accounts, request.params.id, request.body.Operations)
      await note(request, 'TEAM_UPDATED', changed)
      return sendScim(reply, await shown(request, changed.after))
    },
  )
  scim.delete<One>(
    `${GROUPS}/:id`,
    { config, ...scimOperation('Delete a team that the provider made', { status: 204 }) },
    async (request, reply) => {
      const team = await deleteScimGroup(accounts, request.params.id)
      await audit(context, request, 'TEAM_DELETED', {
        ...ACTOR,
        target: { type: 'team', id: team.id },
        details: { name: team.name },
      })
      return reply.code(204).send()
    },
  )
}
