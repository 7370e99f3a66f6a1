import { delimiter } from 'node:path'
import { environmentPlugins } from '../tool/plugins/from-environment.ts'
import { type LoadedPlugin, loadPlugins } from '../tool/plugins/load.ts'
import { locatePlugin } from '../tool/plugins/locate.ts'

/**
 * Adds the tools of plugins for the rest of the process: they are called by `run` like all others.
 * @param names paths of folders or modules, or names of npm packages, from the current folder
 * @throws MediaprocError INVALID_PLUGIN for the first that cannot be used
 */
export async function usePlugins(names: readonly string[]): Promise<LoadedPlugin[]> {
  const paths = names.map((name) => locatePlugin(name, '.').path)
  const plugins = await loadPlugins(paths)
  for (const { error } of plugins) if (error) throw error
  // For the threads that run steps of engines that block.
  process.env.MEDIAPROC_PLUGINS = [...new Set([...environmentPlugins(), ...paths])].join(delimiter)
  return plugins
}
