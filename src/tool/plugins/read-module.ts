/** Imports what a plugin exports. Also used by the threads that only run its formats. */
import { readdir } from 'node:fs/promises'
import { register } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { builtFile } from '../../root.ts'
import type { Tool } from '../contract.ts'
import type { Plugin } from './contract.ts'
import { isFormat } from './format.ts'
import type { PluginPlace } from './locate.ts'

let isMapped = false

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

/** What a place exports: a plugin, or the tools and formats of the modules in a folder. */
export async function readPlugin({ path, entry }: PluginPlace): Promise<Plugin> {
  mapOwnModules()
  if (entry !== undefined) {
    const given = (await importDefault(entry)) as Partial<Plugin> | null | undefined
    const isPlugin = typeof given === 'object' && (Array.isArray(given?.tools) || Array.isArray(given?.formats))
    if (!isPlugin) throw new Error('its default export is not { tools: […] } or { formats: […] }')
    return given as Plugin
  }
  const names = (await readdir(path)).filter((name) => /^[^_.].*\.m?js$/.test(name)).sort()
  if (names.length === 0) throw new Error('the folder has no modules (.js, .mjs)')
  const modules = names.map(async (name) => {
    const one = await importDefault(join(path, name))
    if (typeof one !== 'object' || one === null) throw new Error(`${name} exports no tool or format by default`)
    return one
  })
  const all = await Promise.all(modules)
  return { tools: all.filter((one) => !isFormat(one)) as Tool[], formats: all.filter(isFormat) }
}
