import { ENVIRONMENT, type EnvironmentRow, UNSUPPORTED } from '../../environment.ts'
import { ERRORS, EXIT, EXIT_MEANINGS } from '../../errors.ts'
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
A server that finds ${either(UNSUPPORTED.map(code))} set does not start, for this version has no such thing; empty, \`false\` or a
\`STORAGE_MODE\` of \`local\` is as good as unset.
`
}
