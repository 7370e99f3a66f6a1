import type { FastifyInstance } from 'fastify'
import { teamName } from '../../accounts/caller.ts'
import { resetPassword } from '../../accounts/credentials/change-password.ts'
import type { Registration } from '../../accounts/directory/users.ts'
import { deleteUser, listUsers, register, updateUser } from '../../accounts/directory/users.ts'
import type { ServerContext } from '../context.ts'
import { audit, changesOf } from '../instance/audit.ts'
import { operation } from '../openapi/operations.ts'
import { count, DONE, exactly, flag, listOf, text, the } from '../openapi/shapes.ts'

const words = { type: 'string', maxLength: 2000 }

const EMAIL = {
  type: ['string', 'null'],
  maxLength: 254,
  description: 'by which signing in elsewhere finds the account',
}

const REGISTRATION = {
  type: 'object',
  required: ['username', 'password'],
  properties: { username: words, password: words, role: words, team: words, email: EMAIL },
  examples: [{ username: 'olaf', password: 'Correct-Horse-7-Staple', role: 'user' }],
}

interface ById {
  Params: { id: string }
}

/** Users, for those who manage them. */
export async function userRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { accounts, config } = context
  const managed = { config: { access: 'users:manage' as const } }
  const proved = { config: { access: 'users:manage' as const, needsProof: true } }
  const target = (id: string) => ({ target: { type: 'user', id } })
  app.get(
    '/api/auth/users',
    {
      ...managed,
      ...operation('account', 'All users', {
        answer: exactly({ users: listOf(the('ListedUser')), maxUsers: count }),
      }),
    },
    async () => ({
      users: await listUsers(accounts),
      maxUsers: config.maxUsers,
    }),
  )
  app.post<{ Body: Registration }>(
    '/api/auth/register',
    {
      ...managed,
      ...operation('account', 'Create a user', {
        body: REGISTRATION,
        status: 201,
        answer: exactly({ id: text, username: text, role: text, team: text, mustChangePassword: flag }),
      }),
    },
    async (request, reply) => {
      const user = await register(accounts, request.caller, request.body)
      const { id, username, role, teamId, mustChangePassword } = user
      await audit(context, request, 'USER_CREATED', { ...target(id), details: { username, role } })
      return reply
        .code(201)
        .send({ id, username, role, team: await teamName(accounts.store, teamId), mustChangePassword })
    },
  )
  app.put<ById & { Body: { role?: string; team?: string; email?: string | null } }>(
    '/api/auth/users/:id',
    {
      ...proved,
      ...operation('account', "Change a user's role or team", {
        body: {
          type: 'object',
          properties: { role: words, team: words, email: EMAIL },
          examples: [{ role: 'editor' }],
        },
        answer: DONE,
      }),
    },
    async (request) => {
      const { role, team, email } = request.body
      const { before, after } = await updateUser(accounts, request.caller, request.params.id, {
        ...(role !== undefined && { role }),
        ...(team !== undefined && { team }),
        ...(email !== undefined && { email }),
      })
      await audit(context, request, 'USER_UPDATED', {
        ...target(after.id),
        details: { role: after.role, ...changesOf(before, after, ['role', 'teamId', 'email']) },
      })
      return { ok: true }
    },
  )
  app.post<ById & { Body: { newPassword: string } }>(
    '/api/auth/users/:id/reset-password',
    {
      ...proved,
      ...operation('account', "Set a user's password", {
        body: {
          type: 'object',
          required: ['newPassword'],
          properties: { newPassword: words },
          examples: [{ newPassword: 'Correct-Horse-7-Staple' }],
        },
        answer: DONE,
      }),
    },
    async (request) => {
      await resetPassword(accounts, request.caller, request.params.id, request.body.newPassword)
      await audit(context, request, 'PASSWORD_RESET', target(request.params.id))
      return { ok: true }
    },
  )
  app.delete<ById>(
    '/api/auth/users/:id',
    { ...managed, ...operation('account', 'Delete a user with all that is theirs', { answer: DONE }) },
    async (request) => {
      const { id } = request.params
      await deleteUser(accounts, request.caller, id, () => context.jobs.removeOwner(id))
      await audit(context, request, 'USER_DELETED', target(id))
      return { ok: true }
    },
  )
}
