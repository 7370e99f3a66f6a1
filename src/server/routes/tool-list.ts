import type { FastifyInstance } from 'fastify'
import type { Caller } from '../../accounts/caller.ts'
import { mayUseTool } from '../../accounts/directory/tool-permissions.ts'
import { AUDIO_EXTENSIONS, FILE_TYPES, IMAGE_EXTENSIONS, VIDEO_EXTENSIONS } from '../../media/type.ts'
import type { CatalogueEntry } from '../../tool/catalogue.ts'
import { catalogue } from '../../tool/registry.ts'
import { searchTools } from '../../tool/search.ts'
import { toolLabel } from '../../tool/tool-label.ts'
import type { ServerContext } from '../context.ts'
import { missingBundles } from '../features/gate.ts'
import { MAX_SEARCH } from '../http/limits.ts'
import { operation } from '../openapi/operations.ts'
import { exactly, listOf, text, the } from '../openapi/shapes.ts'

/** Popular tools as long as the history is too short. */
const POPULAR = [
  ...['resize', 'compress', 'convert', 'crop', 'rotate', 'strip-metadata'],
  ...['merge-pdf', 'compress-pdf', 'pdf-to-image', 'convert-video', 'trim-video', 'convert-audio'],
]
/** Number of different tools that must have run before the history is used. */
const MIN_DIFFERENT = 4

/** Extensions by the words that inputs accept: groups, and types with several extensions. */
const groupsOf = (): Record<string, readonly string[]> => ({
  ...Object.fromEntries(
    FILE_TYPES.filter(({ extensions }) => extensions.length > 1).map(({ id, extensions }) => [id, extensions]),
  ),
  ...{ image: IMAGE_EXTENSIONS, video: VIDEO_EXTENSIONS, audio: AUDIO_EXTENSIONS },
})

/** The tools and presets that are enabled and that the caller may use. */
export async function usableTools(
  { settings }: ServerContext,
  { toolPermissions }: Pick<Caller, 'toolPermissions'>,
): Promise<CatalogueEntry[]> {
  const disabled = await settings.disabledTools()
  return catalogue().filter((entry) => !disabled.has(entry.id) && mayUseTool(toolPermissions, entry))
}

/** What the list says of a tool, besides what is installed. */
function factsOf(entry: CatalogueEntry): object {
  const { id, section, summary, input, batch, async, bundles, base } = entry
  return {
    ...{ id, section, name: id, label: toolLabel(entry), summary },
    ...{ accept: input.accept, minFiles: input.min, maxFiles: input.max },
    ...{ batch, async, bundles },
    ...(base !== undefined && { base }),
  }
}

/** Ids of the most frequently run tools. */
async function popular({ store }: ServerContext): Promise<string[]> {
  const runs = await store.jobs.popularTools()
  return runs.length < MIN_DIFFERENT ? POPULAR : runs.slice(0, POPULAR.length).map(({ toolId }) => toolId)
}

export async function toolListRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const config = { access: 'auth' as const }
  const facts = new WeakMap<CatalogueEntry, object>()
  let groups: ReturnType<typeof groupsOf> | undefined
  app.get<{ Querystring: { search: string } }>(
    '/api/v1/tools',
    {
      config,
      ...operation('instance', 'All tools and presets that the caller may use', {
        query: {
          search: {
            ...{ type: 'string', maxLength: MAX_SEARCH, default: '' },
            description: 'words of names, summaries and settings, or their synonyms; the best match comes first',
          },
        },
        answer: exactly({
          tools: listOf(the('ToolEntry')),
          groups: { type: 'object', additionalProperties: listOf(text) },
        }),
        description: 'groups: the extensions of each group that accept names, such as image.',
      }),
    },
    async ({ caller, query: { search } }) => {
      const usable = await usableTools(context, caller)
      const shown = async (entry: CatalogueEntry) => {
        const known = facts.get(entry) ?? factsOf(entry)
        facts.set(entry, known)
        const missing = await missingBundles(entry, context.config.modelsFolder)
        return { ...known, available: missing.length === 0 }
      }
      const wanted = search.trim() === '' ? usable : searchTools(search, usable).map(({ entry }) => entry)
      // Not before the first request: plugins add formats.
      groups ??= groupsOf()
      return { tools: await Promise.all(wanted.map(shown)), groups }
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
