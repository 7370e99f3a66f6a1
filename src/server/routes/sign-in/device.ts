import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  DEVICE_MS,
  decideDevice,
  describeDevice,
  type EnteredCode,
  redeemDevice,
  startDevice,
} from '../../../accounts/sign-in/device.ts'
import { MediaprocError } from '../../../errors.ts'
import type { ServerContext } from '../../context.ts'
import { Repeats } from '../../http/rate-limits.ts'
import { perMinute } from '../../http/route-options.ts'
import { audit } from '../../instance/audit.ts'
import { operation } from '../../openapi/operations.ts'
import { count, DONE, exactly, moment, text } from '../../openapi/shapes.ts'
import { devicePage, requireDevice } from '../../sign-in/device.ts'
import { loginAttempts } from '../../sign-in/sso.ts'

/** Seconds between two questions of a program. */
const INTERVAL_S = 5
/** Two questions that are nearer come too soon: the network may delay the first one. */
const LEAST_MS = (INTERVAL_S - 1) * 1000

const START = {
  type: 'object',
  properties: {
    client_name: { type: 'string', maxLength: 100, description: 'shown to the person, and the name of the key' },
  },
  examples: [{ client_name: 'mediaproc on laptop' }],
}
const TOKEN = {
  type: 'object',
  required: ['device_code'],
  properties: { device_code: { type: 'string', maxLength: 200 } },
  examples: [{ device_code: `${'0'.repeat(64)}.${'A'.repeat(43)}` }],
}
const ENTERED = {
  type: 'object',
  required: ['userCode'],
  properties: { userCode: { type: 'string', minLength: 1, maxLength: 20, description: 'as the program shows it' } },
  examples: [{ userCode: 'WDJB-MJHT' }],
}

/** Sign-in of programs that have no browser (RFC 8628): a person approves them in the console. */
export async function deviceRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  programRoutes(app, context)
  personRoutes(app, context)
}

/** The routes of the program. */
function programRoutes(app: FastifyInstance, context: ServerContext): void {
  const { accounts, store } = context
  const questions = new Repeats(store.redis)
  const mayAsk = async (id: string): Promise<boolean> => (await questions.count(`device:${id}`, LEAST_MS)) === 1
  app.post<{ Body: { client_name?: string } }>(
    '/api/v1/auth/device',
    {
      config: { access: 'public', rateLimit: perMinute(loginAttempts(context)) },
      ...operation('account', 'Begin the sign-in of a program: a person approves its code in the console', {
        description: 'As in RFC 8628, with JSON bodies.',
        body: START,
        answer: exactly({
          ...{ device_code: text, user_code: text, verification_uri: text, verification_uri_complete: text },
          ...{ expires_in: count, interval: count },
        }),
      }),
    },
    async (request, reply) => {
      await requireDevice(context)
      const client = request.body.client_name ?? ''
      const { deviceCode, userCode } = await startDevice(accounts, { client, address: request.ip })
      const page = devicePage(context, request)
      reply.header('cache-control', 'no-store')
      return {
        ...{ device_code: deviceCode, user_code: userCode, verification_uri: page },
        verification_uri_complete: `${page}#code=${userCode}`,
        ...{ expires_in: DEVICE_MS / 1000, interval: INTERVAL_S },
      }
    },
  )
  app.post<{ Body: { device_code: string } }>(
    '/api/v1/auth/device/token',
    {
      // Ten programs of one address ask every five seconds.
      config: { access: 'public', rateLimit: perMinute(300) },
      ...operation('account', 'Ask for the key of a program: it is given once', {
        description:
          'Until the code is approved: 400 with AUTHORIZATION_PENDING. SLOW_DOWN asks for an interval that is five ' +
          'seconds longer. ACCESS_DENIED and EXPIRED_TOKEN are final.',
        body: TOKEN,
        answer: exactly({
          access_token: { ...text, description: 'an API key with the permissions of its user' },
          ...{ token_type: { type: 'string', const: 'Bearer' }, key_id: text, username: text },
        }),
      }),
    },
    async (request, reply) => {
      await requireDevice(context)
      reply.header('cache-control', 'no-store')
      const { key, user } = await redeemDevice(accounts, request.body.device_code, mayAsk)
      const actor = { id: user.id, username: user.username }
      await audit(context, request, 'API_KEY_CREATED', { actor, target: { type: 'api-key', id: key.id } })
      return { access_token: key.key, token_type: 'Bearer', key_id: key.id, username: user.username }
    },
  )
}

/** The routes of the page on which a person decides. */
function personRoutes(app: FastifyInstance, context: ServerContext): void {
  const { accounts } = context
  const config = { access: 'session' as const, rateLimit: perMinute(30) }
  const enteredIn = ({ body, ip }: FastifyRequest<{ Body: { userCode: string } }>): EnteredCode => ({
    ...{ userCode: body.userCode, address: ip },
  })
  const noted = (request: FastifyRequest) => async (error: unknown) => {
    const isWrong = error instanceof MediaprocError && error.code === 'INVALID_USER_CODE'
    if (isWrong) await audit(context, request, 'DEVICE_CODE_WRONG')
    throw error
  }
  app.post<{ Body: { userCode: string } }>(
    '/api/v1/auth/device/lookup',
    {
      config,
      ...operation('account', 'The program that waits with a code', {
        body: ENTERED,
        answer: exactly({ client: text, address: text, startedAt: moment, expiresAt: moment }),
      }),
    },
    async (request) => {
      await requireDevice(context)
      return describeDevice(accounts, request.caller, enteredIn(request)).catch(noted(request))
    },
  )
  for (const [path, state, summary] of [
    ['approve', 'approved', 'Give a program a key of the signed-in user'],
    ['refuse', 'refused', 'Refuse a program that waits with a code'],
  ] as const)
    app.post<{ Body: { userCode: string } }>(
      `/api/v1/auth/device/${path}`,
      {
        config: { ...config, needsProof: state === 'approved' },
        ...operation('account', summary, { body: ENTERED, answer: DONE }),
      },
      async (request) => {
        await requireDevice(context)
        const entered = enteredIn(request)
        const { client, address } = await decideDevice(accounts, request.caller, entered, state).catch(noted(request))
        const action = state === 'approved' ? 'DEVICE_APPROVED' : 'DEVICE_REFUSED'
        await audit(context, request, action, {
          target: { type: 'user', id: request.caller.userId },
          details: { client, address },
        })
        return { ok: true }
      },
    )
}
