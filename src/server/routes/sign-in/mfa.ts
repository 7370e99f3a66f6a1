import type { FastifyInstance, FastifyRequest } from 'fastify'
import { disableMfa, enrollMfa, resetMfa, verifyMfa } from '../../../accounts/credentials/mfa.ts'
import { completeMfa, WrongCode } from '../../../accounts/credentials/second-step.ts'
import type { ServerContext } from '../../context.ts'
import { perMinute } from '../../http/route-options.ts'
import { audit } from '../../instance/audit.ts'
import { operation } from '../../openapi/operations.ts'
import { DONE, exactly, listOf, text } from '../../openapi/shapes.ts'
import { qrDataUri } from '../../sign-in/qr-code.ts'
import { signedIn } from '../../sign-in/session-cookie.ts'

const CODE = { type: 'string', minLength: 1, maxLength: 20 }
const ONLY_CODE = { type: 'object', required: ['code'], properties: { code: CODE }, examples: [{ code: '123456' }] }
/** Body: the pending sign-in. */
export const MFA_TOKEN = {
  type: 'string',
  maxLength: 100,
  pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
  description: 'from the answer to the sign-in',
}
const COMPLETION = {
  type: 'object',
  required: ['mfaToken', 'code'],
  properties: {
    mfaToken: MFA_TOKEN,
    code: { ...CODE, description: 'of the app, or a recovery code' },
  },
  examples: [{ mfaToken: '5f0c2b9e-6c1d-4d5a-9d0e-0a4f3b1c2d3e', code: '123456' }],
}

/** Second factor: set up, verify, disable. */
export async function mfaRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { accounts } = context
  const own = (request: FastifyRequest) => ({ target: { type: 'user', id: request.caller.userId } })
  app.post(
    '/api/auth/mfa/enroll',
    {
      config: { access: 'session', withEnrolment: true, needsProof: true, rateLimit: perMinute(30) },
      ...operation('account', 'Set up a second factor: it counts after /mfa/verify', {
        description: 'The recovery codes are shown this once. A second call takes the place of the first.',
        answer: exactly({
          uri: { ...text, description: 'for authenticator apps' },
          qrCode: { ...text, description: 'the same as a picture: an SVG as data URI' },
          secret: { ...text, description: 'the same to be typed, in base32' },
          recoveryCodes: listOf(text),
        }),
      }),
    },
    async ({ caller }) => {
      const { uri, secret, recoveryCodes } = await enrollMfa(accounts, caller.userId, caller.via)
      return { uri, qrCode: await qrDataUri(uri), secret, recoveryCodes }
    },
  )
  app.post<{ Body: { code: string } }>(
    '/api/auth/mfa/verify',
    {
      config: { access: 'session', withEnrolment: true, rateLimit: perMinute(15) },
      ...operation('account', 'Switch the second factor on with a code of the app', { body: ONLY_CODE, answer: DONE }),
    },
    async (request) => {
      await verifyMfa(accounts, request.caller, request.body.code, request.ip)
      await audit(context, request, 'MFA_ENROLLED', own(request))
      return { ok: true }
    },
  )
  app.post<{ Body: { mfaToken: string; code: string } }>(
    '/api/auth/mfa/complete',
    {
      config: { access: 'public', onFullDisk: true, rateLimit: perMinute(15) },
      ...operation('account', 'The second step of a sign-in', { body: COMPLETION, answer: signedIn.answer }),
    },
    async (request, reply) => {
      const { mfaToken, code } = request.body
      const done = await completeMfa(accounts, mfaToken.toLowerCase(), code, request.ip).catch(
        async (error: unknown) => {
          const actor = error instanceof WrongCode ? { id: error.user.id, username: error.user.username } : undefined
          await audit(context, request, 'MFA_VERIFY_FAILED', { actor: actor ?? { id: null, username: null } })
          throw error
        },
      )
      const { user, loginMethod, kind, session } = done
      const actor = { id: user.id, username: user.username }
      await audit(context, request, kind === 'recovery' ? 'MFA_RECOVERY_USED' : 'MFA_VERIFIED', { actor })
      return signedIn.begin(context, request, reply, user, loginMethod, session)
    },
  )
  app.post<{ Body: { code: string } }>(
    '/api/auth/mfa/disable',
    {
      config: { access: 'session', rateLimit: perMinute(15) },
      ...operation('account', 'Disable the codes of the own authenticator app, with a code', {
        body: ONLY_CODE,
        answer: DONE,
      }),
    },
    async (request) => {
      await disableMfa(accounts, request.caller, request.body.code, request.ip)
      await audit(context, request, 'MFA_DISABLED', own(request))
      return { ok: true }
    },
  )
  app.post<{ Params: { id: string } }>(
    '/api/auth/users/:id/mfa/reset',
    {
      config: { access: 'users:manage', needsProof: true },
      ...operation('account', 'Remove all second factors of a user who lost them: authenticator app and passkeys', {
        answer: DONE,
      }),
    },
    async (request) => {
      const { id } = request.params
      await resetMfa(accounts, request.caller, id)
      await audit(context, request, 'MFA_RESET', { target: { type: 'user', id } })
      return { ok: true }
    },
  )
}
