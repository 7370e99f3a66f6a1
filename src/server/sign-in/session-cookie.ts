import type { FastifyReply, FastifyRequest } from 'fastify'
import { describeUser } from '../../accounts/sign-in/describe.ts'
import type { Origin } from '../../accounts/sign-in/sign-in.ts'
import { createSession } from '../../accounts/sign-in/sign-in.ts'
import type { ProviderSession, SessionRecord, UserRecord } from '../../store/records.ts'
import type { ServerContext } from '../context.ts'
import { type AuditAction, audit } from '../instance/audit.ts'
import { exactly, moment, text, the } from '../openapi/shapes.ts'

const DONE: Readonly<Record<SessionRecord['loginMethod'], AuditAction>> = {
  local: 'LOGIN_SUCCESS',
  oidc: 'OIDC_LOGIN_SUCCESS',
  saml: 'SAML_LOGIN_SUCCESS',
  ldap: 'LDAP_LOGIN_SUCCESS',
  header: 'HEADER_LOGIN_SUCCESS',
}

/** Origin of a request, for the list of sessions. */
export const originOf = (request: FastifyRequest): Origin => ({
  address: request.ip,
  userAgent: request.headers['user-agent'],
})

/** The session cookie: scripts cannot read it, and other sites cannot send it. */
function setCookie(reply: FastifyReply, { externalUrl, sessionMs }: ServerContext['config'], token: string): void {
  reply.setCookie(reply.request.server.sessionCookie, token, {
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    secure: externalUrl.startsWith('https:'),
    maxAge: Math.floor(sessionMs / 1000),
  })
}

/** Completes every sign-in: creates the session, sets its cookie and writes the audit entry. */
export const signedIn = {
  answer: exactly({ token: text, user: the('User'), expiresAt: moment }),

  async begin(
    context: ServerContext,
    request: FastifyRequest,
    reply: FastifyReply,
    user: UserRecord,
    loginMethod: SessionRecord['loginMethod'],
    session: ProviderSession = {},
  ) {
    const { accounts, config } = context
    const { token, expiresAt } = await createSession(accounts, user, loginMethod, originOf(request), session)
    setCookie(reply, config, token)
    await audit(context, request, DONE[loginMethod], { actor: { id: user.id, username: user.username } })
    return { token, user: await describeUser(accounts, user, loginMethod), expiresAt }
  },
}
