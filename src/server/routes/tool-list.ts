import type { FastifyInstance } from 'fastify'
import { mayUseTool } from '../../accounts/directory/tool-permissions.ts'
import type { CatalogueEntry } from '../../tool/catalogue.ts'
import { catalogue } from '../../tool/registry.ts'
import type { ServerContext } from '../context.ts'
import { missingBundles } from '../features/gate.ts'
import { operation } from '../openapi/operations.ts'
import { exactly, listOf, text, the } from '../openapi/shapes.ts'

/** Popular tools as long as the history is too short. */
const POPULAR = [
  ...['resize', 'compress', 'convert', 'crop', 'rotate', 'strip-metadata'],
  ...['merge-pdf', 'compress-pdf', 'pdf-to-image', 'convert-video', 'trim-video', 'convert-audio'],
]
/** Number of different tools that must have run before the history is used. */
const MIN_DIFFERENT = 4

/** Ids of the most frequently run tools. */
async function popular({ store }: ServerContext): Promise<string[]> {
  const runs = await store.jobs.popularTools()
  return runs.length < MIN_DIFFERENT ? POPULAR : runs.slice(0, POPULAR.length).map(({ toolId }) => toolId)
}

export async function toolListRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const config = { access: 'auth' as const }
  app.get(
    '/api/v1/tools',
    {
      config,
      ...operation('instance', 'All tools and presets that the caller may use', {
        answer: exactly({ tools: listOf(the('ToolEntry')) }),
      }),
    },
    async ({ caller }) => {
      const disabled = await context.settings.disabledTools()
      const usable = catalogue().filter((entry) => !disabled.has(entry.id) && mayUseTool(caller.toolPermissions, entry))
      const shown = async (entry: CatalogueEntry) => {
        const { id, section, summary, input, batch, async, bundles } = entry
        const missing = await missingBundles(entry, context.config.modelsFolder)
        return {
          ...{ id, section, name: id, summary, accept: input.accept, minFiles: input.min, maxFiles: input.max },
          ...{ batch, async, bundles, available: missing.length === 0 },
        }
      }
      return { tools: await Promise.all(usable.map(shown)) }
    },
  )
  app.get(
    '/api/v1/tools/popular',
    {
      config,
      ...operation('instance', 'Tools that are used most', {
        answer: exactly({ tools: listOf(text) }),
      }),
    },
    async () => ({
      tools: await popular(context),
    }),
  )
}
