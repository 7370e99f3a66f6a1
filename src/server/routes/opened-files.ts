import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ServerContext } from '../context.ts'
import { notFound } from '../http/answers.ts'
import { sendFile } from '../http/send-file.ts'
import { operation } from '../openapi/operations.ts'
import { count, exactly, flag, listOf, text } from '../openapi/shapes.ts'
import { isToken, type PersonalServer } from '../personal.ts'
import { signedIn } from '../sign-in/session-cookie.ts'

const HEARTBEAT_MS = 20_000

const USED = `<!doctype html><meta charset="utf-8"><title>mediaproc</title>
<p>This address works once, and was used already. Start <code>mediaproc open</code> again for a new one.
`

/** Keeps a stream open as long as the page that asked for it. */
function stayWith(
  personal: PersonalServer,
  pages: Set<FastifyReply>,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  reply.hijack()
  for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value as string)
  // A connection that stays would delay the end of the server.
  reply.raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', connection: 'close' })
  reply.raw.flushHeaders()
  const beat = setInterval(() => reply.raw.write(': here\n\n'), HEARTBEAT_MS)
  pages.add(reply)
  personal.onPages(pages.size)
  const end = (): void => {
    clearInterval(beat)
    if (pages.delete(reply)) personal.onPages(pages.size)
  }
  reply.raw.once('close', end)
  if (reply.raw.closed || request.raw.destroyed) setImmediate(end)
}

/** `mediaproc open`: the files that it was started with, and whether its pages are open. Other servers have none. */
export async function openedFileRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { personal } = context.config
  const files = personal?.files ?? []
  const config = { access: 'session' as const }
  const file = exactly({ id: text, name: text, size: count, mime: text })
  app.get(
    '/api/v1/opened-files',
    {
      config,
      ...operation('instance', 'Files that mediaproc open was started with', {
        answer: exactly({ isPersonal: flag, files: listOf(file) }),
      }),
    },
    async () => ({
      isPersonal: personal !== undefined,
      files: files.map(({ name, bytes, mime }, index) => ({ id: String(index), name, size: bytes, mime })),
    }),
  )
  app.get<{ Params: { id: string } }>(
    '/api/v1/opened-files/:id',
    { config, ...operation('instance', 'The bytes of such a file', { content: 'application/octet-stream' }) },
    async (request, reply) => {
      const found = files.find((_file, index) => String(index) === request.params.id)
      if (!found) throw notFound()
      return sendFile(request, reply, found)
    },
  )
  const pages = new Set<FastifyReply>()
  app.addHook('preClose', async () => {
    for (const reply of pages) reply.raw.end()
  })
  app.get(
    '/api/v1/presence',
    {
      config,
      ...operation('instance', 'A stream without events: mediaproc open ends when no page has one', {
        content: 'text/event-stream',
      }),
    },
    (request, reply) => {
      if (!personal) throw notFound()
      stayWith(personal, pages, request, reply)
    },
  )
  if (!personal) return
  let isUsed = false
  app.get<{ Params: { token: string } }>(
    '/open/:token',
    { config: { access: 'public' }, schema: { hide: true } },
    async (request, reply) => {
      reply.header('cache-control', 'no-store')
      const user = await context.store.users.first()
      if (isUsed || !user || !isToken(request.params.token, personal.token))
        return reply.code(403).type('text/html; charset=utf-8').send(USED)
      isUsed = true
      await signedIn.begin(context, request, reply, user, 'local')
      return reply.redirect('/')
    },
  )
}
