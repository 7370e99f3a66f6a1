import { shellQuote } from '../../../src/shell-quote.ts'
import { kebabCase } from '../../../src/tool/settings.ts'
import { shellLines } from './quoting.ts'

export interface LineParts {
  section: string
  id: string
  /** Names of the input files. */
  files: readonly string[]
  /** Other files by their names in the form. */
  secondary: Readonly<Record<string, string>>
  settings: Readonly<Record<string, unknown>>
  /** Names of settings whose values are not shown. */
  secrets: ReadonlySet<string>
}

/** A name that begins with a dash would be a flag. */
const fileWord = (name: string): string => shellQuote(name.startsWith('-') ? `./${name}` : name)

/** The variable that replaces a secret: `USER_PASSWORD`. */
export const secretVariable = (name: string): string => kebabCase(name).replaceAll('-', '_').toUpperCase()

function flag([name, value]: [string, unknown], secrets: ReadonlySet<string>): string {
  const long = `--${kebabCase(name)}`
  // A variable that is not set stops the command: an empty password would be accepted.
  if (secrets.has(name)) return `${long}="\${${secretVariable(name)}:?}"`
  if (value === true) return long
  if (value === false) return `--no-${kebabCase(name)}`
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return `${long}=${shellQuote(text)}`
}

/** The run as a command of the shell. */
export function commandLine({ section, id, files, secondary, settings, secrets }: LineParts): string {
  return shellLines([
    `mediaproc ${section} ${id}`,
    ...files.map(fileWord),
    ...Object.entries(secondary).map(([name, file]) => `--${kebabCase(name)}=${shellQuote(file)}`),
    ...Object.entries(settings).map((entry) => flag(entry, secrets)),
  ])
}
