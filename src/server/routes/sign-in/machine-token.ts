import type { FastifyInstance } from 'fastify'
import { addTemporaryKey } from '../../../accounts/credentials/keys.ts'
import { MAX_ASSERTION, MachineTokens } from '../../../accounts/sso/machine-tokens.ts'
import { MediaprocError } from '../../../errors.ts'
import type { ServerContext } from '../../context.ts'
import { readForms } from '../../http/form-body.ts'
import { perMinute } from '../../http/route-options.ts'
import { audit } from '../../instance/audit.ts'
import { operation } from '../../openapi/operations.ts'
import { count, exactly, text } from '../../openapi/shapes.ts'

/** RFC 7523, section 2.1. */
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

interface Exchange {
  grant_type: string
  assertion: string
}

/** Programs exchange a token of their provider for a key of a service account; the route exists only with rules. */
export async function machineTokenRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { machineTokens: options } = context.config
  if (!options) return
  const tokens = new MachineTokens(options.rules)
  await app.register(async (scope) => {
    readForms(scope)
    scope.post<{ Body: Exchange }>(
      '/api/auth/token',
      {
        config: { access: 'public', rateLimit: perMinute(60), takesForms: true },
        bodyLimit: 4 * MAX_ASSERTION,
        ...operation('account', 'Exchange a token of a provider for a key of a service account', {
          description: 'JSON, or a form (application/x-www-form-urlencoded) as in RFC 7523. The key expires soon.',
          body: {
            type: 'object',
            required: ['grant_type', 'assertion'],
            properties: {
              grant_type: { type: 'string', enum: [GRANT], maxLength: GRANT.length },
              assertion: { type: 'string', minLength: 1, maxLength: MAX_ASSERTION, description: 'the JWT' },
            },
            examples: [{ grant_type: GRANT, assertion: 'eyJhbGciOi…' }],
          },
          answer: exactly({ access_token: text, token_type: { type: 'string', const: 'Bearer' }, expires_in: count }),
        }),
      },
      async (request, reply) => {
        reply.header('cache-control', 'no-store')
        try {
          const { rule, subject } = await tokens.verify(request.body.assertion)
          const wanted = { account: rule.account, name: `token of ${subject}`, lifetimeMs: options.lifetimeMs }
          const { key, user } = await addTemporaryKey(context.accounts, wanted)
          await audit(context, request, 'MACHINE_TOKEN_ISSUED', {
            actor: { id: user.id, username: user.username },
            target: { type: 'user', id: user.id },
            details: { issuer: rule.issuer.slice(0, 200), subject: subject.slice(0, 200) },
          })
          return { access_token: key, token_type: 'Bearer', expires_in: options.lifetimeMs / 1000 }
        } catch (error) {
          const { code = '', message = '' } = error instanceof MediaprocError ? error : {}
          if (code !== 'INVALID_CREDENTIALS' && code !== 'FORBIDDEN') throw error
          // The reason is for the operator; a stranger learns nothing about rules and accounts.
          context.log.warn({ reason: message.slice(0, 300) }, 'a token for a program was refused')
          await audit(context, request, 'MACHINE_TOKEN_REFUSED', { actor: { id: null, username: null } })
          throw new MediaprocError('INVALID_CREDENTIALS', 'The token was not accepted', { cause: error, hint: '' })
        }
      },
    )
  })
}
