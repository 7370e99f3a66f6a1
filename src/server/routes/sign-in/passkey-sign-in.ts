import type { FastifyInstance, FastifyRequest } from 'fastify'
import { completeWithPasskey, passkeyStepOptions } from '../../../accounts/credentials/second-step.ts'
import { signInOptions, signInWithPasskey } from '../../../accounts/passkeys/assert.ts'
import { PasskeyRefused } from '../../../accounts/passkeys/refusal.ts'
import type { Assertion } from '../../../accounts/passkeys/webauthn.ts'
import { MediaprocError } from '../../../errors.ts'
import type { UserRecord } from '../../../store/records.ts'
import type { ServerContext } from '../../context.ts'
import { perMinute } from '../../http/route-options.ts'
import { audit } from '../../instance/audit.ts'
import { operation } from '../../openapi/operations.ts'
import { ASSERTION, REQUEST_OPTIONS } from '../../openapi/passkeys.ts'
import { auditRefusal } from '../../sign-in/passkey-audit.ts'
import { relyingParty, requireAccounts } from '../../sign-in/relying-party.ts'
import { signedIn } from '../../sign-in/session-cookie.ts'
import { loginAttempts, mayUsePassword } from '../../sign-in/sso.ts'
import { MFA_TOKEN } from './mfa.ts'

const SIGN_IN = { type: 'object', required: ['credential'], properties: { credential: ASSERTION } }
const STEP = { type: 'object', required: ['mfaToken'], properties: { mfaToken: MFA_TOKEN } }
const STEP_DONE = {
  type: 'object',
  required: ['mfaToken', 'credential'],
  properties: { mfaToken: MFA_TOKEN, credential: ASSERTION },
}

/** Sign-in with a passkey: alone, and as the second step after a password or single sign-on. */
export async function passkeySignInRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { accounts, config } = context
  const open = { access: 'public' as const, onFullDisk: true }
  const first = { ...open, rateLimit: perMinute(loginAttempts(context)) }
  const second = { ...open, rateLimit: perMinute(15) }
  /** Refused like a password. @throws MediaprocError SSO_ENFORCED */
  const signIn = async (request: FastifyRequest, credential: Assertion): Promise<UserRecord> => {
    const user = await signInWithPasskey(accounts, relyingParty(config, request), credential)
    if (await mayUsePassword(context, user.username)) return user
    throw new MediaprocError('SSO_ENFORCED')
  }
  app.post(
    '/api/auth/passkeys/sign-in/options',
    {
      config: first,
      ...operation('account', 'Start a sign-in with a passkey, without a user name', { answer: REQUEST_OPTIONS }),
    },
    async (request) => {
      requireAccounts(config)
      return signInOptions(accounts, relyingParty(config, request))
    },
  )
  app.post<{ Body: { credential: Assertion } }>(
    '/api/auth/passkeys/sign-in/verify',
    {
      config: first,
      ...operation('account', 'Sign in with a passkey; it counts as two factors', {
        body: SIGN_IN,
        answer: signedIn.answer,
      }),
    },
    async (request, reply) => {
      requireAccounts(config)
      const user = await signIn(request, request.body.credential).catch(async (error: unknown) => {
        const known = error instanceof PasskeyRefused ? error.user : undefined
        const actor = { id: known?.id ?? null, username: known?.username ?? null }
        const details = { method: 'passkey', reason: error instanceof PasskeyRefused ? error.reason : codeOf(error) }
        await audit(context, request, 'LOGIN_FAILED', { actor, details })
        return auditRefusal(context, request, error)
      })
      return signedIn.begin(context, request, reply, user, 'local')
    },
  )
  app.post<{ Body: { mfaToken: string } }>(
    '/api/auth/mfa/passkey/options',
    {
      config: second,
      ...operation('account', 'Start the second step of a sign-in with a passkey', {
        body: STEP,
        answer: REQUEST_OPTIONS,
      }),
    },
    async (request) => {
      const mfaToken = request.body.mfaToken.toLowerCase()
      return passkeyStepOptions(accounts, mfaToken, relyingParty(config, request))
    },
  )
  app.post<{ Body: { mfaToken: string; credential: Assertion } }>(
    '/api/auth/mfa/passkey/complete',
    {
      config: second,
      ...operation('account', 'The second step of a sign-in, with a passkey', {
        body: STEP_DONE,
        answer: signedIn.answer,
      }),
    },
    async (request, reply) => {
      const { mfaToken, credential } = request.body
      const party = relyingParty(config, request)
      const done = await completeWithPasskey(accounts, mfaToken.toLowerCase(), party, credential).catch(
        async (error: unknown) => {
          const known = error instanceof PasskeyRefused ? error.user : undefined
          const actor = { id: known?.id ?? null, username: known?.username ?? null }
          await audit(context, request, 'MFA_VERIFY_FAILED', { actor })
          return auditRefusal(context, request, error)
        },
      )
      const { user, loginMethod, session } = done
      const actor = { id: user.id, username: user.username }
      await audit(context, request, 'MFA_VERIFIED', { actor, details: { method: 'passkey' } })
      return signedIn.begin(context, request, reply, user, loginMethod, session)
    },
  )
}

const codeOf = (error: unknown): string => (error instanceof MediaprocError ? error.code : 'INTERNAL')
