import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { environmentWord } from '../../environment.ts'
import { builtFile, packageVersion } from '../../root.ts'
import type { ServerConfig } from '../config.ts'
import { described } from './described.ts'
import { EVENT_SCHEMAS } from './event-schemas.ts'
import { FAILURE_RESPONSES, shareFailures } from './failures.ts'
import { llmsFull, llmsShort } from './llms.ts'
import { operation, schemaOf } from './operations.ts'
import { settingsSchemas, typeSettings } from './settings-schemas.ts'

/** The pages of @fastify/swagger-ui, which the build copies. */
const PAGES = fileURLToPath(builtFile('swagger-ui'))

/** The AGPL, section 13, requires offering the source code to network users. */
const description = (): string =>
  `Convert and edit images, video, audio, PDF and office files. Send a file to a tool as multipart/form-data; the answer
names the address of the result, or the job to follow.

The source of the running program, under the AGPL-3.0-or-later: ${environmentWord('SOURCE_URL')}`

const TAGS = {
  image: 'Tools for images',
  video: 'Tools for video',
  audio: 'Tools for audio',
  pdf: 'Tools for PDF documents',
  files: 'Tools for office files, data and archives',
  jobs: 'Running jobs and their results',
  pipelines: 'Several steps in one request',
  library: 'Files that are kept, with their versions',
  account: 'Signing in, users and API keys',
  provisioning: 'Users and teams managed by an identity provider (SCIM 2.0)',
  instance: 'Health, settings and administration',
}

/**
 * Serializes a document as YAML in ASCII, as the contract requires: text with other characters is double-quoted and
 * escaped. The library escapes only line breaks.
 */
async function asciiYaml(value: unknown): Promise<string> {
  const { Document, visit } = await import('yaml')
  const document = new Document(value, { aliasDuplicateObjects: false })
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string' && /[^\u0000-\u007f]/.test(node.value)) node.type = 'QUOTE_DOUBLE'
    },
  })
  return document
    .toString({ lineWidth: 0 })
    .replace(/[^\u0000-\u007f]/gu, (character) => `\\U${character.codePointAt(0)!.toString(16).padStart(8, '0')}`)
}

/** Serializes the document path by path: in one go it would block the event loop for half a second. */
async function inSlices({ paths, ...others }: Record<string, unknown>): Promise<string> {
  const parts = [await asciiYaml(others), 'paths:\n']
  for (const [path, item] of Object.entries(paths as object)) {
    const lines = await asciiYaml({ [path]: item })
    parts.push(lines.replace(/^(?=.)/gm, '  '))
    await nextTurn()
  }
  return parts.join('')
}

/** Number of routes described before yielding to the event loop. */
const SLICE = 20

/** Builds the deferred schema of each route once, in slices. The returned function builds those of all added routes. */
function describedOnce(app: FastifyInstance): () => Promise<void> {
  const all: (() => unknown)[] = []
  app.addHook('onRoute', ({ config }) => {
    const describes = config?.describes
    if (!describes) return
    let made: FastifySchema | undefined
    config.describes = () => (made ??= describes())
    all.push(config.describes)
  })
  return async () => {
    for (const [index, describes] of all.entries()) {
      describes()
      if (index % SLICE === 0) await nextTurn()
    }
  }
}

/** Serves the OpenAPI document, which is generated from the routes. */
export async function addOpenApi(app: FastifyInstance, { basePath }: Pick<ServerConfig, 'basePath'>): Promise<void> {
  const describeAll = describedOnce(app)
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'mediaproc',
        version: packageVersion(),
        description: description(),
        license: { name: 'AGPL-3.0-or-later', url: 'https://www.gnu.org/licenses/agpl-3.0.html' },
      },
      servers: [{ url: basePath || '/' }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'a session token or an API key' },
          cookie: { type: 'apiKey', in: 'cookie', name: 'mediaproc-session' },
        },
      },
      security: [{ bearer: [] }, { cookie: [] }],
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => String(json.$id ?? `schema${index}`) },
    transformObject: (made) => {
      if (!('openapiObject' in made)) return made.swaggerObject
      const { components, paths, ...others } = made.openapiObject
      const operations = paths as Record<string, Record<string, unknown>>
      typeSettings(operations)
      shareFailures(operations)
      const schemas = { ...components?.schemas, ...EVENT_SCHEMAS, ...settingsSchemas() }
      const shared = { ...components, schemas, responses: FAILURE_RESPONSES }
      return { ...others, components: shared, paths } as typeof made.openapiObject
    },
    transform: ({ url, route }) => ({ url, schema: described(schemaOf(route), url, route) }),
  })
  let yaml: Promise<string> | undefined
  const document = (): Promise<string> => {
    yaml ??= describeAll().then(() => inSlices(app.swagger() as Record<string, unknown>))
    return yaml
  }
  const config = { access: 'public' as const }
  app.get(
    '/api/v1/openapi.yaml',
    { config, ...operation('instance', 'This description', { content: 'text/yaml' }) },
    async (_request, reply) => reply.type('text/yaml; charset=utf-8').send(await document()),
  )
  app.get('/llms.txt', async (_request, reply) => reply.type('text/plain; charset=utf-8').send(llmsShort()))
  app.get('/llms-full.txt', async (_request, reply) => reply.type('text/plain; charset=utf-8').send(llmsFull()))
  await app.register(swaggerUi, {
    // The default is next to the plugin's code, which is bundled with the server's.
    baseDir: PAGES,
    logo: { type: 'image/svg+xml', content: await readFile(join(PAGES, 'logo.svg')) },
    routePrefix: '/api/docs',
    indexPrefix: basePath,
    // Hides the plugin's top bar.
    uiConfig: { docExpansion: 'none', filter: true, layout: 'BaseLayout' },
    theme: { title: 'mediaproc' },
  })
}
