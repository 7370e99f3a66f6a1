import { MediaprocError } from '../../errors.ts'
import { printableName } from '../../media/file.ts'
import type { SettingsOf, SettingsTable } from '../../tool/settings.ts'
import { checkSettings, flagSpelling } from '../../tool/validate.ts'
import type { CommonOption, CommonValues } from './common-options.ts'
import { toolFlags } from './flags.ts'
import { parseArguments } from './parse.ts'

/**
 * Parses the arguments of a command with its own options, which are checked like the settings of a tool.
 * @param options options shared with other commands
 * @throws MediaprocError USAGE, INVALID_SETTINGS
 */
export function parseOwnOptions<Table extends SettingsTable>(
  name: string,
  args: readonly string[],
  table: Table,
  mostOperands: number,
  options: Readonly<Record<string, CommonOption>> = {},
): { operands: string[]; values: SettingsOf<Table>; common: CommonValues } {
  const flags = toolFlags(table, {}, options)
  const { operands, settings, common } = parseArguments(args, table, flags, `mediaproc ${name} --help`)
  if (operands.length > mostOperands)
    throw new MediaprocError('USAGE', `mediaproc ${name} does not take ${printableName(operands[mostOperands]!)}`, {
      hint: `mediaproc ${name} --help shows how it is used.`,
    })
  return { operands, values: checkSettings(table, settings, flagSpelling) as SettingsOf<Table>, common }
}
