import type { FastifyInstance } from 'fastify'
import { listPasskeys, removePasskey, renamePasskey } from '../../../accounts/passkeys/manage.ts'
import { creationOptions, registerPasskey } from '../../../accounts/passkeys/register.ts'
import type { Attestation } from '../../../accounts/passkeys/webauthn.ts'
import { confirmationOptions } from '../../../accounts/sign-in/confirm.ts'
import type { ServerContext } from '../../context.ts'
import { perMinute } from '../../http/route-options.ts'
import { audit } from '../../instance/audit.ts'
import { operation } from '../../openapi/operations.ts'
import { ATTESTATION, CREATION_OPTIONS, PASSKEY, REQUEST_OPTIONS } from '../../openapi/passkeys.ts'
import { DONE, exactly, listOf } from '../../openapi/shapes.ts'
import { auditRefusal } from '../../sign-in/passkey-audit.ts'
import { relyingParty, requireAccounts } from '../../sign-in/relying-party.ts'

const DEFAULT_NAME = 'Passkey'
const NAME = { type: 'string', minLength: 1, maxLength: 100, pattern: '\\S' }
const REGISTRATION = {
  type: 'object',
  required: ['credential'],
  properties: { credential: ATTESTATION, name: { ...NAME, description: `'${DEFAULT_NAME}' by default` } },
}
const RENAMING = { type: 'object', required: ['name'], properties: { name: NAME }, examples: [{ name: 'Laptop' }] }

/** The caller's own passkeys: registered, listed, renamed and removed. */
export async function passkeyRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { accounts, config } = context
  const target = (id: string) => ({ type: 'passkey', id })
  const own = { access: 'session' as const, rateLimit: perMinute(30) }
  const changing = { ...own, needsProof: true }
  app.get(
    '/api/auth/passkeys',
    { config: own, ...operation('account', 'Own passkeys', { answer: exactly({ passkeys: listOf(PASSKEY) }) }) },
    async ({ caller }) => ({ passkeys: await listPasskeys(accounts, caller) }),
  )
  app.post(
    '/api/auth/passkeys/register/options',
    {
      config: { ...changing, withEnrolment: true },
      ...operation('account', 'Start the registration of a passkey', { answer: CREATION_OPTIONS }),
    },
    async (request) => {
      requireAccounts(config)
      return creationOptions(accounts, request.caller, relyingParty(config, request))
    },
  )
  app.post<{ Body: { credential: Attestation; name?: string } }>(
    '/api/auth/passkeys/register/verify',
    {
      config: { ...changing, withEnrolment: true },
      ...operation('account', 'Complete the registration of a passkey', {
        body: REGISTRATION,
        status: 201,
        answer: PASSKEY,
      }),
    },
    async (request, reply) => {
      requireAccounts(config)
      const { credential: attestation, name = DEFAULT_NAME } = request.body
      const party = relyingParty(config, request)
      const passkey = await registerPasskey(accounts, request.caller, party, { attestation, name }).catch(
        (error: unknown) => auditRefusal(context, request, error),
      )
      await audit(context, request, 'PASSKEY_ADDED', { target: target(passkey.id), details: { name } })
      return reply.code(201).send(passkey)
    },
  )
  app.post(
    '/api/auth/passkeys/confirm/options',
    {
      config: own,
      ...operation('account', 'Start a confirmation with a passkey, for /api/auth/confirm', {
        answer: REQUEST_OPTIONS,
      }),
    },
    async (request) => confirmationOptions(accounts, request.caller, relyingParty(config, request)),
  )
  app.patch<{ Params: { id: string }; Body: { name: string } }>(
    '/api/auth/passkeys/:id',
    { config: own, ...operation('account', 'Rename a passkey', { body: RENAMING, answer: PASSKEY }) },
    async (request) => {
      const { id } = request.params
      const passkey = await renamePasskey(accounts, request.caller, id, request.body.name)
      await audit(context, request, 'PASSKEY_RENAMED', { target: target(id), details: { name: passkey.name } })
      return passkey
    },
  )
  app.delete<{ Params: { id: string } }>(
    '/api/auth/passkeys/:id',
    { config: changing, ...operation('account', 'Remove a passkey', { answer: DONE }) },
    async (request) => {
      const { id } = request.params
      const { name } = await removePasskey(accounts, request.caller, id)
      await audit(context, request, 'PASSKEY_REMOVED', { target: target(id), details: { name } })
      return { ok: true }
    },
  )
}
