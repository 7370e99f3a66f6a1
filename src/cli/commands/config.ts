import { EXIT, type ExitCode } from '../../errors.ts'
import { COMMON_OPTIONS } from '../input/common-options.ts'
import { findConfigFile, findConfigProgram, loadConfig } from '../input/config.ts'
import { parseCommand } from '../input/parse.ts'
import type { Io } from '../output/io.ts'
import { table } from '../output/text.ts'

/** `mediaproc config [--config FILE] [--json]`: the effective configuration and its sources. */
export async function configCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const { common } = parseCommand('config', args, { json: COMMON_OPTIONS.json, config: COMMON_OPTIONS.config }, 0)
  const { sources, defaults, ...values } = await loadConfig('.', common.config)
  const all: Record<string, unknown> = { ...values, defaults }
  const file = common.config ?? findConfigFile('.') ?? null
  if (common.json) {
    const settings = Object.keys(sources).map((name) => ({ name, value: all[name] ?? null, source: sources[name] }))
    io.out(`${JSON.stringify({ file, settings }, null, 2)}\n`)
    return EXIT.ok
  }
  const shown = (value: unknown): string =>
    value === undefined ? '-' : typeof value === 'string' ? value : JSON.stringify(value)
  io.out(`File: ${file ?? 'none'}\n`)
  const program = findConfigProgram('.')
  if (program !== undefined) io.out(`Not run: ${program} (--config runs it)\n`)
  io.out('\n')
  io.out(
    table(
      ['NAME', 'VALUE', 'FROM'],
      Object.keys(sources).map((name) => [name, shown(all[name]), sources[name]!]),
    ),
  )
  return EXIT.ok
}
