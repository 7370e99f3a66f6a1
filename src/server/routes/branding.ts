import type { FastifyInstance, FastifyRequest } from 'fastify'
import { MediaprocError } from '../../errors.ts'
import type { ServerContext } from '../context.ts'
import { invalid, notFound } from '../http/answers.ts'
import { perMinute } from '../http/route-options.ts'
import { audit } from '../instance/audit.ts'
import { BRANDING_SETTINGS, branding, keepLogo, removeLogo } from '../instance/branding.ts'
import { fitsSetting, LOGO_SETTING } from '../instance/settings.ts'
import { operation } from '../openapi/operations.ts'
import { DONE, the } from '../openapi/shapes.ts'
import { type ReceivedFile, receiveForm } from '../uploads/multipart.ts'
import { workFolder } from '../uploads/work-folder.ts'

/** Cache lifetime in browsers, in seconds. */
const CACHE_S = 300

const PROPERTIES = {
  name: {
    type: ['string', 'null'],
    maxLength: 60,
    description: 'what clients call the instance; null: the usual name',
  },
  primaryColor: { type: ['string', 'null'], maxLength: 7, description: 'as #rrggbb' },
  accentColor: { type: ['string', 'null'], maxLength: 7, description: 'as #rrggbb' },
}

/** The single picture of a form. All its errors are VALIDATION_ERROR here. */
async function receivedLogo(context: ServerContext, request: FastifyRequest): Promise<ReceivedFile> {
  const { maxLogoBytes } = context.config
  const work = await workFolder(context, request)
  const form = await receiveForm(request, work, { fileBytes: maxLogoBytes, files: 1 }).catch((error: unknown) => {
    const code = error instanceof MediaprocError ? error.code : ''
    if (code === 'FILE_TOO_LARGE') throw invalid(`The logo is larger than ${maxLogoBytes / 1000} kB`)
    if (code === 'TOO_MANY_FILES') throw invalid('Expected one picture')
    throw error
  })
  const [file] = form.files
  if (!file || file.bytes === 0) throw invalid('No picture was sent')
  return file
}

/** Branding of the server: name, colours and logo. */
export async function brandingRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { store } = context
  const open = { access: 'public' as const }
  const manage = { access: 'branding:manage' as const, rateLimit: perMinute(60) }
  app.get(
    '/api/v1/branding',
    { config: open, ...operation('instance', 'How the instance looks', { answer: the('Branding') }) },
    () => branding(store),
  )
  app.put<{ Body: Partial<Record<keyof typeof BRANDING_SETTINGS, string | null>> }>(
    '/api/v1/branding',
    {
      config: manage,
      ...operation('instance', 'Change how the instance looks', {
        body: { type: 'object', properties: PROPERTIES, examples: [{ name: 'Press desk', primaryColor: '#225588' }] },
        answer: the('Branding'),
      }),
    },
    async (request) => {
      const keys = Object.keys(BRANDING_SETTINGS) as (keyof typeof BRANDING_SETTINGS)[]
      const given = keys.filter((key) => request.body[key] !== undefined)
      for (const key of given)
        if (!fitsSetting(BRANDING_SETTINGS[key], request.body[key] ?? ''))
          throw invalid(`${key}: this value is not taken`)
      const updatedAt = new Date().toISOString()
      await store.transaction(async ({ settings }) => {
        for (const key of given)
          await settings.set(BRANDING_SETTINGS[key], { value: request.body[key] ?? '', updatedAt })
      })
      await audit(context, request, 'BRANDING_UPDATED', { details: { keys: given } })
      return branding(store)
    },
  )
  app.get(
    '/api/v1/settings/logo',
    { config: open, ...operation('instance', 'The logo', { content: 'image/png' }) },
    async (_request, reply) => {
      const logo = await store.settings.get(LOGO_SETTING)
      if (!logo) throw notFound()
      return reply
        .type('image/png')
        .header('cache-control', `public, max-age=${CACHE_S}`)
        .header('cross-origin-resource-policy', 'same-origin')
        .send(Buffer.from(logo.value, 'base64'))
    },
  )
  app.post(
    '/api/v1/settings/logo',
    {
      config: manage,
      ...operation('instance', 'Set the logo: one picture, kept as PNG of at most 128 × 128 pixels', {
        form: { type: 'object', required: ['file'], properties: { file: { type: 'string', format: 'binary' } } },
        answer: DONE,
      }),
      validatorCompiler: () => () => true,
    },
    async (request) => {
      await keepLogo(context, await receivedLogo(context, request), request.caller.userId)
      await audit(context, request, 'BRANDING_UPDATED', { details: { keys: ['logo'] } })
      return { ok: true }
    },
  )
  app.delete(
    '/api/v1/settings/logo',
    { config: manage, ...operation('instance', 'Remove the logo', { answer: DONE }) },
    async (request) => {
      await removeLogo(context)
      await audit(context, request, 'BRANDING_UPDATED', { details: { keys: ['logo'] } })
      return { ok: true }
    },
  )
}
