import { delimiter, dirname } from 'node:path'
import { MediaprocError } from '../../errors.ts'
import { printableName } from '../../media/file.ts'
import { environmentPlugins } from '../../tool/plugins/from-environment.ts'
import { loadPlugins } from '../../tool/plugins/load.ts'
import { locatePlugin } from '../../tool/plugins/locate.ts'
import { onDetectFault } from '../../tool/plugins/register-formats.ts'
import { configuredPlugins } from '../input/config.ts'
import type { Io } from '../output/io.ts'
import { isTrusted, trust } from './trust.ts'

/** The values of --plugin, and the arguments without them. Words after `--` are operands. */
export function separatePlugins(args: readonly string[]): { args: string[]; named: string[] } {
  const rest: string[] = []
  const named: string[] = []
  const end = args.includes('--') ? args.indexOf('--') : args.length
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? ''
    if (index < end && arg.startsWith('--plugin=')) named.push(arg.slice('--plugin='.length))
    else if (index < end && arg === '--plugin') {
      index += 1
      named.push(args[index] ?? '')
    } else rest.push(arg)
  }
  if (named.includes('')) throw new MediaprocError('USAGE', 'Expected a folder or package for --plugin, got nothing')
  return { args: rest, named }
}

/**
 * The plugins of the configuration. A file that is found, not named with --config, must be trusted once: plugins are code, and
 * the current folder may be another person's.
 */
async function fromConfiguration(io: Io, config: string | undefined): Promise<string[]> {
  const { path, plugins } = await configuredPlugins('.', config)
  if (path === undefined || plugins.length === 0) return []
  const isAllowed = config !== undefined || isTrusted(path, plugins) || (await askForTrust(io, path, plugins))
  if (isAllowed) return pathsOf(path, plugins)
  io.err(`mediaproc: warning: the plugins of ${printableName(path)} are not used, as they are code\n`)
  io.err('  Trust them once with: mediaproc plugins trust\n')
  return []
}

const pathsOf = (config: string, plugins: readonly string[]): string[] =>
  plugins.map((name) => locatePlugin(name, dirname(config)).path)

/** Loads the plugins of a configuration that may be used. */
export const loadConfigured = (config: string, plugins: readonly string[]) => loadPlugins(pathsOf(config, plugins))

async function askForTrust(io: Io, path: string, plugins: readonly string[]): Promise<boolean> {
  if (!io.stdinIsTerminal || !io.stderrIsTerminal) return false
  const { confirm } = await import('@inquirer/prompts')
  const message = `${printableName(path)} names plugins, which run as code: ${plugins.map(printableName).join(', ')}. Trust them?`
  const answer = await confirm({ message, default: false }, { output: io.stderr }).catch(() => false)
  if (answer) await trust(path, plugins)
  return answer
}

/**
 * Loads the plugins of a command: those of MEDIAPROC_PLUGINS, --plugin and the configuration. One that cannot be used is a
 * warning; `serve` refuses it, and uses none of the configuration.
 */
export async function usePlugins(io: Io, named: readonly string[], args: readonly string[]): Promise<void> {
  const isServer = args[0] === 'serve'
  const config = args
    .flatMap((arg, index) => (arg === '--config' ? (args[index + 1] ?? []) : (arg.match(/^--config=(.+)/)?.[1] ?? [])))
    .at(-1)
  const isManagement = args[0] === 'plugins'
  const configured = isServer || isManagement ? [] : await fromConfiguration(io, config)
  const own = [...environmentPlugins(), ...named].map((name) => locatePlugin(name, '.').path)
  const paths = [...new Set([...own, ...configured])]
  if (paths.length === 0) return
  onDetectFault((message) => io.err(`mediaproc: warning: ${message}\n`))
  const plugins = await loadPlugins(paths)
  for (const { error } of plugins) {
    if (!error) continue
    if (isServer) throw error
    if (!isManagement) io.err(`mediaproc: warning: ${error.message}\n`)
  }
  // For the threads and processes of this program.
  process.env.MEDIAPROC_PLUGINS = paths.join(delimiter)
}
