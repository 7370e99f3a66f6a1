import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { ROOT } from '../../root.ts'
import type { ServerContext } from '../context.ts'
import { PAGE_POLICY } from '../http/headers.ts'
import { sentenceOf } from '../sign-in/failure-words.ts'
import { isFromProxy } from './sign-in/trusted-header.ts'

/** Files of the folder `web` by URL path, with their types. */
const PARTS: Readonly<Record<string, string>> = {
  'style.css': 'text/css; charset=utf-8',
  'common.js': 'text/javascript; charset=utf-8',
  'login.js': 'text/javascript; charset=utf-8',
  'home.js': 'text/javascript; charset=utf-8',
}

/** Placeholders in the pages. */
const [BASE, ERROR] = ['<meta charset="utf-8">', '<!-- error -->']

const read = (name: string): Promise<string> => readFile(new URL(`web/${name}`, ROOT), 'utf8')

/** Two pages for browsers without another console: sign-in and its target. They use no framework and no build. */
export async function pageRoutes(app: FastifyInstance, { config }: ServerContext): Promise<void> {
  const open = { config: { access: 'public' as const }, schema: { hide: true } }
  const headers = { 'content-security-policy': PAGE_POLICY, 'cache-control': 'no-cache' }
  const page = async (name: string, error = ''): Promise<string> =>
    (await read(name))
      .replace(BASE, config.basePath ? `${BASE}\n    <base href="${config.basePath}/">` : BASE)
      .replace(ERROR, error)
  app.get('/', open, async (_, reply) =>
    reply
      .headers(headers)
      .type('text/html; charset=utf-8')
      .send(await page('home.html')),
  )
  app.get<{ Querystring: { error?: string | string[] } }>('/login', open, async (request, reply) => {
    const { error } = request.query
    const { trustedHeader } = config
    const isNamed = trustedHeader && isFromProxy(request, trustedHeader) && request.headers[trustedHeader.userHeader]
    if (isNamed && error === undefined) return reply.redirect(`${config.basePath}/api/auth/header/login`)
    const sentence = typeof error === 'string' ? sentenceOf(error) : ''
    return reply
      .headers(headers)
      .type('text/html; charset=utf-8')
      .send(await page('login.html', sentence))
  })
  for (const [name, type] of Object.entries(PARTS))
    app.get(`/pages/${name}`, open, async (_, reply) =>
      reply
        .headers(headers)
        .type(type)
        .send(await read(name)),
    )
}
