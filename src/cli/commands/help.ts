import { ENVIRONMENT } from '../../environment.ts'
import { EXIT, type ExitCode, MediaprocError } from '../../errors.ts'
import { PLACEHOLDERS } from '../../local/output-names.ts'
import { findTool } from '../../pipeline/read/find-tool.ts'
import { SECTIONS } from '../../tool/contract.ts'
import { nearest } from '../../tool/validate.ts'
import { COMMANDS } from '../commands.ts'
import { parseCommand } from '../input/parse.ts'
import type { Io } from '../output/io.ts'
import { twoColumns, wrap } from '../output/text.ts'
import { commandHelp, exitCodeRows, programHelp } from '../program-help.ts'

const INPUT_ROWS: [string, string][] = [
  ['FILE', 'a file; a name that exists is always taken as it is, whatever signs it holds'],
  ["'*.jpg'", 'a pattern, in quotes so that the shell leaves it alone; **/ reaches into folders'],
  [
    'FOLDER',
    'with -r, the files in it that the tool takes; hidden files and links to folders are left out, and what earlier runs made of other inputs',
  ],
  ['-', 'standard input; its type is found by its content'],
  ['@FILE', 'a list of inputs, one per line (with -0: each ended by a NUL byte); @- reads it from standard input'],
  ['https://…', 'an address; only hosts of the public Internet, at most 5 redirects, up to MAX_DOWNLOAD_SIZE_MB'],
  ['--', 'ends the options: what follows are inputs, also where they begin with a dash'],
]

const OUTPUT_ROWS: [string, string][] = [
  ['(nothing)', "beside the input, under the tool's own name; of an address or standard input: in this folder"],
  ['-o FILE', 'the one output, replaced in one step; its extension chooses the type where the tool leaves that open'],
  ['-o -', 'standard output'],
  ['-d DIR', 'into a folder, made if absent; with -r the folders of the inputs are repeated in it'],
  [
    '--name PATTERN',
    `names with ${Object.keys(PLACEHOLDERS)
      .map((name) => `{${name}}`)
      .join(' ')} and the tool's settings, such as {width}`,
  ],
  ['-o DIR/', 'several outputs of one input: right into this folder'],
  ['-o FILE.zip, --zip', 'several outputs of one input: as a ZIP file'],
  [
    '--force',
    'replaces outputs that are there; without it they stay, and the input counts as failed. Of a folder, only the files of the set',
  ],
  [
    '--newer',
    'skips inputs whose outputs are as an earlier run made them of the same inputs in the same way, by its record, and says why it makes others again, which it replaces; --newer=hash compares contents whatever times say; docs/incremental.md has the details',
  ],
]

const SETTINGS_ROWS: [string, string][] = [
  ['--width 800', 'a setting; --width=800 is the same, and names may also be written as in --withoutEnlargement'],
  ['-w 800', "the short form of a setting that is used much; a tool's --help shows which it has"],
  ['--strip --no-strip', 'a setting that is on or off'],
  ['--sizes 16,32,48', 'a list: with commas, as JSON, or the option several times'],
  ['--start-s 1:30', 'a time: seconds, or as a clock shows them (00:01:30.5)'],
  ['--target-size-kb 2MB', 'a number may be followed by its unit: 500kB, 2MB, 50%, 300dpi, 90s, 2M (bits a second)'],
  ['--crop \'{"x": 1}\'', 'a group of values: JSON'],
  ['--password-file FILE', 'a secret from a file: it stays out of the list of processes'],
  ["--settings '{…}'", 'several settings as JSON; @FILE reads JSON or YAML. Single options win over it'],
  [
    'configuration',
    'mediaproc.config.json or .yaml, or .mediaprocrc, in this folder or above, up to the root of the repository or the home folder, or any file by --config: { "defaults": { "image/compress": { "quality": 70 } } }',
  ],
]

const environmentRows = (): [string, string][] =>
  Object.entries(ENVIRONMENT).map(([name, row]) => [
    name,
    `${row.help}${row.default === '' ? '' : ` (default ${row.default})`}`,
  ])

export const TOPICS: Readonly<Record<string, { intro: string; rows: () => [string, string][] }>> = {
  inputs: { intro: 'What can be named as an input:', rows: () => INPUT_ROWS },
  outputs: {
    intro: 'Where outputs go. Nothing is ever half written, and no input is changed:',
    rows: () => OUTPUT_ROWS,
  },
  settings: {
    intro: 'How settings are given. An option of its own wins over --settings, which wins over the configuration:',
    rows: () => SETTINGS_ROWS,
  },
  environment: { intro: 'Environment variables:', rows: environmentRows },
  'exit-codes': { intro: 'Exit codes:', rows: exitCodeRows },
}

export const HELP_TOPICS = Object.keys(TOPICS)

async function helpOf(words: readonly string[], io: Io): Promise<string> {
  const [word, name] = words
  if (word === undefined) return programHelp(io.width)
  if ((SECTIONS as readonly string[]).includes(word) && name !== undefined) {
    const { toolHelp } = await import('../help.ts')
    return toolHelp(findTool(name, word).entry, io.width)
  }
  if (Object.hasOwn(TOPICS, word)) {
    const { intro, rows } = TOPICS[word]!
    return `${wrap(intro, io.width).join('\n')}\n${twoColumns(rows(), io.width)}`
  }
  if (Object.hasOwn(COMMANDS, word)) return commandHelp(word, COMMANDS[word]!, io.width)
  const near = nearest(word, [...HELP_TOPICS, ...Object.keys(COMMANDS)])
  throw new MediaprocError('USAGE', `There is no help topic ${word}`, {
    hint: near ? `Did you mean ${near}?` : `Topics are ${HELP_TOPICS.join(', ')}.`,
  })
}

/** `mediaproc help [TOPIC]`; also `help SECTION`, `help SECTION TOOL` and `help COMMAND`. */
export async function helpCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const { operands } = parseCommand('help', args, {}, 2)
  if (operands.length === 1 && (SECTIONS as readonly string[]).includes(operands[0]!))
    return (await import('./tools.ts')).toolsCommand(operands, io)
  io.out(await helpOf(operands, io))
  return EXIT.ok
}
