import type { FastifyReply, FastifyRequest } from 'fastify'
import { challengeMfa, demandsMfa, hasMfa } from '../../accounts/credentials/mfa.ts'
import { LOGOUT_HINT } from '../../accounts/sign-in/sign-in.ts'
import type { ExternalRules, ExternalUser } from '../../accounts/sso/external-users.ts'
import { resolveExternal } from '../../accounts/sso/external-users.ts'
import { providerSessionId } from '../../accounts/sso/provider-logout.ts'
import { MediaprocError } from '../../errors.ts'
import type { ProviderSession, UserRecord } from '../../store/records.ts'
import type { ServerContext } from '../context.ts'
import { type AuditAction, audit, changesOf } from '../instance/audit.ts'
import type { SignInFailure } from './failure-words.ts'
import { signedIn } from './session-cookie.ts'

/** Providers that send the browser back to this server. */
type Provider = Exclude<ExternalUser['provider'], 'ldap'>

/** What a provider says of its session, and the operator's rules for its users. */
interface ExternalSession {
  rules: ExternalRules
  /** What the provider needs for the sign-out there, in plain. */
  logoutHint?: string | undefined
  /** The provider's name for its session. */
  sid?: string | undefined
  /** When the session must end, ISO 8601. */
  endsAt?: string | undefined
}

const ACTIONS: Readonly<
  Record<ExternalUser['provider'], Readonly<Record<'failed' | 'created' | 'linked', AuditAction>>>
> = {
  oidc: { failed: 'OIDC_LOGIN_FAILED', created: 'OIDC_USER_CREATED', linked: 'OIDC_USER_LINKED' },
  saml: { failed: 'SAML_LOGIN_FAILED', created: 'SAML_USER_CREATED', linked: 'SAML_USER_LINKED' },
  ldap: { failed: 'LDAP_LOGIN_FAILED', created: 'LDAP_USER_CREATED', linked: 'LDAP_USER_LINKED' },
  header: { failed: 'HEADER_LOGIN_FAILED', created: 'HEADER_USER_CREATED', linked: 'HEADER_USER_LINKED' },
}

/** Redirects to the sign-in page with an error code; never with text from a client. */
export async function signInFailed(
  context: ServerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  provider: Provider,
  { word, error, user }: { word: SignInFailure; error?: unknown; user?: UserRecord },
): Promise<FastifyReply> {
  const { code, message } = (error ?? {}) as { code?: string; message?: string }
  // Causes contain tokens and claims: only the message is logged.
  if (error) context.log.warn({ provider, word, code, reason: message?.slice(0, 300) }, 'a sign-in failed')
  const actor = { id: user?.id ?? null, username: user?.username ?? null }
  await audit(context, request, ACTIONS[provider].failed, { actor, details: { reason: word } })
  return reply.redirect(withQuery(context.config.errorRedirect, `error=${word}`))
}

const withQuery = (address: string, query: string): string => `${address}${address.includes('?') ? '&' : '?'}${query}`

/**
 * Finds, links or creates the account of a user whom a provider has authenticated, and writes audit entries for what changed.
 * @throws FORBIDDEN when the rules allow no account, USER_DISABLED, USER_LIMIT_REACHED
 */
export async function resolveAudited(
  context: ServerContext,
  request: FastifyRequest,
  external: ExternalUser,
  rules: ExternalRules,
): Promise<UserRecord> {
  const { provider } = external
  const { user, how, before } = await resolveExternal(context.accounts, external, rules)
  if (external.groups === undefined)
    context.log.warn({ provider, username: user.username }, 'the provider omitted the groups: the role is unchanged')
  if (how !== 'known')
    await audit(context, request, ACTIONS[provider][how], {
      actor: { id: user.id, username: user.username },
      target: { type: 'user', id: user.id },
      details: { role: user.role },
    })
  if (before)
    await audit(context, request, 'USER_UPDATED', {
      actor: { id: null, username: provider },
      target: { type: 'user', id: user.id },
      details: { role: user.role, ...changesOf(before, user, ['role']) },
    })
  return user
}

/**
 * Completes a single sign-on: finds the account, then starts a session, asks for the second factor, or reports an
 * error.
 */
export async function finishSignIn(
  context: ServerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  external: ExternalUser & { provider: Provider },
  { rules, logoutHint, sid, endsAt }: ExternalSession,
): Promise<FastifyReply> {
  const { accounts, config } = context
  const { provider } = external
  let user: UserRecord
  try {
    user = await resolveAudited(context, request, external, rules)
  } catch (error) {
    const code = error instanceof MediaprocError ? error.code : ''
    if (!['FORBIDDEN', 'USER_DISABLED', 'USER_LIMIT_REACHED'].includes(code)) throw error
    const word = `${provider}_${code === 'USER_LIMIT_REACHED' ? 'user_limit_reached' : 'user_not_authorized'}` as const
    return signInFailed(context, request, reply, provider, { word, error })
  }
  const session: ProviderSession = {
    ...(logoutHint !== undefined && { logoutHint: accounts.vault.seal(logoutHint, LOGOUT_HINT) }),
    ...(endsAt !== undefined && { endsAt }),
    ...(sid !== undefined && { providerSession: providerSessionId(external.issuer, sid) }),
  }
  if (await hasMfa(accounts, user.id)) {
    const mfaToken = await challengeMfa(accounts, user, provider, session)
    await audit(context, request, 'MFA_CHALLENGE_ISSUED', { actor: { id: user.id, username: user.username } })
    // The fragment after # reaches the page, but not the log of a proxy.
    const { errorRedirect, mfaRedirectQuery } = config
    const query = `mfaToken=${mfaToken}`
    return reply.redirect(mfaRedirectQuery ? withQuery(errorRedirect, query) : `${errorRedirect}#${query}`)
  }
  if (await demandsMfa(accounts, user))
    return signInFailed(context, request, reply, provider, { word: 'mfa_enrollment_required', user })
  await signedIn.begin(context, request, reply, user, provider, session)
  return reply.redirect(config.successRedirect)
}
