import type { FastifyInstance } from 'fastify'
import { useOnce } from '../../../accounts/sign-in/used-once.ts'
import type { LogoutToken } from '../../../accounts/sso/logout-token.ts'
import type { OpenId } from '../../../accounts/sso/openid.ts'
import { endProviderSessions } from '../../../accounts/sso/provider-logout.ts'
import { MediaprocError } from '../../../errors.ts'
import type { ServerContext } from '../../context.ts'
import { readForms } from '../../http/form-body.ts'
import { perMinute } from '../../http/route-options.ts'
import { audit } from '../../instance/audit.ts'
import { operation } from '../../openapi/operations.ts'
import { count, exactly } from '../../openapi/shapes.ts'

/** Characters of a logout token. */
const MAX_LOGOUT_TOKEN = 16_384

/**
 * The provider ends sessions without a browser: OpenID Connect Back-Channel Logout 1.0. The provider's own token is the
 * credential.
 */
export async function backChannelLogout(
  app: FastifyInstance,
  context: ServerContext,
  openId: OpenId,
  issuer: string,
): Promise<void> {
  readForms(app)
  app.post<{ Body: { logout_token?: string } | undefined }>(
    '/api/auth/oidc/backchannel-logout',
    {
      config: { access: 'public', onFullDisk: true, rateLimit: perMinute(300) },
      bodyLimit: 2 * MAX_LOGOUT_TOKEN,
      ...operation('account', 'Where the OpenID provider announces that sessions have ended', {
        description: 'A form (application/x-www-form-urlencoded) with the field logout_token.',
        answer: exactly({ ended: count }),
      }),
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store')
      let token: LogoutToken
      try {
        token = await openId.logoutToken((request.body?.logout_token ?? '').slice(0, MAX_LOGOUT_TOKEN))
      } catch (error) {
        if (error instanceof MediaprocError) throw error
        context.log.warn({ reason: (error as Error).message.slice(0, 300) }, 'a logout token was refused')
        throw new MediaprocError('VALIDATION_ERROR', 'The logout token is not valid', { cause: error })
      }
      if (!(await useOnce(context.accounts, [`logout ${issuer} ${token.id}`])))
        throw new MediaprocError('VALIDATION_ERROR', 'The logout token was used before')
      const { subject, session } = token
      const named = session === undefined ? undefined : [session]
      const users = await endProviderSessions(context.accounts, { provider: 'oidc', issuer, subject, sessions: named })
      for (const { id, username } of users)
        await audit(context, request, 'OIDC_LOGOUT', {
          actor: { id: null, username: 'oidc' },
          target: { type: 'user', id },
          details: { username },
        })
      return { ended: users.length }
    },
  )
}
