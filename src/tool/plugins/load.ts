import { registerEngines } from '../../engines/index.ts'
import { MediaprocError } from '../../errors.ts'
import { printableName } from '../../wording.ts'
import { SECTIONS, type Tool } from '../contract.ts'
import { addTools } from '../registry.ts'
import { locatePlugin } from './locate.ts'
import { readPlugin } from './read-module.ts'
import { addFormats, type LoadedFormat } from './register-formats.ts'

/** A plugin that this process uses, or why it does not. */
export interface LoadedPlugin {
  name: string
  path: string
  /** Full names of its tools: `image/games.soften`. */
  tools: readonly string[]
  /** Its picture formats. */
  formats: readonly LoadedFormat[]
  error?: MediaprocError
}

const ID = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/
const MEDIUMS = ['image', 'av', 'pdf', 'general']

const loaded = new Map<string, LoadedPlugin>()

/** The plugins that were loaded or could not be, in their order. */
export const loadedPlugins = (): LoadedPlugin[] => [...loaded.values()]

/** What is wrong with a tool, as the rest of a sentence. */
function faultOf(tool: Tool): string | undefined {
  const { id, section, summary, settings, examples, medium, input, output } = tool ?? {}
  if (typeof id !== 'string' || !ID.test(id))
    return `has a tool with the id ${JSON.stringify(id) ?? 'undefined'}, not words in lower case`
  if (!SECTIONS.includes(section)) return `puts ${id} in a section that there is not`
  const isWhole = [settings, input, output].every((part) => typeof part === 'object' && part !== null)
  if (!isWhole || !MEDIUMS.includes(medium) || !Array.isArray(examples) || typeof summary !== 'string')
    return `has a tool ${id} that was not made with imageTool, avTool, pdfTool or tool of mediaproc/tool`
  return undefined
}

async function load(path: string): Promise<LoadedPlugin> {
  let name = path
  try {
    const place = locatePlugin(path, '.')
    const { name: own = place.name, tools = [], engines = [], formats = [] } = await readPlugin(place)
    name = own
    if (!ID.test(name)) throw new Error(`its name ${JSON.stringify(name)} is not words in lower case`)
    const [fault] = tools.flatMap((tool) => faultOf(tool) ?? [])
    if (fault !== undefined) throw new Error(`it ${fault}`)
    const named = tools.map((tool): Tool => ({ ...tool, id: `${name}.${tool.id}` }))
    addTools(named, name)
    registerEngines(engines)
    const added = addFormats(formats, name, path)
    return { name, path: place.path, tools: named.map(({ section, id }) => `${section}/${id}`), formats: added }
  } catch (cause) {
    const known = cause instanceof MediaprocError ? cause : undefined
    const [reason] = String((cause as Error | undefined)?.message ?? cause).split('\n')
    const error =
      known ??
      new MediaprocError('INVALID_PLUGIN', `The plugin ${printableName(path)} cannot be used: ${reason}`, {
        ...{ cause, detail: (cause as Error | undefined)?.stack },
      })
    return { name, path, tools: [], formats: [], error }
  }
}

/**
 * Loads plugins, whose tools and formats become like all others; each is loaded once. One that cannot be used has an error, and changes
 * nothing else.
 * @param paths absolute paths of folders or modules
 */
export async function loadPlugins(paths: readonly string[]): Promise<LoadedPlugin[]> {
  // One after the other: the same order gives the same conflicts.
  for (const path of paths) if (!loaded.has(path)) loaded.set(path, await load(path))
  return paths.flatMap((path) => loaded.get(path) ?? [])
}
