import { isIP } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { requireTool } from '../../accounts/directory/tool-permissions.ts'
import { requireScimToken } from '../../accounts/scim/token.ts'
import { authenticate } from '../../accounts/sign-in/authenticate.ts'
import { requireRecentProof } from '../../accounts/sign-in/confirm.ts'
import { MediaprocError } from '../../errors.ts'
import type { Access, ServerContext } from '../context.ts'
import { notFound } from './answers.ts'
import { LocalUserRate, SharedUserRate } from './rate-limits.ts'

const COOKIE = 'mediaproc-session'

/** Whether an address without a route belongs to the API. */
export const isApiAddress = (url: string): boolean => /^\/api(?:[/?]|$)/.test(url)

/** The credential of a request: the header takes precedence over the cookie. */
export function credentialOf(request: FastifyRequest): { token: string; from: 'header' | 'cookie' } | undefined {
  const header = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1]
  if (header !== undefined) return { token: header, from: 'header' }
  const cookie = request.cookies[request.server.sessionCookie]
  return cookie ? { token: cookie, from: 'cookie' } : undefined
}

/** Cross-site check: another site must not use a browser's cookie, or its access to this machine. */
export function checkOrigin(request: FastifyRequest, externalUrl: string, allowed: readonly string[] = []): void {
  const { origin } = request.headers
  if (request.method === 'GET' || request.method === 'HEAD' || origin === undefined) return
  const own = [externalUrl && new URL(externalUrl).origin, `${request.protocol}://${request.host}`, ...allowed]
  if (!own.includes(origin) && !allowed.includes('*'))
    throw new MediaprocError('FORBIDDEN', 'This page may not act for the signed-in user')
}

/**
 * Without accounts, only known host names are accepted: a hostile page's own name may also resolve to this server (DNS
 * rebinding), and that page would then have the same origin. IP addresses and names without a dot are not public names.
 */
function checkHost({ hostname }: FastifyRequest, externalUrl: string): void {
  const name = hostname.toLowerCase().replace(/^\[|\]$|\.$/g, '')
  if (isIP(name) !== 0 || !name.includes('.') || name.endsWith('.localhost')) return
  if (externalUrl && new URL(externalUrl).hostname === name) return
  throw new MediaprocError('FORBIDDEN', 'The server is not known by this name: EXTERNAL_URL says how it is called')
}

/**
 * Enforces the access rule that every route under /api/ declares, in the order of the contract: credential, disabled
 * user, must-change flag, rate limit per user, unknown path or disabled tool, permission. Runs before the body is read.
 */
export function addGuard(app: FastifyInstance, { accounts, config, settings, store: { redis } }: ServerContext): void {
  const rate = redis ? new SharedUserRate(redis) : new LocalUserRate()
  app.decorateRequest('caller')
  app.decorate('sessionCookie', config.personal ? `${COOKIE}-${config.personal.id}` : COOKIE)
  app.addHook('onRoute', (route) => {
    // The documentation pages come from a library.
    if (route.url.startsWith('/api/docs')) route.config = { ...route.config, access: 'public' }
    if (route.url.startsWith('/api') && route.config?.access === undefined)
      throw new Error(`route ${route.method} ${route.url} does not say who may call it`)
  })
  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.fromAnywhere || (await settings.allowsAddress(request.ip))) return
    throw new MediaprocError('FORBIDDEN', 'The server takes no requests from this address', { hint: '' })
  })
  app.addHook('preParsing', async (request) => {
    const {
      access = 'public',
      tool,
      withEnrolment,
      withOldPassword,
      withToken,
      needsProof,
    } = request.routeOptions.config
    // The matched route decides, not the address: /%61pi/ is another spelling of the same route.
    const isGuarded = request.is404 ? isApiAddress(request.url) : access !== 'public'
    if (!isGuarded || withToken?.(request.headers.authorization)) return
    const credential = credentialOf(request)
    if (access === 'scim') {
      if (credential?.from !== 'header') throw new MediaprocError('AUTH_REQUIRED', 'Authentication is required')
      await requireScimToken(accounts, credential.token)
      return
    }
    if (!config.authEnabled) {
      checkHost(request, config.externalUrl)
      checkOrigin(request, config.externalUrl, config.corsOrigins)
    }
    if (config.authEnabled && !credential) throw new MediaprocError('AUTH_REQUIRED', 'Authentication is required')
    const caller = await authenticate(accounts, credential?.token ?? '')
    if (credential?.from === 'cookie' && config.authEnabled) checkOrigin(request, config.externalUrl)
    request.caller = caller
    if (caller.via === 'enrolment') {
      if (withEnrolment) return
      throw new MediaprocError('MFA_ENROLLMENT_REQUIRED')
    }
    if (caller.mustChangePassword && !withOldPassword)
      throw new MediaprocError('MUST_CHANGE_PASSWORD', 'The password must be changed first')
    const limit = await settings.number('rateLimitPerUser', 0)
    if (limit > 0 && !(await rate.takes(caller.userId, limit)))
      throw new MediaprocError('RATE_LIMITED', 'Rate limit exceeded', { fields: { retryAfter: 60 } })
    if (request.is404 || (tool && (await settings.isDisabled(tool.id)))) throw notFound()
    checkAccess(access, caller)
    if (tool) requireTool(caller.toolPermissions, tool)
    if (needsProof) requireRecentProof(accounts, caller)
  })
}

function checkAccess(access: Exclude<Access, 'scim'>, caller: FastifyRequest['caller']): void {
  if (access === 'auth' || access === 'public') return
  if (access === 'session') {
    if (caller.via === 'key') throw new MediaprocError('SESSION_REQUIRED', 'An API key cannot do this: sign in')
    return
  }
  if (!caller.permissions.has(access)) throw new MediaprocError('FORBIDDEN', `This needs the permission ${access}`)
}
