import { existsSync, readFileSync } from 'node:fs'
import { Command, CommanderError, Option } from 'commander'
import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { firstOf, lastOf } from '../../lists.ts'
import { printableName } from '../../media/file.ts'
import { kebabCase, type SettingsTable } from '../../tool/settings.ts'
import { nearest } from '../../tool/validate.ts'
import { truthOf } from '../../tool/values/values.ts'
import { either } from '../../wording.ts'
import type { CommonOption, CommonValues } from './common-options.ts'
import { type Flag, toolFlags } from './flags.ts'

/** Shorter words match too many options, and more suggestions than these do not help. */
const [MIN_WORD_LENGTH, MAX_SUGGESTIONS] = [3, 3]

/** A parsed command line; settings are unchecked. */
export interface Parsed {
  operands: string[]
  /** By the setting's own name: text, true or false, or a list if a flag was repeated. */
  settings: Record<string, unknown>
  /** Secondary inputs by name, as given. */
  secondary: Record<string, string>
  common: CommonValues
  /** The output was given in a way that does not replace existing files. */
  keepExisting?: boolean
}

/** A list setting accepts commas, JSON, or a repeated flag. */
function addToList(before: unknown, text: string, itemsAreObjects: boolean): unknown[] {
  const parts = (value: string): unknown[] => {
    if (value.trim().startsWith('[')) {
      try {
        const parsed: unknown = JSON.parse(value)
        if (Array.isArray(parsed)) return parsed
      } catch {
        // Not JSON: plain text.
      }
    }
    if (itemsAreObjects) return [value]
    return value === '' ? [] : value.split(',').map((item) => item.trim())
  }
  return [...(Array.isArray(before) ? before : []), ...parts(text)]
}

function readSecret(path: string, flag: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    const known = toMediaprocError(error)
    throw new MediaprocError(known.code, `The file for --${flag} cannot be read: ${printableName(path)}`, {
      cause: error,
    })
  }
}

function assign(parsed: Parsed, table: SettingsTable, flag: Flag, value: string | undefined): void {
  const { kind, name } = flag.sets
  // One of two passwords would be ignored silently.
  if (table[name]?.secret && kind !== 'common' && parsed.settings[name] !== undefined)
    throw new MediaprocError('USAGE', `Expected one value for --${kebabCase(name)}, got two`, {
      hint: `Give --${kebabCase(name)} or --${kebabCase(name)}-file, once.`,
    })
  if (kind === 'common' && flag.repeats) {
    const before = (parsed.common as Record<string, unknown>)[name]
    Object.assign(parsed.common, { [name]: [...(Array.isArray(before) ? before : []), value] })
  } else if (kind === 'common') Object.assign(parsed.common, { [name]: flag.takesValue ? value : flag.means })
  else if (kind === 'secondary') parsed.secondary[name] = value!
  else if (kind === 'secret-file') parsed.settings[name] = readSecret(value!, flag.long)
  else if (!flag.takesValue) parsed.settings[name] = flag.means
  else if (table[name]!.type === 'array')
    parsed.settings[name] = addToList(parsed.settings[name], value!, table[name]!.items?.type === 'object')
  else parsed.settings[name] = value
}

/** `--progressive=no`: the parser only supports switches without a value. */
function spellSwitches(args: readonly string[], flags: readonly Flag[]): string[] {
  const switches = new Map(flags.filter((flag) => !flag.takesValue).map((flag) => [flag.long, flag]))
  const end = args.indexOf('--')
  return args.map((arg, index) => {
    const match = end >= 0 && index > end ? null : /^--([^=]+)=(.*)$/s.exec(arg)
    const flag = match && switches.get(match[1]!)
    if (!match || !flag) return arg
    const ofWord = flags.find(({ sets, means }) => sets.name === flag.sets.name && means === match[2])
    if (ofWord) return `--${ofWord.long}`
    const words = flags.flatMap(({ sets, means }) =>
      sets.name === flag.sets.name && typeof means === 'string' ? [means] : [],
    )
    if (words.length > 0)
      throw new MediaprocError(
        'USAGE',
        `Expected ${either(words)} after --${match[1]}=, got ${printableName(match[2]!)}`,
        {
          hint: `--${match[1]} alone is --${match[1]}=${words[0]}.`,
        },
      )
    const truth = truthOf(match[2]!)
    if (truth === undefined || (flag.sets.kind === 'common' && !truth))
      throw new MediaprocError('USAGE', `Expected no value for --${match[1]}, got ${printableName(match[2]!)}`, {
        hint: '',
      })
    if (truth) return `--${match[1]}`
    return flag.means ? `--no-${match[1]}` : `--${match[1]!.replace(/^no-/, '')}`
  })
}

/** Did-you-mean suggestions: a typo, otherwise options that contain the word, as `--user-password` for `--password`. */
function meantOptions(name: string, flags: readonly Flag[]): string[] {
  const names = flags.filter((flag) => flag.visible).map((flag) => flag.long)
  const near = nearest(name, names)
  if (near) return [near]
  const words = name.split('-').filter((word) => word.length >= MIN_WORD_LENGTH)
  return names.filter((own) => own.split('-').some((word) => words.includes(word))).slice(0, MAX_SUGGESTIONS)
}

function unknownOption(arg: string, flags: readonly Flag[], helpLine: string): MediaprocError {
  const given = arg.startsWith('--') ? arg.replace(/=.*$/s, '') : arg
  const meant = given.startsWith('--') ? meantOptions(given.slice(2), flags).map((name) => `--${name}`) : []
  return new MediaprocError('USAGE', `There is no option ${printableName(given)}`, {
    hint:
      meant.length > 0
        ? `Did you mean ${either(meant)}?`
        : `${helpLine} lists the options; a file of this name goes after --`,
  })
}

/** `-q 50` as in other programs: here it is --quiet, and 50 would be treated as a file. */
function refuseQuietValue(args: readonly string[], flags: readonly Flag[]): void {
  const value = args[args.indexOf('-q') + 1]
  if (!args.includes('-q') || value === undefined || !/^\d+(\.\d+)?%?$/.test(value) || existsSync(value)) return
  const quality = flags.find(({ short }) => short === 'Q')
  throw new MediaprocError('USAGE', `-q is --quiet and takes no value, got ${value}`, {
    hint: quality ? `Did you mean -Q ${value}, --${quality.long}?` : 'Leave the value out.',
  })
}

/**
 * Parses a command line with a list of flags. Values are not checked here, but by `inspectSettings` for all interfaces.
 * @param helpLine the command that prints the help, for hints
 * @throws MediaprocError USAGE for an unknown option or one without its value
 */
export function parseArguments(
  args: readonly string[],
  table: SettingsTable,
  flags: readonly Flag[],
  helpLine: string,
): Parsed {
  const parsed: Parsed = { operands: [], settings: {}, secondary: {}, common: {} }
  const command = new Command()
    .exitOverride()
    .configureOutput({ writeErr: () => {}, writeOut: () => {} })
    .helpOption(false)
  for (const flag of flags) {
    const names = `${flag.short ? `-${flag.short}, ` : ''}--${flag.long}`
    command.addOption(new Option(flag.takesValue ? `${names} <value>` : names))
    command.on(`option:${flag.long}`, (value?: string) => assign(parsed, table, flag, value))
  }
  const spelled = spellSwitches(args, flags)
  try {
    const { operands, unknown } = command.parseOptions(spelled)
    if (unknown.length > 0) throw unknownOption(firstOf(unknown), flags, helpLine)
    refuseQuietValue(args, flags)
    return { ...parsed, operands }
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    // Only an option at the end has no value: any argument after it would be its value.
    const last = lastOf(spelled)
    const named = flags.find(({ short }) => !last.startsWith('--') && short === last.slice(-1))
    const option = named?.visible ? `--${named.long}` : last
    throw new MediaprocError('USAGE', `Expected a value for ${option}, got nothing`, {
      hint: `${helpLine} lists the options.`,
    })
  }
}

/** Parses the arguments of a command without tool settings. @throws MediaprocError USAGE */
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
