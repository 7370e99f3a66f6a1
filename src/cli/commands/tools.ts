import { EXIT, type ExitCode, MediaprocError } from '../../errors.ts'
import { publicEntry } from '../../tool/catalogue.ts'
import { SECTIONS } from '../../tool/contract.ts'
import { catalogue } from '../../tool/registry.ts'
import { nearest } from '../../tool/validate.ts'
import { COMMON_OPTIONS } from '../input/common-options.ts'
import { parseCommand } from '../input/parse.ts'
import type { Io } from '../output/io.ts'
import { twoColumns } from '../output/text.ts'

/** `mediaproc tools [SECTION] [--json]` */
export async function toolsCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const { operands, common } = parseCommand('tools', args, { json: COMMON_OPTIONS.json }, 1)
  const [section] = operands
  if (section !== undefined && !(SECTIONS as readonly string[]).includes(section)) {
    const near = nearest(section, SECTIONS)
    throw new MediaprocError('USAGE', `There is no section ${section}`, {
      hint: near ? `Did you mean ${near}?` : `Sections are ${SECTIONS.join(', ')}.`,
    })
  }
  const entries = catalogue().filter((entry) => section === undefined || entry.section === section)
  if (common.json) {
    io.out(`${JSON.stringify(entries.map(publicEntry), null, 2)}\n`)
    return EXIT.ok
  }
  const { bold } = io.outColours
  for (const name of SECTIONS) {
    const own = entries.filter((entry) => entry.section === name)
    if (own.length === 0) continue
    const list = (presets: boolean): string =>
      twoColumns(
        own
          .filter((entry) => (entry.base !== undefined) === presets)
          .map((entry): [string, string] => [entry.id, entry.summary]),
        io.width,
      )
    io.out(`${bold(`mediaproc ${name}`)}\n${list(false)}`)
    if (own.some((entry) => entry.base !== undefined)) io.out(`${bold(`mediaproc ${name}: presets`)}\n${list(true)}`)
  }
  return EXIT.ok
}
