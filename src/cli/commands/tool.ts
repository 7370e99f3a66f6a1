import { EXIT, type ExitCode } from '../../errors.ts'
import { findTool } from '../../pipeline/read/find-tool.ts'
import { COMMON_OPTIONS } from '../input/common-options.ts'
import { toolFlags } from '../input/flags.ts'
import { parseArguments } from '../input/parse.ts'
import type { Io } from '../output/io.ts'
import { asksForHelp } from '../usage.ts'

/** `mediaproc <section> <tool>[/<action>] FILES… [--setting value…]` */
export async function toolCommand(
  section: string | undefined,
  name: string,
  args: readonly string[],
  io: Io,
): Promise<ExitCode> {
  const found = findTool(name, section)
  const { entry } = found
  const fullName = `${entry.section} ${entry.id}`
  if (asksForHelp(args)) {
    const { toolHelp } = await import('../help.ts')
    io.out(toolHelp(entry, io.width))
    return EXIT.ok
  }
  const flags = toolFlags(entry.settings, entry.input.secondary ?? {}, COMMON_OPTIONS)
  const parsed = parseArguments(args, entry.settings, flags, `mediaproc ${fullName} --help`)
  const { execute } = await import('../execute.ts')
  return execute(found, parsed, io)
}
