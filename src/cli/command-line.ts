import { kebabCase, type Setting, type SettingsTable } from '../tool/settings.ts'

/** Characters that a terminal interprets, or that change the direction of the text. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** Control characters as octal escapes of their bytes, so that the line can be printed. */
const octal = (text: string): string =>
  text.replace(CONTROL, (character) =>
    [...Buffer.from(character)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join(''),
  )

/** A word with control characters: by `printf`, which every shell has. */
function printfQuote(word: string): string {
  // Command substitution removes line ends; `$'…'` is only known to bash, zsh and shells of POSIX.1-2024.
  if (word.endsWith('\n')) return `$'${octal(word.replace(/[\\']/g, '\\$&'))}'`
  const format = word.replace(/\\/g, '\\\\').replace(/%/g, '%%').replace(/'/g, `'\\''`)
  return `"$(printf -- '${octal(format)}')"`
}

/** Quotes any word for a POSIX shell. */
export function shellQuote(word: string): string {
  if (word.search(CONTROL) >= 0) return printfQuote(word)
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

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
