import type { FastifyInstance } from 'fastify'
import type { WantedTeam } from '../../accounts/directory/teams.ts'
import { createTeam, deleteTeam, listTeams, updateTeam } from '../../accounts/directory/teams.ts'
import type { JsonSchema } from '../../tool/json-schema.ts'
import type { ServerContext } from '../context.ts'
import { audit, changesOf } from '../instance/audit.ts'
import { operation } from '../openapi/operations.ts'
import { countOrNull, DONE, exactly, listOf, text, the } from '../openapi/shapes.ts'

const PROPERTIES: Record<string, JsonSchema> = {
  name: { type: 'string', maxLength: 200, description: '1 to 50 characters' },
  storageQuota: {
    type: ['integer', 'null'],
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: "bytes that the libraries of all members may hold together; null: no limit of the team's",
  },
  retentionHours: {
    type: ['integer', 'null'],
    minimum: 1,
    maximum: 1_000_000,
    description: 'hours that results of members stay, where the instance keeps them longer; null: as the instance',
  },
}

const EXAMPLE = { name: 'Press', storageQuota: 5_000_000_000, retentionHours: 24 }

/** Teams, for users who manage them. */
export async function teamRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { accounts } = context
  const config = { access: 'teams:manage' as const }
  const target = (id: string) => ({ target: { type: 'team', id } })
  app.get(
    '/api/v1/teams',
    { config, ...operation('account', 'All teams', { answer: exactly({ teams: listOf(the('Team')) }) }) },
    async ({ caller }) => ({ teams: await listTeams(accounts, caller) }),
  )
  app.post<{ Body: WantedTeam }>(
    '/api/v1/teams',
    {
      config,
      ...operation('account', 'Create a team', {
        body: { type: 'object', required: ['name'], properties: PROPERTIES, examples: [EXAMPLE] },
        status: 201,
        answer: exactly({ id: text, name: text, storageQuota: countOrNull, retentionHours: countOrNull }),
      }),
    },
    async (request, reply) => {
      const { id, name, storageQuota, retentionHours } = await createTeam(accounts, request.caller, request.body)
      await audit(context, request, 'TEAM_CREATED', { ...target(id), details: { name, storageQuota, retentionHours } })
      return reply.code(201).send({ id, name, storageQuota, retentionHours })
    },
  )
  app.put<{ Params: { id: string }; Body: WantedTeam }>(
    '/api/v1/teams/:id',
    {
      config,
      ...operation('account', 'Change a team', {
        body: { type: 'object', properties: PROPERTIES, examples: [{ retentionHours: 48 }] },
        answer: DONE,
      }),
    },
    async (request) => {
      const { before, after } = await updateTeam(accounts, request.caller, request.params.id, request.body)
      const { id, name, storageQuota, retentionHours } = after
      const changes = changesOf(before, after, ['name', 'storageQuota', 'retentionHours'])
      await audit(context, request, 'TEAM_UPDATED', {
        ...target(id),
        details: { name, storageQuota, retentionHours, ...changes },
      })
      return { ok: true }
    },
  )
  app.delete<{ Params: { id: string } }>(
    '/api/v1/teams/:id',
    { config, ...operation('account', 'Delete a team that has no members', { answer: DONE }) },
    async (request) => {
      const { id } = request.params
      await deleteTeam(accounts, request.caller, id)
      await audit(context, request, 'TEAM_DELETED', target(id))
      return { ok: true }
    },
  )
}
