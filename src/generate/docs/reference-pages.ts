import { ENVIRONMENT, type EnvironmentRow, UNSUPPORTED } from '../../environment.ts'
import { ERRORS, EXIT, EXIT_MEANINGS } from '../../errors.ts'
import { type KnownFrom, PLACEHOLDERS } from '../../tool/names/placeholders.ts'
import { either } from '../../wording.ts'
import { code, GENERATED, markdownText, table } from './markdown.ts'

/** docs/errors.md: the error catalogue and the exit codes. */
export function errorsPage(): string {
  const exits = Object.entries(EXIT).map(([name, exit]) => [
    String(exit),
    markdownText(EXIT_MEANINGS[name as keyof typeof EXIT]),
  ])
  const rows = Object.entries(ERRORS).map(([name, { exit, status, message, hint }]) => [
    `<a id="${name}"></a>${code(name)}`,
    String(exit),
    String(status),
    markdownText(message),
    markdownText(typeof hint === 'string' ? hint : hint.shell),
  ])
  return `${GENERATED}# Errors and exit codes

## Exit codes

${table(['Code', 'Meaning'], exits)}
## Errors

The code is part of \`--json\` records and of HTTP responses. The sentence is the general one; the actual message names the
file or setting and its problem.

${table(['Code', 'Exit', 'HTTP', 'Sentence', 'Hint'], rows)}`
}

function variableRows(isServer: boolean): string[][] {
  return Object.entries<EnvironmentRow>(ENVIRONMENT)
    .filter(([, row]) => (row.server === true) === isServer)
    .map(([name, row]) => [
      code(name),
      row.default === '' ? '' : code(String(row.default)),
      markdownText(row.secret ? `${row.help}; or ${name}_FILE, a file that holds it` : row.help),
    ])
}

/** docs/environment.md: the environment variables. */
export function environmentPage(): string {
  const columns = ['Name', 'Default', 'What it does']
  return `${GENERATED}# Environment variables

${table(columns, variableRows(false))}
## mediaproc serve

Read by the server only, beside those above. Switches are the words \`true\` and \`false\`; anything else stops the start.

${table(columns, variableRows(true))}
A server that finds ${either(UNSUPPORTED.map(code))} set does not start: \`REDIS_URL\` and \`S3_BUCKET\` or \`SHARED_DIR\` say where files are.
Empty or \`local\` is as good as unset.
`
}

const KNOWN: Record<KnownFrom, string> = {
  run: 'before the run',
  input: 'when the input can be read',
  output: 'when the output is complete',
}

/** docs/names.md: the placeholders of output names. */
export function namesPage(): string {
  const rows = Object.entries(PLACEHOLDERS).map(([name, { help, from, example }]) => [
    `<a id="${name}"></a>${code(`{${name}}`)}`,
    markdownText(help),
    KNOWN[from],
    `${code(example[0])} → ${code(example[1])}`,
  ])
  return `${GENERATED}# Output names

\`--name PATTERN\` names the outputs of a tool, and \`output\` those of a [pipeline](pipelines.md). Both work in \`run\`, in
[watched folders](watch.md) and as \`name\` in the configuration.

\`\`\`sh
mediaproc image resize --width 800 'photos/*.jpg' -d web \\
  --name '{exif.date:YYYY|undated}/{stem}_{width}x{height}.{hash:8}.{ext}'
# web/undated/peak_800x533.48b2c93b.jpg
\`\`\`

A pattern can contain folders. A pattern without an extension gets that of the output. \`mediaproc help names\` lists the placeholders.

${table(['Placeholder', 'Value', 'Known', 'Example'], rows)}
The settings of the tool are placeholders as well: \`{quality}\`, \`{format}\`. A pipeline also has \`{variant}\`, \`{pipeline}\` and its
parameters. If a setting has a value, it takes precedence over a fact of a file: after \`--width 800\`, \`{width}\` is 800, even if
\`--without-enlargement\` kept a smaller picture.

## Formats and defaults

\`{name:format|default}\` is the full form.

- **Dates**: \`YYYY\`, \`MM\`, \`DD\`, \`HH\`, \`mm\` and \`ss\`, with signs or \`T\` between them. A slash makes a folder.
- **Numbers**: \`:03\` adds leading zeros to at least three digits. This includes settings that are numbers.
- **\`{hash}\`**: the number of hexadecimal digits, 1 to 64.
- **Defaults**: \`{exif.date:YYYY|undated}\` is \`undated\` for files without a capture date. Without a default, such a file fails with a
  message, and the others are processed. \`{title|}\` is empty.

Text from files is changed to be safe in names: control characters are removed, \`<>:"|?*/\\\` become \`_\`, dots and spaces at the ends are
removed, and at most 100 bytes remain.

If a job has several inputs, facts of the input are those of the first. The capture date is \`DateTimeOriginal\` or \`DateTimeDigitized\` in
EXIF, and the creation date of a video. Videos without a time zone have it in UTC.

## Sets

A tool that gives several files writes a folder, which the pattern names. With \`{page}\`, the pattern names each file instead:

\`\`\`sh
mediaproc pdf pdf-to-image report.pdf -d pages --name '{stem}-{page:03}.{ext}'      # pages/report-001.png, pages/report-002.png …
\`\`\`

The number is that of the tool, such as the page in the PDF, or the position of the file.

## Names that depend on the output

\`{hash}\`, and \`{width}\`, \`{height}\` and \`{duration}\` without such a setting, are known when an output is complete. Then its name is checked:

- Nothing is overwritten without \`--force\`. If the same content already has the name, the file remains and the input succeeds.
- Two inputs with the same output share the file. If the contents differ, the second one fails.
- \`--newer\` works as usual: it compares the outputs of the last run. Outputs with an earlier checksum in their name are not deleted.
- \`--dry-run\` shows such placeholders as they are.

[Manifests](manifest.md) list the resulting names.
`
}
