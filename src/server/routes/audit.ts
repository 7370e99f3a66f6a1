import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { AuditEntry } from '../../store/records.ts'
import type { ServerContext } from '../context.ts'
import { perMinute } from '../http/route-options.ts'
import { attachment } from '../http/send-file.ts'
import { AUDIT_ACTIONS, audit } from '../instance/audit.ts'
import { requireFeature } from '../instance/features.ts'
import { operation } from '../openapi/operations.ts'
import { count, exactly, listOf, text, the } from '../openapi/shapes.ts'

type Filters = Partial<Record<'action' | 'ip' | 'from' | 'to', string>>

const FILTERS = Object.fromEntries(
  ['action', 'ip', 'from', 'to'].map((name) => [name, { type: 'string', maxLength: 100 }]),
)

const COLUMNS = [
  ...['id', 'createdAt', 'action', 'actorId', 'actorUsername', 'targetType', 'targetId', 'ipAddress', 'details'],
] as (keyof AuditEntry)[]

/** One CSV cell. Values that a spreadsheet would treat as a formula are marked as text. */
function cell(value: unknown): string {
  const text = value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

async function* asCsv(entries: AsyncIterable<AuditEntry>): AsyncGenerator<string> {
  yield `${COLUMNS.join(',')}\r\n`
  for await (const entry of entries) yield `${COLUMNS.map((name) => cell(entry[name])).join(',')}\r\n`
}

async function* asJson(entries: AsyncIterable<AuditEntry>): AsyncGenerator<string> {
  let before = '[\n'
  for await (const entry of entries) {
    yield before + JSON.stringify(entry)
    before = ',\n'
  }
  yield before === '[\n' ? '[]\n' : '\n]\n'
}

/** The audit log, read-only: no route changes or removes an entry. */
export async function auditRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { store } = context
  app.get<{ Querystring: Filters & { page: number; limit: number } }>(
    '/api/v1/audit-log',
    {
      config: { access: 'audit:read' },
      ...operation('instance', 'Who did what, newest first', {
        query: {
          page: { type: 'integer', default: 1, description: 'from 1; what is less counts as 1' },
          limit: { type: 'integer', default: 50, description: 'from 1 to 100; what is beyond counts as the nearest' },
          ...FILTERS,
        },
        answer: exactly({ entries: listOf(the('AuditEntry')), total: count, page: count, limit: count }),
      }),
    },
    async ({ query: { page: wantedPage, limit: wantedLimit, ...filters } }) => {
      const page = Math.max(1, wantedPage)
      const limit = Math.min(100, Math.max(1, wantedLimit))
      const { entries, total } = await store.audit.query({ page, limit, ...filters })
      return { entries, total, page, limit }
    },
  )
  app.get(
    '/api/v1/audit-log/actions',
    {
      config: { access: 'audit:read' },
      ...operation('instance', 'Actions that the audit log records', { answer: exactly({ actions: listOf(text) }) }),
    },
    async () => ({ actions: AUDIT_ACTIONS }),
  )
  app.get<{ Querystring: Filters & { format: 'csv' | 'json' } }>(
    '/api/v1/enterprise/audit/export',
    {
      config: { access: 'audit:read', rateLimit: perMinute(10) },
      ...operation('instance', 'The whole audit log as a file, newest first', {
        query: { format: { enum: ['csv', 'json'], default: 'csv', description: 'of the file' }, ...FILTERS },
        content: 'application/octet-stream',
      }),
    },
    async (request, reply) => {
      requireFeature(context, 'audit_export')
      const { format, ...filters } = request.query
      await audit(context, request, 'AUDIT_EXPORTED', { details: { format, ...filters } })
      const entries = store.audit.entries(filters)
      reply.type(format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8')
      reply.header('content-disposition', attachment(`audit-log.${format}`))
      return reply.send(Readable.from(format === 'csv' ? asCsv(entries) : asJson(entries)))
    },
  )
}
