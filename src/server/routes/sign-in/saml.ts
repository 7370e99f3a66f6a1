import type { FastifyInstance } from 'fastify'
import { cookieSecret } from '../../../accounts/sign-in/cookie-secret.ts'
import { useOnce } from '../../../accounts/sign-in/used-once.ts'
import { REQUEST_MS, Saml } from '../../../accounts/sso/saml.ts'
import type { SamlSubject } from '../../../accounts/sso/saml-library.ts'
import { MAX_MESSAGE } from '../../../accounts/sso/saml-message.ts'
import type { SamlUser } from '../../../accounts/sso/saml-response.ts'
import { MediaprocError } from '../../../errors.ts'
import type { ServerContext } from '../../context.ts'
import { readForms } from '../../http/form-body.ts'
import { perMinute } from '../../http/route-options.ts'
import { operation } from '../../openapi/operations.ts'
import type { SamlConfig } from '../../sign-in/config.ts'
import { finishSignIn, signInFailed } from '../../sign-in/federated-login.ts'
import { samlLogoutRoutes } from './saml-logout.ts'

const COOKIE = 'saml-request'
const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient'
const BY_EMAIL = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'
const MAX_SUBJECT = 1000
const MAX_GROUPS = 1000

/** Reads the user from an assertion. The provider is the company's own, so its email addresses count as verified. */
function externalUser(user: SamlUser, { usernameAttribute, emailAttribute, groupsAttribute }: SamlConfig) {
  const first = (name: string): string | undefined => user.attributes[name]?.[0]
  const email = first(emailAttribute) ?? (user.nameIdFormat === BY_EMAIL ? user.nameId : null)
  return {
    ...{ provider: 'saml' as const, issuer: user.issuer, subject: user.nameId, email, isEmailVerified: email !== null },
    usernames: [usernameAttribute && first(usernameAttribute), email?.split('@')[0], user.nameId],
    groups: (user.attributes[groupsAttribute] ?? []).slice(0, MAX_GROUPS),
  }
}

/** Sign-in with a SAML identity provider; the routes exist only if one is configured. */
export async function samlRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { config, accounts } = context
  const { saml: options } = config
  if (!options) return
  const saml = new Saml(options, await cookieSecret(accounts))
  const logFailure = (error: unknown): void => {
    const { message, cause } = error as Error
    const reason = cause instanceof Error ? cause.message.slice(0, 300) : undefined
    context.log.warn({ reason }, message)
  }
  options.provider.onFailure = logFailure
  // Fetches metadata before the first sign-in; a failure is logged, and repeated then.
  void options.provider.current().catch(() => {})
  context.signOutUrls.saml = async (hint) =>
    hint === undefined ? undefined : saml.signOutUrl(JSON.parse(hint) as SamlSubject)
  app.addHook('onClose', () => saml.close())
  const isSecure = config.externalUrl.startsWith('https:')
  // A page of the provider posts the response, so only a SameSite=None cookie is sent along, which must be Secure.
  const cookie = {
    ...{ path: `${config.basePath}/api/auth/saml`, httpOnly: true, sameSite: 'none' as const, secure: true },
  }
  const open = { access: 'public' as const, onFullDisk: true }
  const limited = { ...open, rateLimit: perMinute(30) }
  app.get(
    '/api/auth/saml/metadata',
    {
      config: open,
      ...operation('account', 'This instance as a service, for the identity provider', { content: 'application/xml' }),
    },
    async (_request, reply) => reply.type('application/xml; charset=utf-8').send(await saml.metadata()),
  )
  app.get(
    '/api/auth/saml/login',
    {
      config: limited,
      ...operation('account', 'Sign in with the identity provider', { redirect: 'on to the identity provider' }),
    },
    async (request, reply) => {
      try {
        const { url, requestId } = await saml.begin()
        if (isSecure) reply.setCookie(COOKIE, requestId, { ...cookie, maxAge: REQUEST_MS / 1000 })
        return reply.redirect(url)
      } catch (error) {
        return signInFailed(context, request, reply, 'saml', { word: 'saml_provider_unreachable', error })
      }
    },
  )
  await app.register(async (scope) => {
    readForms(scope)
    scope.post<{ Body: { SAMLResponse?: string } | undefined }>(
      '/api/auth/saml/callback',
      {
        config: limited,
        bodyLimit: 2 * MAX_MESSAGE,
        ...operation('account', 'Where the page of the identity provider sends its response to', {
          description: 'A form (application/x-www-form-urlencoded) with the field SAMLResponse.',
          redirect: 'into the instance, or back to the page for signing in',
        }),
      },
      async (request, reply) => {
        const asked = request.cookies[COOKIE]
        if (isSecure) reply.clearCookie(COOKIE, cookie)
        let user: SamlUser
        try {
          const found = await saml.redeem(
            request.body?.SAMLResponse ?? '',
            request.ip,
            isSecure ? (asked ?? '') : undefined,
          )
          user = found
          if (user.nameIdFormat === TRANSIENT || user.nameId.length > MAX_SUBJECT)
            throw new Error('the NameID is another one at each sign-in: choose a lasting format at the provider')
          const used = [`saml request ${found.requestId}`, `saml assertion ${user.issuer} ${user.assertionId}`]
          if (!(await useOnce(accounts, used))) throw new Error('the response was used before')
        } catch (error) {
          const code = error instanceof MediaprocError ? error.code : ''
          // Not a failed sign-in: the server has too many sign-ins at the moment.
          if (code === 'QUEUE_UNAVAILABLE') throw error
          const word = code === 'DOWNLOAD_FAILED' ? 'saml_provider_unreachable' : 'saml_auth_failed'
          return signInFailed(context, request, reply, 'saml', { word, error })
        }
        const subject: SamlSubject = {
          nameID: user.nameId,
          ...(user.nameIdFormat !== null && { nameIDFormat: user.nameIdFormat }),
          ...(user.sessionIndex !== undefined && { sessionIndex: user.sessionIndex }),
        }
        return finishSignIn(context, request, reply, externalUser(user, options), {
          rules: options.rules,
          logoutHint: JSON.stringify(subject),
          sid: user.sessionIndex,
          ...(user.sessionEnds !== undefined && { endsAt: new Date(user.sessionEnds).toISOString() }),
        })
      },
    )
    await samlLogoutRoutes(scope, context, saml)
  })
}
