import { readdir } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { shippedFontsFolder } from '../../engines/fonts.ts'
import { type FoundTemplate, MEME_CATEGORIES, memeTemplates } from '../../media/image/decode/memes.ts'
import type { BlobPlace } from '../../store/blobs.ts'
import type { ServerContext } from '../context.ts'
import { notFound } from '../http/answers.ts'
import { sendBlob, sendFile } from '../http/send-file.ts'
import { madeOnce } from '../library/preview-cache.ts'
import { runOnce } from '../library/run-ephemeral.ts'
import { operation } from '../openapi/operations.ts'
import { count, exactly, listOf, text, the } from '../openapi/shapes.ts'

/** A template's picture never changes. */
const FOR_EVER = 'public, max-age=31536000, immutable'
const THUMBNAIL = { width: 200, quality: 80 }

type ByName = FastifyRequest<{ Params: { filename: string } }>

const shown = ({ path: _path, ...template }: FoundTemplate): Omit<FoundTemplate, 'path'> => template

/** `drake.webp` is the thumbnail of drake.svg. */
const thumbnailName = ({ filename }: FoundTemplate): string => `${basename(filename, extname(filename))}.webp`

/** Thumbnail of a template, created once and stored with the other previews. */
function thumbnail(context: ServerContext, request: ByName, template: FoundTemplate): Promise<BlobPlace> {
  const { width, quality } = THUMBNAIL
  const steps = [
    { toolId: 'image/resize', settings: { width } },
    { toolId: 'image/convert', settings: { format: 'webp', quality } },
  ]
  const input = { path: template.path, name: template.filename }
  return madeOnce(context.store, `meme-${template.id}`, (keep) =>
    runOnce(context, request.caller.userId, input, steps, keep),
  )
}

/** Templates of meme-generator: the list, the pictures, their thumbnails, and the fonts. */
export async function memeRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const config = { access: 'auth' as const }
  const named = (request: ByName, name: (one: FoundTemplate) => string): FoundTemplate => {
    const found = memeTemplates().find((one) => name(one) === request.params.filename)
    if (!found) throw notFound()
    return found
  }
  app.get(
    '/api/v1/meme-templates',
    {
      config,
      ...operation('image', 'Templates of meme-generator', {
        answer: exactly({ version: count, categories: listOf(text), templates: listOf(the('MemeTemplate')) }),
      }),
    },
    async () => ({
      version: 1,
      categories: MEME_CATEGORIES,
      templates: memeTemplates().map(shown),
    }),
  )
  app.get(
    '/api/v1/meme-templates/full/:filename',
    { config, ...operation('image', 'The picture of a template', { content: 'image/svg+xml' }) },
    async (request: ByName, reply: FastifyReply) => {
      const { path, filename } = named(request, (one) => one.filename)
      return sendFile(request, reply, { path, name: filename, cache: FOR_EVER })
    },
  )
  app.get(
    '/api/v1/meme-templates/thumbs/:filename',
    { config, ...operation('image', 'A small picture of a template', { content: 'image/webp' }) },
    async (request: ByName, reply: FastifyReply) => {
      const place = await thumbnail(context, request, named(request, thumbnailName))
      return sendBlob(request, reply, place, { name: request.params.filename, cache: FOR_EVER })
    },
  )
  app.get(
    '/api/v1/meme-templates/fonts/:filename',
    { config, ...operation('image', 'A font of the captions', { content: 'font/ttf' }) },
    async (request: ByName, reply: FastifyReply) => {
      const folder = shippedFontsFolder()
      const name = (await readdir(folder)).find((one) => one === request.params.filename && one.endsWith('.ttf'))
      if (!name) throw notFound()
      return sendFile(request, reply, { path: join(folder, name), name, mime: 'font/ttf', cache: FOR_EVER })
    },
  )
}
