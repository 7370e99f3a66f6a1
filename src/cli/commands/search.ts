import { EXIT, type ExitCode, MediaprocError } from '../../errors.ts'
import { printableName } from '../../media/file.ts'
import { publicEntry } from '../../tool/catalogue.ts'
import { catalogue } from '../../tool/registry.ts'
import { searchTools } from '../../tool/search.ts'
import { flagSpelling } from '../../tool/validate.ts'
import { COMMON_OPTIONS } from '../common-options.ts'
import type { Io } from '../io.ts'
import { parseCommand } from '../parse.ts'
import { twoColumns } from '../text.ts'

/** `mediaproc search TEXT… [--json]`: tools and presets by words of their ids, summaries and settings. */
export async function searchCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const { operands, common } = parseCommand('search', args, { json: COMMON_OPTIONS.json }, Number.POSITIVE_INFINITY)
  const text = operands.join(' ')
  if (text.trim() === '')
    throw new MediaprocError('USAGE', 'Expected words to search for, got nothing', {
      hint: 'Such as: mediaproc search merge',
    })
  const found = searchTools(text, catalogue())
  if (found.length === 0)
    throw new MediaprocError('UNKNOWN_TOOL', `No tool has to do with ${printableName(text)}`, {
      hint: 'mediaproc tools lists all tools.',
    })
  if (common.json)
    io.out(
      `${JSON.stringify(
        found.map(({ entry }) => publicEntry(entry)),
        null,
        2,
      )}\n`,
    )
  else
    io.out(
      twoColumns(
        found.map(({ entry, settings }): [string, string] => [
          `${entry.section} ${entry.id}`,
          settings.length > 0 ? `${entry.summary} (${settings.map(flagSpelling).join(', ')})` : entry.summary,
        ]),
        io.width,
      ),
    )
  return EXIT.ok
}
