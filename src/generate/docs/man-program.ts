import { TOPICS } from '../../cli/commands/help.ts'
import { COMMANDS } from '../../cli/commands.ts'
import { commonRows } from '../../cli/help.ts'
import { FILE_NAMES } from '../../cli/input/config.ts'
import { SECTION_WORDS } from '../../cli/program-help.ts'
import { SECTIONS } from '../../tool/contract.ts'
import { bold, commandBlock, heading, pageHead, paragraph, roffFill, roffRows, roffTerm, seeAlso } from './roff.ts'

/** Command lines for the page: what each does, and the line. A test takes every one apart as the program would. */
export const PROGRAM_EXAMPLES: readonly (readonly [string, string])[] = [
  ['One picture, 800 pixels wide, beside the original:', 'mediaproc image resize photo.jpg --width 800'],
  [
    'All photos of a folder and the folders in it, smaller, in the same folders under web:',
    'mediaproc image compress -r photos -d web --quality 70',
  ],
  ['By the extensions alone:', 'mediaproc convert holiday.jpg holiday.webp'],
  [
    'Names by a pattern; inputs whose outputs are up to date are skipped:',
    "mediaproc image convert 'photos/*.jpg' --format webp -d named --name '{stem}-{index}.{ext}' --newer",
  ],
  ['As a filter:', 'mediaproc image rotate - --angle 90 -o - <photo.jpg >turned.jpg'],
  ['What would be done, and nothing else:', 'mediaproc pdf merge-pdf report.pdf invoice.pdf -o both.pdf --dry-run'],
  ['Records for a program:', 'mediaproc image info *.jpg --json'],
]

const topic = (name: string): string => {
  const { intro, rows } = TOPICS[name]!
  return roffFill(intro) + roffRows(rows())
}

const synopsis = (lines: readonly string[]): string => lines.map((line) => `${roffTerm(line)}\n`).join('.br\n')

/** mediaproc(1): the program, its commands and what all tools have in common. */
export function programPage(): string {
  const commands = Object.entries(COMMANDS).filter(([, { hidden }]) => !hidden)
  return [
    pageHead('mediaproc', 'one toolkit for images, video, audio, PDF and office files'),
    heading('SYNOPSIS'),
    synopsis([
      'mediaproc SECTION TOOL FILE… [--setting VALUE] [-o FILE | -d DIR]',
      'mediaproc SECTION TOOL/ACTION FILE…',
      'mediaproc COMMAND …',
    ]),
    heading('DESCRIPTION'),
    roffFill(
      'Every tool takes files, does one thing to them and writes new files; inputs are never changed. A file is taken for what its content is, whatever its name says. Nothing is left half written: an output appears under its name when it is complete.',
    ),
    paragraph('Tools are grouped in sections, each with a page of its own:'),
    roffRows(SECTIONS.map((section) => [`mediaproc-${section}(1)`, SECTION_WORDS[section]])),
    paragraph(
      'Without arguments on a terminal, mediaproc asks for a tool, files and settings, and shows the command that it then runs.',
    ),
    heading('COMMANDS'),
    commands
      .map(([name, { usage, summary }]) => `.TP\n${bold(name)} ${roffTerm(usage)}\n${roffFill(summary)}`)
      .join(''),
    heading('OPTIONS'),
    roffRows([...commonRows(), ['-V, --version', 'print the version']]),
    heading('INPUTS'),
    topic('inputs'),
    heading('OUTPUTS'),
    topic('outputs'),
    heading('SETTINGS'),
    topic('settings'),
    heading('EXIT STATUS'),
    roffRows(TOPICS['exit-codes']!.rows()),
    heading('ENVIRONMENT'),
    roffRows(TOPICS.environment!.rows()),
    heading('FILES'),
    roffFill(
      'The nearest of these, in this folder or above it up to the root of the repository or the home folder, is the configuration, or the file that --config names; mediaproc config shows what is in force:',
    ),
    ...FILE_NAMES.map((name) => `.br\n${bold(name)}\n`),
    paragraph('The key mediaproc in package.json is one too.'),
    heading('EXAMPLES'),
    ...PROGRAM_EXAMPLES.map(([what, line], index) => (index === 0 ? roffFill : paragraph)(what) + commandBlock([line])),
    seeAlso(SECTIONS.map((section) => `mediaproc-${section}`)),
  ].join('')
}
