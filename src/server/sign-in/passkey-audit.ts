import type { FastifyRequest } from 'fastify'
import { PasskeyRefused } from '../../accounts/passkeys/refusal.ts'
import type { ServerContext } from '../context.ts'
import { audit } from '../instance/audit.ts'

/** Records why a passkey was refused, and rethrows the error. Other errors are only rethrown. */
export async function auditRefusal(
  context: Pick<ServerContext, 'store' | 'log'>,
  request: FastifyRequest,
  error: unknown,
): Promise<never> {
  if (error instanceof PasskeyRefused) {
    const { reason, user, cause } = error
    // The message can quote the response of the browser, which is any text.
    const why = cause instanceof Error ? cause.message.slice(0, 300) : undefined
    context.log.warn({ reason, why }, 'a passkey was refused')
    const actor = user && { id: user.id, username: user.username }
    await audit(context, request, 'PASSKEY_REFUSED', { ...(actor && { actor }), details: { reason } })
  }
  throw error
}
