import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ExternalUser } from '../../../accounts/sso/external-users.ts'
import type { ServerContext } from '../../context.ts'
import { containsAddress } from '../../http/ip-allow-list.ts'
import { perMinute } from '../../http/route-options.ts'
import { operation } from '../../openapi/operations.ts'
import { finishSignIn, signInFailed } from '../../sign-in/federated-login.ts'
import type { TrustedHeaderConfig } from '../../sign-in/trusted-header-config.ts'

const ISSUER = 'trusted header'
const MAX_USER = 255
const MAX_EMAIL = 254
const MAX_GROUPS = 1000
/** Longest value of the groups, in characters. */
const MAX_GROUPS_TEXT = 8000

type HeaderUser = ExternalUser & { provider: 'header' }

/** Whether the connection itself is from the proxy; what headers say of its origin does not count. */
export function isFromProxy(request: FastifyRequest, { proxies }: TrustedHeaderConfig): boolean {
  return containsAddress(proxies, request.socket.remoteAddress ?? '')
}

/**
 * The value of a header.
 * @throws Error when it was sent twice, is too long, or has other than printable ASCII characters
 */
function headerValue({ raw }: FastifyRequest, name: string, most: number): string | undefined {
  const values = raw.rawHeaders.filter((_, index, all) => index % 2 === 1 && all[index - 1]?.toLowerCase() === name)
  if (values.length > 1) throw new Error(`the header ${name} was sent twice`)
  const [value] = values
  if (value === undefined || value === '') return undefined
  if (value.length > most) throw new Error(`the header ${name} is too long`)
  if (!/^[\x20-\x7e]*$/.test(value)) throw new Error(`the header ${name} has characters that are not printable ASCII`)
  return value.trim() || undefined
}

function readUser(request: FastifyRequest, config: TrustedHeaderConfig): HeaderUser {
  const username = headerValue(request, config.userHeader, MAX_USER)
  if (username === undefined) throw new Error(`the proxy sent no header ${config.userHeader}`)
  const email = headerValue(request, config.emailHeader, MAX_EMAIL) ?? null
  const groups = (headerValue(request, config.groupsHeader, MAX_GROUPS_TEXT) ?? '').split(',').slice(0, MAX_GROUPS)
  return {
    ...{ provider: 'header', issuer: ISSUER, subject: username, email, isEmailVerified: email !== null },
    usernames: [username, email?.split('@')[0]],
    groups: groups.map((group) => group.trim()).filter((group) => group !== ''),
  }
}

/** Sign-in by the headers of an authenticating proxy; the route exists only if one is configured. */
export async function trustedHeaderRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { trustedHeader: options, successRedirect } = context.config
  if (!options) return
  context.signOutUrls.header = async () => options.logoutUrl || undefined
  app.get(
    '/api/auth/header/login',
    {
      config: { access: 'public', onFullDisk: true, rateLimit: perMinute(300) },
      ...operation('account', 'Sign in as the user that the authenticating proxy names', {
        redirect: `to ${successRedirect}, or back to the page for signing in`,
      }),
    },
    async (request, reply) => {
      let user: HeaderUser
      try {
        if (!isFromProxy(request, options))
          throw new Error(`the request came from ${request.socket.remoteAddress}, not from the proxy`)
        user = readUser(request, options)
      } catch (error) {
        return signInFailed(context, request, reply, 'header', { word: 'header_auth_failed', error })
      }
      return finishSignIn(context, request, reply, user, { rules: options.rules })
    },
  )
}
