import { MediaprocError } from '../errors.ts'
import { printableName } from '../media/file.ts'
import type { CommonOption, CommonValues } from './common-options.ts'
import { toolFlags } from './flags.ts'
import { parseArguments } from './parse.ts'

/** Whether -h or --help stands among the options: it wins over everything else. */
export function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return args.slice(0, end < 0 ? undefined : end).some((arg) => arg === '--help' || arg === '-h')
}

/** Takes apart the line of a command without tool settings. @throws MediaprocError USAGE */
export function parseCommand(
  name: string,
  args: readonly string[],
  options: Readonly<Record<string, CommonOption>>,
  mostOperands: number,
): { operands: string[]; common: CommonValues } {
  const { operands, common } = parseArguments(args, {}, toolFlags({}, {}, options), `mediaproc ${name} --help`)
  if (operands.length > mostOperands)
    throw new MediaprocError('USAGE', `mediaproc ${name} does not take ${printableName(operands[mostOperands]!)}`, {
      hint: `mediaproc ${name} --help shows how it is used.`,
    })
  return { operands, common }
}
