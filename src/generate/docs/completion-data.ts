import { HELP_TOPICS } from '../../cli/commands/help.ts'
import { COMMANDS, type Command, VISIBLE_COMMANDS } from '../../cli/commands.ts'
import { COMMON_OPTIONS, type CommonOption, PIPELINE_OPTIONS } from '../../cli/input/common-options.ts'
import { toolFlags } from '../../cli/input/flags.ts'
import { conversionTypes } from '../../local/convert-routes.ts'
import type { CatalogueEntry } from '../../tool/catalogue.ts'
import { conditionText } from '../../tool/condition.ts'
import { SECTIONS } from '../../tool/contract.ts'
import { kebabCase, type Setting, type SettingsTable } from '../../tool/settings.ts'
import { flagSpelling } from '../../tool/validate.ts'

/** One option as the completion of a shell needs it. */
export interface CompletionOption {
  /** With its dashes. */
  long: string
  short?: string
  takes: 'nothing' | 'value' | 'file' | 'folder'
  /** The words that the value can be; none where it is free. */
  values: readonly string[]
  help: string
}

/** Tools that have the same options, such as the presets of one tool. */
export interface CompletionTools {
  /** `image/resize`, `image/strip-metadata/inspect`. */
  names: readonly string[]
  options: readonly CompletionOption[]
  /** Long names of common options that mean something else here. */
  claimed: readonly string[]
}

export interface CompletionCommand {
  name: string
  summary: string
  /** What its first operand can be; none where that is free. */
  words: readonly string[]
  options: readonly CompletionOption[]
  /** Operands are files, and the common options apply. */
  files: boolean
}

export interface CompletionData {
  /** By section: names of tools and actions with their summaries. */
  sections: readonly { name: string; tools: readonly { name: string; summary: string }[] }[]
  tools: readonly CompletionTools[]
  commands: readonly CompletionCommand[]
  common: readonly CompletionOption[]
}

/** A value that would need quoting in some shell is not offered. */
const PLAIN = /^[\w.:+%/-]+$/

const plainWords = (row: Setting): string[] =>
  (row.enum ?? row.items?.enum ?? []).map(String).filter((word) => PLAIN.test(word))

function commonOption({ long, short, value, help }: CommonOption): CompletionOption {
  return {
    long: `--${long}`,
    ...(short && { short: `-${short}` }),
    takes: value === undefined ? 'nothing' : value === 'FILE' ? 'file' : value === 'DIR' ? 'folder' : 'value',
    values: [],
    help,
  }
}

function settingOptions(name: string, row: Setting): CompletionOption[] {
  const flag = kebabCase(name)
  const help = row.when ? `${row.help} (only with ${conditionText(row.when, flagSpelling)})` : row.help
  const short = row.short === undefined ? {} : { short: `-${row.short}` }
  if (row.type === 'boolean') {
    const on: CompletionOption = { long: `--${flag}`, ...short, takes: 'nothing', values: [], help }
    const off: CompletionOption = { long: `--no-${flag}`, takes: 'nothing', values: [], help: `not: ${help}` }
    return row.default === true ? [on, off] : [on]
  }
  const given: CompletionOption = { long: `--${flag}`, ...short, takes: 'value', values: plainWords(row), help }
  if (!row.secret) return [given]
  return [given, { long: `--${flag}-file`, takes: 'file', values: [], help: `${help}, from a file` }]
}

type OptionSource = Pick<CatalogueEntry, 'settings' | 'input'>

function toolOptions({ settings, input }: OptionSource): CompletionOption[] {
  const rows = Object.entries(settings).filter(([, row]) => row.deprecated === undefined)
  const further = Object.entries(input.secondary ?? {}).map(
    ([name, { what }]): CompletionOption => ({ long: `--${kebabCase(name)}`, takes: 'file', values: [], help: what }),
  )
  return [...rows.flatMap(([name, row]) => settingOptions(name, row)), ...further]
}

/** Names of common options that the parser gives to a setting of this tool. */
function claimedNames({ settings, input }: OptionSource): string[] {
  const flags = toolFlags(settings, input.secondary ?? {}, COMMON_OPTIONS)
  return Object.values(COMMON_OPTIONS)
    .map(({ long }) => long)
    .filter((long) => flags.find((flag) => flag.long === long)?.sets.kind !== 'common')
    .map((long) => `--${long}`)
}

function groupTools(entries: readonly CatalogueEntry[]): CompletionTools[] {
  const groups = new Map<string, CompletionTools & { names: string[] }>()
  const targets = entries.flatMap((entry) => [
    { name: `${entry.section}/${entry.id}`, target: entry as OptionSource },
    ...entry.actions.map((action) => ({ name: `${entry.section}/${entry.id}/${action.id}`, target: action })),
  ])
  for (const { name, target } of targets) {
    const options = toolOptions(target)
    if (options.length === 0) continue
    const key = JSON.stringify(options)
    const group = groups.get(key)
    if (group) group.names.push(name)
    else groups.set(key, { names: [name], options, claimed: claimedNames(target) })
  }
  return [...groups.values()]
}

/** What `usage` says in capitals, as words. */
const OPERANDS: Readonly<Record<string, readonly string[]>> = {
  SECTION: SECTIONS,
  TOPIC: [...HELP_TOPICS, ...SECTIONS, ...VISIBLE_COMMANDS],
}

/** Options of a command's own table; switches without a default have two spellings. */
function tableOptions(table: SettingsTable): CompletionOption[] {
  return Object.entries(table).flatMap(([name, row]) =>
    settingOptions(name, row.type === 'boolean' && row.default === undefined ? { ...row, default: true } : row),
  )
}

/** What can follow a command is read from its usage line: `[SECTION] [--json]`, `bash | zsh | fish`, `--to EXT`. */
function commandOf(name: string, { usage, summary, table, common }: Command): CompletionCommand {
  const named = [...usage.matchAll(/--([a-z-]+)(?: ([A-Z]+))?/g)].map(([, long, value]) => {
    const known = Object.values({ ...COMMON_OPTIONS, ...PIPELINE_OPTIONS }).find((option) => option.long === long)
    const option = commonOption(known ?? { long: long!, value, help: summary })
    return value === 'EXT' ? { ...option, values: conversionTypes().to } : option
  })
  const options = common && table ? [...tableOptions(table), ...Object.values(common).map(commonOption)] : named
  const operands = usage.replace(/--[a-z-]+(?: [A-Z]+)?/g, '')
  const words = [...operands.matchAll(/[A-Z]{3,}|[a-z][a-z-]+/g)].flatMap(([word]) => OPERANDS[word] ?? [word])
  return {
    name,
    summary,
    words: words.filter((word) => /^[a-z]/.test(word)),
    options,
    files: /FILE|\bIN\b/.test(operands),
  }
}

/** Everything that completion files are made from. */
export function completionData(entries: readonly CatalogueEntry[]): CompletionData {
  return {
    sections: SECTIONS.map((name) => ({
      name,
      tools: entries
        .filter((entry) => entry.section === name)
        .flatMap(({ id, summary, actions }) => [
          { name: id, summary },
          ...actions.map((action) => ({ name: `${id}/${action.id}`, summary: action.summary })),
        ]),
    })),
    tools: groupTools(entries),
    commands: Object.entries(COMMANDS)
      .filter(([, { hidden }]) => !hidden)
      .map(([name, command]) => commandOf(name, command)),
    common: Object.values(COMMON_OPTIONS).map(commonOption),
  }
}
