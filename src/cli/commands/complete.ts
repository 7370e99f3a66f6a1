import { EXIT, type ExitCode } from '../../errors.ts'
import { lastOf } from '../../lists.ts'
import { conversionTypes, reachable } from '../../local/convert-routes.ts'
import { extensionOf } from '../../media/file.ts'
import { typeOfName } from '../../media/type.ts'
import { type FoundTool, findTool } from '../../pipeline/read/find-tool.ts'
import { SECTIONS } from '../../tool/contract.ts'
import { catalogue } from '../../tool/registry.ts'
import { VISIBLE_COMMANDS } from '../commands.ts'
import { COMMON_OPTIONS } from '../input/common-options.ts'
import { type Flag, toolFlags } from '../input/flags.ts'
import type { Io } from '../output/io.ts'
import { HELP_TOPICS } from './help.ts'

function targetOf(section: string, name: string): FoundTool | undefined {
  try {
    return findTool(name, section)
  } catch {
    // An incomplete name.
    return undefined
  }
}

const isSection = (word: string): boolean => (SECTIONS as readonly string[]).includes(word)

function afterTool(found: FoundTool, words: readonly string[]): string[] {
  const { settings, input } = found.entry
  const flags = toolFlags(settings, input.secondary ?? {}, COMMON_OPTIONS)
  const find = (word: string | undefined): Flag | undefined =>
    flags.find(({ long, short }) => `--${long}` === word || (short !== undefined && `-${short}` === word))
  const before = find(words.at(-2))
  if (before?.takesValue)
    return before.sets.kind === 'setting' ? (settings[before.sets.name]!.enum ?? []).map(String) : []
  return lastOf(words).startsWith('-') ? flags.filter(({ visible }) => visible).map(({ long }) => `--${long}`) : []
}

/** The target types common to all inputs of `convert`; without inputs, all target types. */
function afterConvert(words: readonly string[]): string[] {
  if (words.at(-2) !== '--to') return lastOf(words).startsWith('-') ? ['--to'] : []
  const ends = words
    .slice(1, -2)
    .filter((word) => !word.startsWith('-') && typeOfName(word))
    .map((word) => reachable(extensionOf(word)))
  return conversionTypes().to.filter((end) => ends.every((known) => known.includes(end)))
}

/** Completions for the last of `words`; none if a file name is expected. */
export function completions(words: readonly string[]): string[] {
  const [first = '', second = ''] = words
  const last = words.at(-1) ?? ''
  let candidates: string[] = []
  if (words.length <= 1) candidates = [...SECTIONS, ...VISIBLE_COMMANDS]
  else if (isSection(first) && words.length === 2) {
    candidates = catalogue()
      .filter(({ section }) => section === first)
      .flatMap(({ id, actions }) => [id, ...actions.map((action) => `${id}/${action.id}`)])
  } else if (isSection(first)) {
    const found = targetOf(first, second)
    candidates = found ? afterTool(found, words) : []
  } else if (first === 'tools' && words.length === 2) candidates = [...SECTIONS, '--json']
  else if (first === 'convert') candidates = afterConvert(words)
  else if (first === 'completion' && words.length === 2) candidates = ['bash', 'zsh', 'fish']
  else if (first === 'help' && words.length === 2) candidates = [...HELP_TOPICS, ...SECTIONS]
  else if (['search', 'doctor', 'config'].includes(first) && words.length === 2) candidates = ['--json']
  return candidates.filter((word) => word.startsWith(last))
}

/** `mediaproc __complete WORD…`: for shells without a completion file; the last word is the one being typed. */
export async function completeCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  for (const word of completions(args)) io.out(`${word}\n`)
  return EXIT.ok
}
