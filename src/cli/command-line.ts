import { shellQuote } from '../shell-quote.ts'
import { kebabCase, type Setting, type SettingsTable } from '../tool/settings.ts'

function flagWords(name: string, value: unknown, row: Setting | undefined, secretFile: SecretFile): string[] {
  const flag = `--${kebabCase(name)}`
  if (typeof value === 'boolean') return [value ? flag : `--no-${kebabCase(name)}`]
  if (row?.secret) return [`${flag}-file`, secretFile(name)]
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object' && !/[,[]|^$/.test(String(item))))
    return [flag, value.join(',')]
  return [flag, typeof value === 'object' ? JSON.stringify(value) : String(value)]
}

/** The name of the file that a secret setting is read from. */
type SecretFile = (setting: string) => string

export interface CommandParts {
  /** `image resize`, or `image edit-metadata/inspect`. */
  tool: string
  inputs: readonly string[]
  settings: Readonly<Record<string, unknown>>
  table: SettingsTable
  secondary?: Readonly<Record<string, string>>
  /** Without it, FILE is a placeholder. */
  secretFile?: SecretFile
}

/** A command as users type it, for help, docs and the picker. Secrets are read from a file. */
export function commandLine({
  tool,
  inputs,
  settings,
  table,
  secondary = {},
  secretFile = () => 'FILE',
}: CommandParts): string {
  const flags = Object.entries(settings).flatMap(([name, value]) =>
    value === undefined ? [] : flagWords(name, value, table[name], secretFile),
  )
  const further = Object.entries(secondary).flatMap(([name, path]) => [`--${kebabCase(name)}`, path])
  const operands = inputs.some((input) => input.startsWith('-') && input !== '-') ? ['--', ...inputs] : inputs
  const words = operands[0] === '--' ? [...flags, ...further, ...operands] : [...operands, ...flags, ...further]
  return ['mediaproc', tool, ...words.map(shellQuote)].join(' ')
}
