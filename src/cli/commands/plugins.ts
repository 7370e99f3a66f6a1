import { EXIT, type ExitCode, MediaprocError } from '../../errors.ts'
import { loadedPlugins } from '../../tool/plugins/load.ts'
import { COMMON_OPTIONS } from '../input/common-options.ts'
import { configuredPlugins } from '../input/config.ts'
import { parseCommand } from '../input/parse.ts'
import type { Io } from '../output/io.ts'
import { table } from '../output/text.ts'
import { distrust, isTrusted, trust } from '../plugins/trust.ts'
import { loadConfigured } from '../plugins/use.ts'

/** `mediaproc plugins [list | trust | distrust]`: the plugins of the configuration, and whether they may run. */
export async function pluginsCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const options = { json: COMMON_OPTIONS.json, config: COMMON_OPTIONS.config }
  const { operands, common } = parseCommand('plugins', args, options, 1)
  const [act = 'list'] = operands
  const { path, plugins } = await configuredPlugins('.', common.config)
  if (act === 'list') {
    const isUsed = path !== undefined && (common.config !== undefined || isTrusted(path, plugins))
    if (path !== undefined && isUsed) await loadConfigured(path, plugins)
    return list(io, common.json === true, isUsed ? [] : plugins)
  }
  if (act !== 'trust' && act !== 'distrust')
    throw new MediaprocError('USAGE', `Expected list, trust or distrust, got ${act}`)
  if (path === undefined || (act === 'trust' && plugins.length === 0))
    throw new MediaprocError('FILE_NOT_FOUND', 'No configuration here names plugins', {
      hint: 'It is a list: plugins: [./tools]',
    })
  await (act === 'trust' ? trust(path, plugins) : distrust(path))
  io.out(`${path}\n`)
  return EXIT.ok
}

function list(io: Io, json: boolean, untrusted: readonly string[]): ExitCode {
  const found = loadedPlugins()
  if (json) {
    const plugins = found.map(({ name, path, tools, formats, error }) => ({
      name,
      path,
      tools,
      formats,
      ...(error && { error: error.toJSON() }),
    }))
    io.out(`${JSON.stringify({ plugins, untrusted }, null, 2)}\n`)
    return EXIT.ok
  }
  const rows = found.map(({ name, path, tools, formats, error }) => [
    name,
    error ? error.message : tools.join(' ') || '-',
    formats.map(({ id }) => id).join(' ') || '-',
    path,
  ])
  for (const name of untrusted) rows.push([name, 'not trusted: mediaproc plugins trust', '-', '-'])
  if (rows.length > 0) io.out(table(['PLUGIN', 'TOOLS', 'FORMATS', 'WHERE'], rows))
  else io.err('mediaproc: no plugins; see docs/plugins.md\n')
  return EXIT.ok
}
