import { EXIT, type ExitCode } from '../../errors.ts'
import { findTool } from '../../pipeline/find-tool.ts'
import { COMMON_OPTIONS } from '../common-options.ts'
import { execute } from '../execute.ts'
import { toolFlags } from '../flags.ts'
import type { Io } from '../io.ts'
import { parseArguments } from '../parse.ts'
import { asksForHelp } from '../usage.ts'

/** `mediaproc <section> <tool>[/<action>] FILES… [--setting value…]` */
export async function toolCommand(
  section: string | undefined,
  name: string,
  args: readonly string[],
  io: Io,
): Promise<ExitCode> {
  const target = findTool(name, section)
  const { entry } = target
  if (asksForHelp(args)) {
    const { toolHelp } = await import('../help.ts')
    io.out(toolHelp(entry, io.width))
    return EXIT.ok
  }
  const flags = toolFlags(entry.settings, entry.input.secondary ?? {}, COMMON_OPTIONS)
  const parsed = parseArguments(args, entry.settings, flags, `mediaproc ${entry.section} ${entry.id} --help`)
  return execute(target, parsed, io)
}
