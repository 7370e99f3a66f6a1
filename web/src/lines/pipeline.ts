import { type LineParts, secretVariable } from './command.ts'

/** Text of a pipeline: a dollar sign begins a variable, and two are one dollar sign. */
function escaped(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('$', () => '$$')
  if (Array.isArray(value)) return value.map(escaped)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, escaped(part)]))
}

/** A step: JSON values are YAML values. */
function stepText(tool: string, settings: Readonly<Record<string, unknown>>): string {
  const rows = Object.entries(settings).map(([name, value]) => `      ${name}: ${JSON.stringify(value)}\n`)
  return rows.length === 0 ? `  - ${tool}\n` : `  - ${tool}:\n${rows.join('')}`
}

/** A pipeline with this one step. Other files are settings of the step. */
export function pipelineText({ section, id, settings, secondary, secrets }: LineParts): string {
  const rows = Object.entries({ ...settings, ...secondary }).map(([name, value]) => [
    name,
    secrets.has(name) ? `\${${secretVariable(name)}}` : escaped(value),
  ])
  return `steps:\n${stepText(`${section}/${id}`, Object.fromEntries(rows))}`
}

interface WrittenPipeline {
  name: string
  description: string
  steps: readonly { tool: string; settings: Readonly<Record<string, unknown>> }[]
}

/** A file for `mediaproc run`. The description is a comment. */
export function pipelineFile({ name, description, steps }: WrittenPipeline): string {
  const comment = description.split('\n').map((line) => `# ${line}\n`)
  return [
    ...(description ? comment : []),
    ...(name ? [`name: ${JSON.stringify(escaped(name))}\n`] : []),
    'steps:\n',
    ...steps.map(({ tool, settings }) => stepText(tool, escaped(settings) as Record<string, unknown>)),
  ].join('')
}
