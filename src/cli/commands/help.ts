import { ENVIRONMENT } from '../../environment.ts'
import { EXIT, type ExitCode, MediaprocError } from '../../errors.ts'
import { firstOf } from '../../lists.ts'
import { findTool } from '../../pipeline/read/find-tool.ts'
import { SECTIONS } from '../../tool/contract.ts'
import { PLACEHOLDERS } from '../../tool/names/placeholders.ts'
import { nearest } from '../../tool/validate.ts'
import { COMMANDS } from '../commands.ts'
import { parseCommand } from '../input/parse.ts'
import type { Io } from '../output/io.ts'
import { twoColumns, wrap } from '../output/text.ts'
import { commandHelp, exitCodeRows, programHelp } from '../program-help.ts'

const INPUT_ROWS: [string, string][] = [
  ['FILE', 'a file; a name that exists is always taken literally, whatever characters it contains'],
  ["'*.jpg'", 'a pattern, in quotes so that the shell does not expand it; **/ matches any folders'],
  [
    'FOLDER',
    'with -r, the files in it that the tool accepts; hidden files, links to folders and outputs of earlier runs on other inputs are skipped',
  ],
  ['-', 'standard input; its type is detected from its content'],
  ['@FILE', 'a list of inputs, one per line (with -0: each ended by a NUL byte); @- reads it from standard input'],
  ['https://…', 'a URL; only hosts on the public Internet, at most 5 redirects, up to MAX_DOWNLOAD_SIZE_MB'],
  ['--', 'ends the options: everything after it is an input, even if it begins with a dash'],
]

const OUTPUT_ROWS: [string, string][] = [
  ['(nothing)', "next to the input, under the tool's own name; for a URL or standard input: in this folder"],
  ['-o FILE', 'the single output, replaced atomically; its extension chooses the type if the tool supports several'],
  ['-o -', 'standard output'],
  ['-d DIR', 'into a folder, created if absent; with -r it mirrors the folders of the inputs'],
  [
    '--name PATTERN',
    `names with placeholders, such as '{stem}_{tool}.{ext}' or '{exif.date:YYYY}/{stem}.{hash:8}.{ext}'; mediaproc help names lists them`,
  ],
  ['-o DIR/', 'several outputs of one input: directly into this folder'],
  ['-o FILE.zip, --zip', 'several outputs of one input: as a ZIP file'],
  [
    '--force',
    'replaces existing outputs; without it they are kept, and the input counts as failed. In a folder, only the files of the set are replaced',
  ],
  [
    '--newer',
    'skips inputs whose outputs are up to date, according to the record of the run that made them; recreates and replaces the others, and reports why; --newer=hash always compares contents; docs/incremental.md has the details',
  ],
]

const SETTINGS_ROWS: [string, string][] = [
  ['--width 800', 'a setting; --width=800 is the same, and names may also be written as in --withoutEnlargement'],
  ['-w 800', "the short form of a common setting; a tool's --help shows which it has"],
  ['--strip --no-strip', 'a setting that is on or off'],
  ['--sizes 16,32,48', 'a list: with commas, as JSON, or the option several times'],
  ['--start-s 1:30', 'a time: seconds, or as a clock shows them (00:01:30.5)'],
  ['--target-size-kb 2MB', 'a number may be followed by its unit: 500kB, 2MB, 50%, 300dpi, 90s, 2M (bits a second)'],
  ['--crop \'{"x": 1}\'', 'a group of values: JSON'],
  ['--password-file FILE', 'a secret from a file: it does not appear in the process list'],
  ["--settings '{…}'", 'several settings as JSON; @FILE reads JSON or YAML. Single options take precedence'],
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
  inputs: { intro: 'Inputs can be:', rows: () => INPUT_ROWS },
  outputs: {
    intro: 'Where outputs are written. No output is ever incomplete, and inputs are never changed:',
    rows: () => OUTPUT_ROWS,
  },
  names: {
    intro:
      "Placeholders of output names, for --name and for output in pipelines, besides the tool's settings. {name|text} is text if the file has no such value:",
    rows: () =>
      Object.entries(PLACEHOLDERS).map(([name, { help, example }]) => [
        example[0],
        example[0] === `{${name}}` ? help : `${help}; such as ${example[1]}`,
      ]),
  },
  settings: {
    intro:
      'How settings are given. Single options take precedence over --settings, and --settings over the configuration:',
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
  if (operands.length === 1 && (SECTIONS as readonly string[]).includes(firstOf(operands)))
    return (await import('./tools.ts')).toolsCommand(operands, io)
  io.out(await helpOf(operands, io))
  return EXIT.ok
}
