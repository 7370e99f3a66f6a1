import { EXIT, EXIT_MEANINGS } from '../errors.ts'
import { SECTIONS } from '../tool/contract.ts'
import { catalogue } from '../tool/registry.ts'
import { kebabCase, type Setting } from '../tool/settings.ts'
import { COMMANDS, type Command } from './commands.ts'
import { commonRows } from './help.ts'
import { twoColumns } from './output/text.ts'

export const SECTION_WORDS = {
  image: 'pictures: resize, crop, convert, watermark, inspect …',
  video: 'video: trim, convert, compress, subtitle …',
  audio: 'audio: convert, trim, normalise, merge …',
  pdf: 'PDF: merge, split, compress, protect, convert …',
  files: 'office and data files: convert, merge, pack …',
} as const

/** The output of `mediaproc --help`. */
export function programHelp(width: number): string {
  const tools = catalogue()
  const sections = SECTIONS.map((section): [string, string] => {
    const count = tools.filter((tool) => tool.section === section).length
    return [section, `${SECTION_WORDS[section]} (${count} tools)`]
  })
  const commands = Object.entries(COMMANDS)
    .filter(([, { hidden }]) => !hidden)
    .map(([name, { usage, summary }]): [string, string] => [`${name} ${usage}`, summary])
  return [
    'One toolkit for images, video, audio, PDF and office files.\n',
    'Usage: mediaproc SECTION TOOL FILE… [--setting value…] [-o FILE | -d DIR]\n       mediaproc COMMAND …\n',
    `Sections (mediaproc SECTION lists its tools):\n${twoColumns(sections, width)}`,
    `Commands:\n${twoColumns(commands, width)}`,
    `Common options:\n${twoColumns([...commonRows(), ['-V, --version', 'print the version']], width)}`,
    'mediaproc SECTION TOOL --help explains a tool; mediaproc help TOPIC explains inputs, outputs, settings,\nenvironment and exit-codes.\n',
  ].join('\n')
}

/** A switch that is off by default has one spelling, and one without a default has two. */
const switchText = (option: string, row: Setting): string =>
  `--${row.default === undefined ? '[no-]' : ''}${kebabCase(option)}`

/** The output of `mediaproc COMMAND --help`. */
export function commandHelp(name: string, { usage, summary, table = {}, common }: Command, width: number): string {
  const own = Object.entries(table).map(([option, row]): [string, string] => [
    row.type === 'boolean' ? switchText(option, row) : `--${kebabCase(option)} …`,
    row.help,
  ])
  const options =
    (own.length > 0 ? `\nOptions:\n${twoColumns(own, width)}` : '') +
    (common ? `\nCommon options:\n${twoColumns(commonRows({}, common), width)}` : '')
  return `${summary[0]!.toUpperCase()}${summary.slice(1)}\n\nUsage: mediaproc ${name} ${usage}\n${options}`
}

/** The table of exit codes: for `help exit-codes` and the man page. */
export function exitCodeRows(): [string, string][] {
  return Object.entries(EXIT).map(([name, code]) => [String(code), EXIT_MEANINGS[name as keyof typeof EXIT]])
}
