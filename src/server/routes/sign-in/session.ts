import type { FastifyInstance, FastifyRequest } from 'fastify'
import { changePassword } from '../../../accounts/credentials/change-password.ts'
import { demandsMfa } from '../../../accounts/credentials/mfa.ts'
import { challengeMfa } from '../../../accounts/credentials/second-step.ts'
import { type FactorMethod, factorMethods } from '../../../accounts/passkeys/factors.ts'
import { confirmCaller, type Proof } from '../../../accounts/sign-in/confirm.ts'
import { describeSession } from '../../../accounts/sign-in/describe.ts'
import { createSession, logout } from '../../../accounts/sign-in/sign-in.ts'
import { MediaprocError } from '../../../errors.ts'
import type { ServerContext } from '../../context.ts'
import { notFound } from '../../http/answers.ts'
import { perMinute } from '../../http/route-options.ts'
import { audit } from '../../instance/audit.ts'
import { operation } from '../../openapi/operations.ts'
import { ASSERTION } from '../../openapi/passkeys.ts'
import { DONE, exactly, flag, listOf, moment, momentOrNull, text, the } from '../../openapi/shapes.ts'
import { closeDirectory, type PasswordLogin, passwordLogin, provesInDirectory } from '../../sign-in/directory-login.ts'
import { auditRefusal } from '../../sign-in/passkey-audit.ts'
import { relyingParty, requireAccounts } from '../../sign-in/relying-party.ts'
import { originOf, signedIn } from '../../sign-in/session-cookie.ts'
import { isSsoEnforced, loginAttempts, mayUsePassword } from '../../sign-in/sso.ts'

const LOGIN = {
  type: 'object',
  examples: [{ username: 'admin', password: 'Correct-Horse-7-Staple' }],
  required: ['username', 'password'],
  properties: {
    username: { type: 'string', minLength: 1, maxLength: 255 },
    password: { type: 'string', minLength: 1, maxLength: 1024 },
  },
}

const PROOF = {
  type: 'object',
  examples: [{ password: 'Correct-Horse-7-Staple' }, { code: '123456' }],
  properties: {
    password: { type: 'string', minLength: 1, maxLength: 1024 },
    code: { type: 'string', minLength: 1, maxLength: 20, description: 'of the app, or a recovery code' },
    passkey: { ...ASSERTION, description: 'with options from /api/auth/passkeys/confirm/options' },
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

/** A session, or a token to send a code with. One object, because not every client generator supports unions. */
const SIGN_IN = exactly(
  {
    ...{ token: text, user: the('User'), expiresAt: moment },
    requiresMfa: { type: 'boolean', const: true, description: 'there is no token yet: the second step follows' },
    mfaToken: { ...text, description: 'for /api/auth/mfa/complete or /api/auth/mfa/passkey/complete' },
    methods: listOf({ ...text, enum: ['totp', 'passkey'], description: 'what the second step accepts' }),
    ...{ mfaRequired: flag, message: text },
  },
  ['token', 'user', 'expiresAt', 'requiresMfa', 'mfaToken', 'methods', 'mfaRequired', 'message'],
)

/** The message for clients that cannot show a second step of their own. */
const nextStep = (methods: readonly FactorMethod[]): string =>
  [
    ...(methods.includes('totp')
      ? ['Send the code of your authenticator app, or a recovery code, to /api/auth/mfa/complete']
      : []),
    ...(methods.includes('passkey') ? ['Use a passkey with /api/auth/mfa/passkey/options and /complete'] : []),
  ].join('. ')

/**
 * The step between a correct password and a session: a code, or the enrolment that the server requires.
 * @throws MediaprocError MFA_ENROLLMENT_REQUIRED with a token for the enrolment
 */
async function secondStep(context: ServerContext, request: FastifyRequest, { user, loginMethod }: PasswordLogin) {
  const { accounts } = context
  const actor = { id: user.id, username: user.username }
  const mfaRequired = await demandsMfa(accounts, user)
  const methods = await factorMethods(context.store, user.id)
  if (methods.length > 0) {
    const mfaToken = await challengeMfa(accounts, user, loginMethod)
    await audit(context, request, 'MFA_CHALLENGE_ISSUED', { actor })
    return { requiresMfa: true, mfaToken, mfaRequired, methods, message: nextStep(methods) }
  }
  if (!mfaRequired) return undefined
  const purpose = 'enrolment' as const
  const { token, expiresAt } = await createSession(accounts, user, loginMethod, originOf(request), { purpose })
  await audit(context, request, 'LOGIN_FAILED', { actor, details: { reason: 'MFA_ENROLLMENT_REQUIRED' } })
  throw new MediaprocError('MFA_ENROLLMENT_REQUIRED', undefined, { fields: { enrollmentToken: token, expiresAt } })
}

interface Credentials {
  username: string
  password: string
}

/** Without a configured provider these public addresses return 404, with or without a credential. */
const ELSEWHERE = [
  ['GET', 'oidc/login', 'oidc'],
  ['GET', 'oidc/callback', 'oidc'],
  ['GET', 'saml/metadata', 'saml'],
  ['GET', 'saml/login', 'saml'],
  ['POST', 'saml/callback', 'saml'],
  ['GET', 'saml/logout', 'saml'],
  ['POST', 'saml/logout', 'saml'],
] as const

/** Sign-in, sign-out, and the user's own password. */
export async function sessionRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { accounts, config } = context
  if (config.ldap) app.addHook('onClose', closeDirectory)
  app.post<{ Body: Credentials }>(
    '/api/auth/login',
    {
      config: { access: 'public', onFullDisk: true, rateLimit: perMinute(loginAttempts(context)) },
      ...operation('account', 'Sign in', {
        body: LOGIN,
        answer: SIGN_IN,
      }),
    },
    async (request, reply) => {
      requireAccounts(config)
      const { username, password } = request.body
      const found = await passwordLogin(context, request, username, password)
        .then(async (login) => {
          if (await mayUsePassword(context, login.user.username)) return login
          throw new MediaprocError('SSO_ENFORCED')
        })
        .catch(async (error: unknown) => {
          await audit(context, request, 'LOGIN_FAILED', { actor: { id: null, username: username.slice(0, 50) } })
          // Same response and same work for every error: a difference would reveal the emergency account's name.
          const isWrong = error instanceof MediaprocError && error.code === 'INVALID_CREDENTIALS'
          throw isWrong && (await isSsoEnforced(context)) ? new MediaprocError('SSO_ENFORCED') : error
        })
      const challenge = await secondStep(context, request, found)
      return challenge ?? signedIn.begin(context, request, reply, found.user, found.loginMethod)
    },
  )
  const absent = async (): Promise<never> => {
    throw notFound()
  }
  for (const [method, path] of ELSEWHERE.filter(([, , provider]) => !config[provider]))
    app.route({
      method,
      url: `/api/auth/${path}`,
      config: { access: 'public' },
      schema: { hide: true },
      // Before the body is parsed, whatever its type.
      onRequest: absent,
      handler: absent,
    })
  app.post(
    '/api/auth/logout',
    {
      config: { access: 'auth', onFullDisk: true, withOldPassword: true },
      ...operation('account', 'Sign out', { answer: exactly({ ok: flag, logoutUrl: text }, ['logoutUrl']) }),
    },
    async (request, reply) => {
      const ended = await logout(accounts, request.caller)
      reply.clearCookie(reply.request.server.sessionCookie, { path: '/' })
      if (request.caller.via === 'session') await audit(context, request, 'LOGOUT')
      const logoutUrl = ended && (await context.signOutUrls[ended.loginMethod]?.(ended.logoutHint))
      return { ok: true, ...(logoutUrl !== undefined && { logoutUrl }) }
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
    async (request) => describeSession(accounts, request.caller),
  )
  app.post<{ Body: Proof }>(
    '/api/auth/confirm',
    {
      config: { access: 'session', rateLimit: perMinute(15) },
      ...operation('account', 'Confirm the identity of the signed-in user with the password, a code or a passkey', {
        description: 'Allows changes of factors, API keys and the accounts of others for some minutes.',
        body: PROOF,
        answer: DONE,
      }),
    },
    async (request) => {
      const target = { target: { type: 'user', id: request.caller.userId } }
      const checks = {
        address: request.ip,
        party: () => relyingParty(config, request),
        provesInDirectory: (password: string) => provesInDirectory(context, request, password),
      }
      await confirmCaller(accounts, request.caller, request.body, checks).catch(async (error: unknown) => {
        await audit(context, request, 'CONFIRMATION_FAILED', target)
        return auditRefusal(context, request, error)
      })
      await audit(context, request, 'IDENTITY_CONFIRMED', target)
      return { ok: true }
    },
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
      if (!(await mayUsePassword(context, request.caller.username))) throw new MediaprocError('SSO_ENFORCED')
      await changePassword(accounts, request.caller, currentPassword, newPassword, request.ip)
      await audit(context, request, 'PASSWORD_CHANGED', { target: { type: 'user', id: request.caller.userId } })
      return { ok: true }
    },
  )
}
