import { readdir } from 'node:fs/promises'
import { register } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { registerEngines } from '../../engines/index.ts'
import { MediaprocError } from '../../errors.ts'
import { builtFile } from '../../root.ts'
import { printableName } from '../../wording.ts'
import { SECTIONS, type Tool } from '../contract.ts'
import { addTools } from '../registry.ts'
import type { Plugin } from './contract.ts'
import { locatePlugin, type PluginPlace } from './locate.ts'

/** A plugin that this process uses, or why it does not. */
export interface LoadedPlugin {
  name: string
  path: string
  /** Full names of its tools: `image/games.soften`. */
  tools: readonly string[]
  error?: MediaprocError
}

const ID = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/
const MEDIUMS = ['image', 'av', 'pdf', 'general']

const loaded = new Map<string, LoadedPlugin>()
let isMapped = false

/** The plugins that were loaded or could not be, in their order. */
export const loadedPlugins = (): LoadedPlugin[] => [...loaded.values()]

/**
 * Plugins import `mediaproc/tool` from this program, wherever they are: a second copy would have its own errors and engines.
 */
function mapOwnModules(): void {
  if (isMapped) return
  isMapped = true
  const own = {
    mediaproc: builtFile('src/index.js').href,
    'mediaproc/tool': builtFile('src/tool/plugins/contract.js').href,
    'mediaproc/test': builtFile('src/library/promise-tests.js').href,
  }
  const hooks = `const own = ${JSON.stringify(own)}
    export const resolve = (name, context, next) =>
      Object.hasOwn(own, name) ? { url: own[name], shortCircuit: true } : next(name, context)`
  register(`data:text/javascript,${encodeURIComponent(hooks)}`)
}

const importDefault = async (path: string): Promise<unknown> =>
  ((await import(pathToFileURL(path).href)) as { default?: unknown }).default

/** What a place exports: a plugin, or the tools of the modules in a folder. */
async function declarationOf({ path, entry }: PluginPlace): Promise<Plugin> {
  if (entry !== undefined) {
    const given = await importDefault(entry)
    const isPlugin = typeof given === 'object' && given !== null && Array.isArray((given as Plugin).tools)
    if (!isPlugin) throw new Error('its default export is not { tools: […] }')
    return given as Plugin
  }
  const names = (await readdir(path)).filter((name) => /^[^_.].*\.m?js$/.test(name)).sort()
  if (names.length === 0) throw new Error('the folder has no modules (.js, .mjs)')
  const modules = names.map(async (name) => {
    const one = await importDefault(join(path, name))
    if (typeof one !== 'object' || one === null) throw new Error(`${name} exports no tool by default`)
    return one as Tool
  })
  return { tools: await Promise.all(modules) }
}

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
    mapOwnModules()
    const { name: own = place.name, tools, engines = [] } = await declarationOf(place)
    name = own
    if (!ID.test(name)) throw new Error(`its name ${JSON.stringify(name)} is not words in lower case`)
    const [fault] = tools.flatMap((tool) => faultOf(tool) ?? [])
    if (fault !== undefined) throw new Error(`it ${fault}`)
    const named = tools.map((tool): Tool => ({ ...tool, id: `${name}.${tool.id}` }))
    addTools(named, name)
    registerEngines(engines)
    return { name, path: place.path, tools: named.map(({ section, id }) => `${section}/${id}`) }
  } catch (cause) {
    const known = cause instanceof MediaprocError ? cause : undefined
    const [reason] = String((cause as Error | undefined)?.message ?? cause).split('\n')
    const error =
      known ??
      new MediaprocError('INVALID_PLUGIN', `The plugin ${printableName(path)} cannot be used: ${reason}`, {
        ...{ cause, detail: (cause as Error | undefined)?.stack },
      })
    return { name, path, tools: [], error }
  }
}

/**
 * Loads plugins, which become tools like all others; each is loaded once. One that cannot be used has an error, and changes
 * nothing else.
 * @param paths absolute paths of folders or modules
 */
export async function loadPlugins(paths: readonly string[]): Promise<LoadedPlugin[]> {
  // One after the other: the same order gives the same conflicts.
  for (const path of paths) if (!loaded.has(path)) loaded.set(path, await load(path))
  return paths.flatMap((path) => loaded.get(path) ?? [])
}
