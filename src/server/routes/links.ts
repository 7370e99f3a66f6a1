import type { FastifyInstance } from 'fastify'
import { ANONYMOUS } from '../../accounts/caller.ts'
import { effectivePermissions, isDisabled, storedRoles } from '../../accounts/directory/permissions.ts'
import { cookieSecret } from '../../accounts/sign-in/cookie-secret.ts'
import { MediaprocError } from '../../errors.ts'
import type { JobRecord } from '../../store/job-record.ts'
import type { ServerContext } from '../context.ts'
import { notFound } from '../http/answers.ts'
import { perMinute } from '../http/route-options.ts'
import { isPast } from '../jobs/retention.ts'
import { isSigned, signatureOf } from '../jobs/signed-links.ts'
import { maySee } from '../library/ownership.ts'
import { operation } from '../openapi/operations.ts'
import { exactly, moment, text } from '../openapi/shapes.ts'
import { checkNames, type ResultParams, sendResult } from './download.ts'

/** Lifetime of a link in seconds: one hour by default, one week at most. */
const EXPIRY = { default: 3600, max: 604_800 }
const MAX_ID = 100

interface LinkQuery {
  by: string
  until: number
  signature: string
}

/** Whether the user who created a link may still download the result. */
async function mayStill({ config, store }: ServerContext, userId: string, record: JobRecord): Promise<boolean> {
  if (!config.authEnabled) return userId === ANONYMOUS
  const user = await store.users.byId(userId)
  if (!user || isDisabled(user.role)) return false
  const permissions = effectivePermissions(user.role, await storedRoles(store, user.role))
  return permissions.has('tools:use') && maySee({ userId, permissions }, record)
}

/** Links to one result that expire and need no account. */
export async function linkRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { accounts, config, store } = context
  let known: Promise<string> | undefined
  // Created on first use, so that a start writes nothing for it, as on a full disk.
  const secretNow = (): Promise<string> => {
    known ??= cookieSecret(accounts).catch((error: unknown) => {
      known = undefined
      throw error
    })
    return known
  }
  app.post<{ Params: ResultParams; Body: { expiresInS?: number } | null }>(
    '/api/v1/download/:jobId/:filename/link',
    {
      config: { access: 'tools:use' },
      ...operation('jobs', 'A link to a result that needs no account', {
        body: {
          type: ['object', 'null'],
          properties: {
            expiresInS: {
              ...{ type: 'integer', minimum: 1, maximum: EXPIRY.max, default: EXPIRY.default },
              description: 'seconds that the link holds; the result may go earlier',
            },
          },
          examples: [{ expiresInS: 600 }],
        },
        answer: exactly({ url: text, expiresAt: moment }),
      }),
    },
    async ({ params, body, caller }) => {
      checkNames(params)
      const record = await store.jobs.get(params.jobId)
      if (!record || !maySee(caller, record) || isPast(record)) throw notFound()
      if (!record.outputs.some(({ name }) => name === params.filename)) throw notFound()
      const until = Math.floor(Date.now() / 1000) + (body?.expiresInS ?? EXPIRY.default)
      const link = { jobId: record.id, filename: params.filename, by: caller.userId, until }
      const query = new URLSearchParams({
        by: link.by,
        until: String(until),
        signature: signatureOf(link, await secretNow()),
      })
      const path = `/api/v1/links/${encodeURIComponent(link.jobId)}/${encodeURIComponent(link.filename)}?${query}`
      return { url: `${config.externalUrl || config.basePath}${path}`, expiresAt: new Date(until * 1000).toISOString() }
    },
  )
  app.get<{ Params: ResultParams; Querystring: LinkQuery }>(
    '/api/v1/links/:jobId/:filename',
    {
      config: { access: 'public', rateLimit: perMinute(300) },
      ...operation('jobs', 'A result, by a link', {
        query: {
          by: { type: 'string', maxLength: MAX_ID, description: 'who made the link' },
          until: {
            ...{ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
            description: 'when it ends, seconds since 1970',
          },
          signature: { type: 'string', maxLength: MAX_ID, description: 'that it was made here' },
        },
        content: 'application/octet-stream',
      }),
    },
    async (request, reply) => {
      const { params, query } = request
      checkNames(params)
      const { by = '', until = 0, signature = '' } = query
      // An invalid signature is refused before any look-up.
      if (!isSigned({ ...params, by, until }, signature, await secretNow())) throw notFound()
      if (until * 1000 <= Date.now()) throw new MediaprocError('LINK_EXPIRED')
      const record = await store.jobs.get(params.jobId)
      if (!record || !(await mayStill(context, by, record))) throw notFound()
      return sendResult(context, request, reply, record, params.filename)
    },
  )
}
