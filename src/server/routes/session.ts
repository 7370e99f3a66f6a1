import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Origin } from '../../accounts/sign-in.ts'
import { MediaprocError } from '../../errors.ts'
import { notFound } from '../answer.ts'
import { audit } from '../audit.ts'
import type { ServerContext } from '../context.ts'
import { COOKIE } from '../guard.ts'
import { operation } from '../openapi/operations.ts'
import { DONE, exactly, moment, momentOrNull, text, the } from '../openapi/shapes.ts'
import { perMinute } from '../route-options.ts'

const LOGIN = {
  type: 'object',
  examples: [{ username: 'admin', password: 'Correct-Horse-7-Staple' }],
  required: ['username', 'password'],
  properties: {
    username: { type: 'string', minLength: 1, maxLength: 255 },
    password: { type: 'string', minLength: 1, maxLength: 1024 },
  },
}

const CHANGE = {
  type: 'object',
  examples: [{ currentPassword: 'admin', newPassword: 'Correct-Horse-7-Staple' }],
  required: ['currentPassword', 'newPassword'],
  properties: {
    currentPassword: { type: 'string', minLength: 1, maxLength: 1024 },
    newPassword: { type: 'string', minLength: 1, maxLength: 1024 },
  },
}

interface Credentials {
  username: string
  password: string
}

/** Where a request comes from, for the list of sessions. */
export const originOf = (request: FastifyRequest): Origin => ({
  address: request.ip,
  userAgent: request.headers['user-agent'],
})

/** The cookie for browsers: scripts cannot read it, other sites cannot send it. */
function setCookie(reply: FastifyReply, { externalUrl, sessionMs }: ServerContext['config'], token: string): void {
  reply.setCookie(COOKIE, token, {
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    secure: externalUrl.startsWith('https:'),
    maxAge: Math.floor(sessionMs / 1000),
  })
}

/** Signing in elsewhere comes later: until then these public addresses do not exist, with or without a credential. */
const ELSEWHERE = [
  ['GET', 'oidc/login'],
  ['GET', 'oidc/callback'],
  ['GET', 'saml/metadata'],
  ['GET', 'saml/login'],
  ['POST', 'saml/callback'],
] as const

/** Signing in and out, and the own password. */
export async function sessionRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { accounts, config, settings } = context
  // As everywhere 0 is no limit: with none at all nobody could sign in to change it back.
  const attempts = async (): Promise<number> =>
    (await settings.number('loginAttemptLimit', config.loginAttemptLimit)) || Number.MAX_SAFE_INTEGER
  app.post<{ Body: Credentials }>(
    '/api/auth/login',
    {
      config: { access: 'public', rateLimit: perMinute(attempts) },
      ...operation('account', 'Sign in', {
        body: LOGIN,
        answer: exactly({ token: text, user: the('User'), expiresAt: moment }),
      }),
    },
    async (request, reply) => {
      if (!config.authEnabled) throw new MediaprocError('AUTH_DISABLED')
      const { username, password } = request.body
      const user = await accounts.login(username, password, request.ip).catch(async (error: unknown) => {
        await audit(context, request, 'LOGIN_FAILED', { actor: { id: null, username: username.slice(0, 50) } })
        throw error
      })
      const { token, expiresAt } = await accounts.createSession(user, 'local', originOf(request))
      setCookie(reply, config, token)
      await audit(context, request, 'LOGIN_SUCCESS', { actor: { id: user.id, username: user.username } })
      return { token, user: await accounts.describe(user), expiresAt }
    },
  )
  const absent = async (): Promise<never> => {
    throw notFound()
  }
  for (const [method, path] of ELSEWHERE)
    app.route({
      method,
      url: `/api/auth/${path}`,
      config: { access: 'public' },
      schema: { hide: true },
      // Before the body, whatever type it has.
      onRequest: absent,
      handler: absent,
    })
  app.post(
    '/api/auth/logout',
    { config: { access: 'auth', withOldPassword: true }, ...operation('account', 'Sign out', { answer: DONE }) },
    async (request, reply) => {
      await accounts.logout(request.caller)
      reply.clearCookie(COOKIE, { path: '/' })
      if (request.caller.via === 'session') await audit(context, request, 'LOGOUT')
      return { ok: true }
    },
  )
  app.get(
    '/api/auth/session',
    {
      config: { access: 'auth', withOldPassword: true },
      ...operation('account', 'Who is signed in', {
        answer: exactly({ user: the('SessionUser'), expiresAt: momentOrNull }),
      }),
    },
    async (request) => accounts.describeSession(request.caller),
  )
  app.post<{ Body: { currentPassword: string; newPassword: string } }>(
    '/api/auth/change-password',
    {
      config: { access: 'session', withOldPassword: true, rateLimit: perMinute(30) },
      ...operation('account', 'Change the own password; other sessions and all API keys die', {
        body: CHANGE,
        answer: DONE,
      }),
    },
    async (request) => {
      const { currentPassword, newPassword } = request.body
      await accounts.changePassword(request.caller, currentPassword, newPassword, request.ip)
      await audit(context, request, 'PASSWORD_CHANGED', { target: { type: 'user', id: request.caller.userId } })
      return { ok: true }
    },
  )
}
