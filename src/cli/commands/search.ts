import { EXIT, type ExitCode, MediaprocError } from '../../errors.ts'
import { printableName } from '../../media/file.ts'
import { publicEntry } from '../../tool/catalogue.ts'
import { catalogue } from '../../tool/registry.ts'
import { correctedSearch, searchTools } from '../../tool/search.ts'
import { flagSpelling } from '../../tool/validate.ts'
import { COMMON_OPTIONS } from '../input/common-options.ts'
import { parseCommand } from '../input/parse.ts'
import type { Io } from '../output/io.ts'
import { twoColumns } from '../output/text.ts'

/** `mediaproc search TEXT… [--json]`: finds tools and presets by words in their ids, summaries and settings. */
export async function searchCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const { operands, common } = parseCommand('search', args, { json: COMMON_OPTIONS.json }, Number.POSITIVE_INFINITY)
  const text = operands.join(' ')
  if (text.trim() === '')
    throw new MediaprocError('USAGE', 'Expected words to search for, got nothing', {
      hint: 'Such as: mediaproc search merge',
    })
  const entries = catalogue()
  let found = searchTools(text, entries)
  const corrected = found.length === 0 ? correctedSearch(text, entries) : undefined
  if (corrected !== undefined) found = searchTools(corrected, entries)
  if (found.length === 0)
    throw new MediaprocError('UNKNOWN_TOOL', `No tool matches ${printableName(text)}`, {
      hint: 'mediaproc tools lists all tools.',
    })
  if (corrected !== undefined)
    io.err(`mediaproc: no tool matches ${printableName(text)}; showing results for ${corrected}\n`)
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
