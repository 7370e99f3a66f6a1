import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { useOnce } from '../../../accounts/sign-in/used-once.ts'
import { endProviderSessions } from '../../../accounts/sso/provider-logout.ts'
import type { Saml } from '../../../accounts/sso/saml.ts'
import type { LogoutMessage, LogoutRequest } from '../../../accounts/sso/saml-logout.ts'
import { MAX_MESSAGE } from '../../../accounts/sso/saml-message.ts'
import { MediaprocError } from '../../../errors.ts'
import type { ServerContext } from '../../context.ts'
import { perMinute } from '../../http/route-options.ts'
import { audit } from '../../instance/audit.ts'
import { operation } from '../../openapi/operations.ts'

/** Longest RelayState that is returned to the provider; SAML V2.0 Bindings, section 3.4.3, allows 80 bytes. */
const MAX_RELAY_STATE = 1000

/** A logout message: a request of the provider, or its answer to a request of this server. */
interface Message {
  SAMLRequest?: string
  SAMLResponse?: string
  RelayState?: string
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** SAML single logout, for both bindings: the provider ends sessions, or confirms that it has ended one. */
export async function samlLogoutRoutes(app: FastifyInstance, context: ServerContext, saml: Saml): Promise<void> {
  const config = { access: 'public' as const, onFullDisk: true, rateLimit: perMinute(300) }
  const { errorRedirect } = context.config

  async function ended(request: FastifyRequest, sent: LogoutMessage): Promise<LogoutRequest> {
    let message: LogoutRequest
    try {
      message = await saml.logoutRequest(sent, request.ip)
    } catch (error) {
      if (error instanceof MediaprocError && error.code !== 'INVALID_CREDENTIALS') throw error
      context.log.warn({ reason: (error as Error).message.slice(0, 300) }, 'a logout request was refused')
      throw new MediaprocError('VALIDATION_ERROR', 'The logout request is not valid', { cause: error })
    }
    const { id, issuer, nameId, sessionIndexes } = message
    if (!(await useOnce(context.accounts, [`saml logout ${issuer} ${id}`])))
      throw new MediaprocError('VALIDATION_ERROR', 'The logout request was used before')
    const sessions = { provider: 'saml' as const, issuer, subject: nameId, sessions: sessionIndexes }
    for (const user of await endProviderSessions(context.accounts, sessions))
      await audit(context, request, 'SAML_LOGOUT', {
        actor: { id: null, username: 'saml' },
        target: { type: 'user', id: user.id },
        details: { username: user.username },
      })
    return message
  }

  async function answer(request: FastifyRequest, reply: FastifyReply, message: Message, sent: LogoutMessage) {
    reply.header('cache-control', 'no-store')
    // The session here has ended before the provider was asked to end its own.
    if (message.SAMLRequest === undefined && message.SAMLResponse !== undefined) return reply.redirect(errorRedirect)
    const { id } = await ended(request, sent)
    reply.clearCookie(reply.request.server.sessionCookie, { path: '/' })
    const relayState = textOf(message.RelayState).slice(0, MAX_RELAY_STATE)
    return reply.redirect((await saml.logoutResponseUrl(id, relayState)) ?? errorRedirect)
  }

  app.get<{ Querystring: Message }>(
    '/api/auth/saml/logout',
    {
      config,
      ...operation('account', 'Single logout by redirects of the identity provider', {
        redirect: 'back to the identity provider, or to the page for signing in',
      }),
    },
    async (request, reply) =>
      answer(request, reply, request.query, { binding: 'redirect', query: request.raw.url?.split('?')[1] ?? '' }),
  )
  app.post<{ Body: Message | undefined }>(
    '/api/auth/saml/logout',
    {
      config,
      bodyLimit: 2 * MAX_MESSAGE,
      ...operation('account', 'Single logout by forms of the identity provider', {
        description: 'A form (application/x-www-form-urlencoded) with the field SAMLRequest or SAMLResponse.',
        redirect: 'back to the identity provider, or to the page for signing in',
      }),
    },
    async (request, reply) => {
      const message = request.body ?? {}
      return answer(request, reply, message, { binding: 'post', message: textOf(message.SAMLRequest) })
    },
  )
}
