import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { cookieSecret } from '../../../accounts/sign-in/cookie-secret.ts'
import { OpenId, type OpenIdFlow, type OpenIdUser } from '../../../accounts/sso/openid.ts'
import { MediaprocError } from '../../../errors.ts'
import type { ServerContext } from '../../context.ts'
import { perMinute } from '../../http/route-options.ts'
import { operation } from '../../openapi/operations.ts'
import { expectedClaims, groupClaims, type OidcConfig } from '../../sign-in/config.ts'
import type { SignInFailure } from '../../sign-in/failure-words.ts'
import { finishSignIn, signInFailed } from '../../sign-in/federated-login.ts'
import { readState, STATE_MS, signState } from '../../sign-in/signed-state.ts'
import { backChannelLogout } from './oidc-logout.ts'

const COOKIE = 'oidc-state'
/** Longest ID token that is stored for signing out, in characters. */
const MAX_ID_TOKEN = 4096
const MAX_GROUPS = 1000
/** Names of claims that are logged. */
const MAX_CLAIMS = 50
/** Characters of the provider's name for its session. */
const MAX_SID = 1000

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const texts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string').slice(0, MAX_GROUPS)

/** Claim of Entra ID for a user with more groups than fit in the token (overage). */
function hasMoreGroups(claims: OpenIdUser['claims'], groupsClaim: string): boolean {
  const { _claim_names: elsewhere, hasgroups } = claims
  const isElsewhere = typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, groupsClaim)
  return claims[groupsClaim] === undefined && (isElsewhere || hasgroups === true || hasgroups === 'true')
}

/** Reads the user from the claims of a token. */
function externalUser({ claims }: OpenIdUser, { issuer, usernameClaim, groupsClaim }: OidcConfig) {
  const email = text(claims.email) ?? null
  const { sub, name, preferred_username: preferred } = claims
  return {
    ...{ provider: 'oidc' as const, issuer, subject: sub, email },
    // Some providers send a string.
    isEmailVerified: claims.email_verified === true || claims.email_verified === 'true',
    usernames: [claims[usernameClaim], preferred, email?.split('@')[0], name, sub],
    groups: hasMoreGroups(claims, groupsClaim) ? undefined : texts(claims[groupsClaim]),
  }
}

/** Sign-in with an OpenID provider; the routes exist only if one is configured. */
export async function oidcRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { config, accounts } = context
  const { oidc } = config
  if (!oidc) return
  const openId = new OpenId(oidc)
  const secret = await cookieSecret(accounts)
  const wanted = ['email', ...groupClaims(oidc)]
  const expected = expectedClaims(oidc)
  context.signOutUrls.oidc = (idToken) => openId.signOutUrl(idToken, `${config.externalUrl}/login`)
  const options = { config: { access: 'public' as const, onFullDisk: true, rateLimit: perMinute(30) } }
  const cookie = {
    path: `${config.basePath}/api/auth/oidc`,
    httpOnly: true,
    // The redirect from the provider is a cross-site request.
    sameSite: 'lax' as const,
    secure: config.externalUrl.startsWith('https:'),
  }
  const failed = (request: FastifyRequest, reply: FastifyReply, word: SignInFailure, error?: unknown) =>
    signInFailed(context, request, reply, 'oidc', { word, error })
  app.get(
    '/api/auth/oidc/login',
    { ...options, ...operation('account', 'Sign in with the OpenID provider', { redirect: 'on to the provider' }) },
    async (request, reply) => {
      try {
        const { url, flow } = await openId.begin()
        reply.setCookie(COOKIE, signState(flow, secret), { ...cookie, maxAge: STATE_MS / 1000 })
        return reply.redirect(url)
      } catch (error) {
        return failed(request, reply, 'oidc_provider_unreachable', error)
      }
    },
  )
  app.get<{ Querystring: { state?: string | string[] } }>(
    '/api/auth/oidc/callback',
    {
      ...options,
      ...operation('account', 'Where the OpenID provider sends the browser back to', {
        redirect: 'into the instance, or back to the page for signing in',
      }),
    },
    async (request, reply) => {
      const flow = readState<OpenIdFlow>(request.cookies[COOKIE], secret)
      reply.clearCookie(COOKIE, cookie)
      if (!flow || request.query.state !== flow.state) return failed(request, reply, 'oidc_session_expired')
      let user: OpenIdUser
      try {
        user = await openId.redeem(request.raw.url!.split('?')[1] ?? '', flow, wanted)
      } catch (error) {
        const isAway = error instanceof MediaprocError && error.code === 'DOWNLOAD_FAILED'
        return failed(request, reply, isAway ? 'oidc_provider_unreachable' : 'oidc_auth_failed', error)
      }
      const arrived = Object.keys(user.claims).slice(0, MAX_CLAIMS)
      const missing = expected.filter((name) => user.claims[name] === undefined)
      if (missing.length > 0) context.log.warn({ missing, arrived }, 'claims of the configuration did not arrive')
      else context.log.debug({ arrived }, 'claims arrived')
      const logoutHint = user.idToken.length <= MAX_ID_TOKEN ? user.idToken : undefined
      const sid = text(user.claims.sid)?.slice(0, MAX_SID)
      return finishSignIn(context, request, reply, externalUser(user, oidc), { rules: oidc.rules, logoutHint, sid })
    },
  )
  await app.register((scope) => backChannelLogout(scope, context, openId, oidc.issuer))
}
