import { environmentWord } from '../../environment.ts'
import type { CatalogueEntry } from '../../tool/catalogue.ts'
import { SECTIONS } from '../../tool/contract.ts'
import { outputText } from '../../tool/output-type.ts'
import { catalogue } from '../../tool/registry.ts'
import type { Setting } from '../../tool/settings.ts'
import { describeExpected } from '../../tool/values/values.ts'

const intro = (): string => `# mediaproc

> An HTTP API that converts and edits images, video, audio, PDF and office files. One tool per route.

POST a file as multipart/form-data to /api/v1/tools/<section>/<tool>: part \`file\`, and part \`settings\` with a JSON object.
200 answers {jobId, downloadUrl, originalSize, processedSize}: GET downloadUrl. 202 answers {jobId, async: true}: follow
/api/v1/jobs/<jobId>/progress (server-sent events) or ask /api/v1/jobs/<jobId>. Send "Authorization: Bearer <token or API key>".
Tokens: POST /api/auth/login with {username, password}. Several files at once: POST …/batch, answered as a ZIP. Several
steps at once: POST /api/v1/pipeline/execute with part \`pipeline\` = {"steps": [{"toolId", "settings"}]}.

- [OpenAPI 3.1](/api/v1/openapi.yaml): every route with its settings
- [All settings as text](/llms-full.txt)
- Source of the running program (AGPL-3.0-or-later): ${environmentWord('SOURCE_URL')}
`

const bySection = (): CatalogueEntry[] =>
  SECTIONS.flatMap((section) => catalogue().filter((one) => one.section === section))

const line = ({ section, id, summary }: CatalogueEntry): string => `- POST /api/v1/tools/${section}/${id}: ${summary}`

/** llms.txt: the service in short, with one line per tool, for language models. */
export function llmsShort(): string {
  return `${intro()}\n## Tools\n\n${bySection().map(line).join('\n')}\n`
}

function setting(name: string, row: Setting): string {
  const preset =
    row.default === undefined ? (row.required ? ', required' : '') : `, default ${JSON.stringify(row.default)}`
  return `  - \`${name}\`: ${row.help}. ${describeExpected(row)}${preset}`
}

function full(entry: CatalogueEntry): string {
  const { section, id, summary, input, output, settings, actions } = entry
  const further = Object.entries(input.secondary ?? {}).map(([name, { what }]) => `part \`${name}\`: ${what}`)
  const about = [
    `Takes: ${input.accept.join(', ') || 'no file'}${further.length > 0 ? `; ${further.join('; ')}` : ''}.`,
    `Gives: ${outputText(output)}.`,
  ]
  const rows = Object.entries(settings).map(([name, row]) => setting(name, row))
  const subs = actions.map((action) => `- POST /api/v1/tools/${section}/${id}/${action.id}: ${action.summary}`)
  return [`### ${section}/${id}`, '', `${summary}. ${about.join(' ')}`, ...rows, ...subs, ''].join('\n')
}

/** llms-full.txt: the same with every setting of every tool. */
export function llmsFull(): string {
  return `${intro()}\n## Tools\n\n${bySection().map(full).join('\n')}`
}
