import type { FastifyInstance } from 'fastify'
import {
  endOtherSessions,
  endSession,
  endSessionsOf,
  ownSessions,
  sessionsOf,
} from '../../../accounts/sign-in/sessions.ts'
import type { ServerContext } from '../../context.ts'
import { perMinute } from '../../http/route-options.ts'
import { audit } from '../../instance/audit.ts'
import { operation } from '../../openapi/operations.ts'
import { DONE, exactly, listOf, the } from '../../openapi/shapes.ts'

interface ById {
  Params: { id: string }
}

/** Sessions: list and end the user's own, and those of others for users who manage users. */
export async function sessionListRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { accounts } = context
  const own = { access: 'session' as const, rateLimit: perMinute(60) }
  const managed = { access: 'users:manage' as const }
  const answer = exactly({ sessions: listOf(the('Session')) })
  app.get(
    '/api/auth/sessions',
    { config: own, ...operation('account', 'Where the caller is signed in', { answer }) },
    async ({ caller }) => ({ sessions: await ownSessions(accounts, caller) }),
  )
  app.delete<ById>(
    '/api/auth/sessions/:id',
    { config: own, ...operation('account', "End one of the caller's sessions", { answer: DONE }) },
    async (request) => {
      const { id } = request.params
      await endSession(accounts, request.caller, id)
      await audit(context, request, 'SESSION_REVOKED', { target: { type: 'session', id } })
      return { ok: true }
    },
  )
  app.delete(
    '/api/auth/sessions',
    { config: own, ...operation('account', "End all of the caller's other sessions", { answer: DONE }) },
    async (request) => {
      await endOtherSessions(accounts, request.caller)
      await audit(context, request, 'SESSION_REVOKED', { target: { type: 'user', id: request.caller.userId } })
      return { ok: true }
    },
  )
  app.get<ById>(
    '/api/auth/users/:id/sessions',
    { config: managed, ...operation('account', 'Where a user is signed in', { answer }) },
    async ({ caller, params }) => ({ sessions: await sessionsOf(accounts, caller, params.id) }),
  )
  app.delete<ById>(
    '/api/auth/users/:id/sessions',
    {
      config: { ...managed, needsProof: true },
      ...operation('account', 'Sign a user out everywhere', { answer: DONE }),
    },
    async (request) => {
      const { id } = request.params
      await endSessionsOf(accounts, request.caller, id)
      await audit(context, request, 'SESSION_REVOKED', { target: { type: 'user', id } })
      return { ok: true }
    },
  )
}
