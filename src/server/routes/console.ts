import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ServerContext } from '../context.ts'
import { assetNames, consolePage, readAsset } from '../http/built-console.ts'
import { isKnown } from '../http/conditional.ts'
import { consolePolicy } from '../http/headers.ts'
import { sentenceOf } from '../sign-in/failure-words.ts'
import { isFromProxy } from './sign-in/trusted-header.ts'

/** Addresses of the console's pages besides `/` and `/login`; each is the same document. */
const PAGES = [
  ...['/tools/:section/:toolId', '/pipelines', '/pipelines/:id', '/library', '/jobs', '/account', '/device'],
  ...['/admin', '/admin/:part'],
]

const YEAR = 'public, max-age=31536000, immutable'

/** `/tools/image/resize` is two folders deep: the document refers to its files as `../../assets`. */
const upwards = (path: string): string => '../'.repeat(path.split('/').length - 2) || './'

const acceptsBrotli = ({ headers }: FastifyRequest): boolean =>
  /(?:^|,)\s*br\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[^,]*)?(?:,|$)/i.test(String(headers['accept-encoding'] ?? ''))

/** The console in the browser: one document for all of its pages, and its files. */
export async function consoleRoutes(app: FastifyInstance, { config, store }: ServerContext): Promise<void> {
  if (!config.console) return
  const policy = consolePolicy(store.results)
  const open = { config: { access: 'public' as const }, schema: { hide: true } }
  const send = async (request: FastifyRequest, reply: FastifyReply, error = ''): Promise<FastifyReply> => {
    // Without BASE_PATH a proxy may still put the server below a path, so the address is relative.
    const base = config.basePath ? `${config.basePath}/` : upwards(request.routeOptions.url ?? '/')
    const { html, etag } = await consolePage(base, error)
    reply.headers({ 'content-security-policy': await policy(), 'cache-control': 'no-cache', etag })
    if (isKnown(request, { etag })) return reply.code(304).send()
    return reply.type('text/html; charset=utf-8').send(html)
  }
  for (const path of ['/', ...PAGES]) app.get(path, open, (request, reply) => send(request, reply))
  app.get<{ Querystring: { error?: string | string[] } }>('/login', open, async (request, reply) => {
    const { error } = request.query
    const { trustedHeader } = config
    const isNamed = trustedHeader && isFromProxy(request, trustedHeader) && request.headers[trustedHeader.userHeader]
    if (isNamed && error === undefined) return reply.redirect(`${config.basePath}/api/auth/header/login`)
    return send(request, reply, typeof error === 'string' ? sentenceOf(error) : '')
  })
  for (const name of assetNames())
    app.get(`/assets/${name}`, open, async (request, reply) => {
      const { type, plain, brotli } = await readAsset(name)
      reply.headers({ 'cache-control': YEAR, vary: 'Accept-Encoding' }).type(type)
      return acceptsBrotli(request) ? reply.header('content-encoding', 'br').send(brotli) : reply.send(plain)
    })
}
