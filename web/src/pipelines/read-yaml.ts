/** Reads the YAML of a pipeline. The code of the parser is loaded when the first file is read. */
import { STRINGS } from '../strings.ts'
import type { Definition, SentStep } from './definition.ts'

/** What `mediaproc run` can do, and the server cannot: it would have no effect. */
const ONLY_IN_FILES = ['params', 'matrix', 'variants', 'when', 'include', 'with', 'rows', 'manifest']

/** Places of inputs and results on the machine of the command line. */
const OF_PLACES = ['inputs', 'output']

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function refuse(keys: Record<string, unknown>): void {
  const key = ONLY_IN_FILES.find((one) => Object.hasOwn(keys, one))
  if (key !== undefined) throw new Error(STRINGS.pipelines.faults.onlyInFiles(key))
}

/** A value without the escapes of variables: two dollar signs are one. @throws Error for a variable */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plain(part)]))
  if (typeof value !== 'string') return value
  return value.replace(/\$(\$|\{([^}]*)\})/g, (_, what: string, name?: string) => {
    if (what === '$') return '$'
    throw new Error(STRINGS.pipelines.faults.variable(name ?? ''))
  })
}

/** The id without its section: `image/resize` is `resize`. */
const idOf = (tool: string): string => tool.slice(tool.indexOf('/') + 1)

function readStep(step: unknown, number: number): SentStep {
  const wrong = new Error(STRINGS.pipelines.faults.step(number))
  if (typeof step === 'string') return { toolId: idOf(step), settings: {} }
  if (!isObject(step)) throw wrong
  refuse(step)
  const isLong = 'tool' in step || 'toolId' in step
  const [tool, settings] = isLong ? [step.tool ?? step.toolId, step.settings] : (Object.entries(step)[0] ?? [])
  const known = isLong ? ['tool', 'toolId', 'settings'] : [tool]
  if (typeof tool !== 'string' || Object.keys(step).some((key) => !known.includes(key))) throw wrong
  if (settings !== undefined && settings !== null && !isObject(settings)) throw wrong
  return { toolId: idOf(tool), settings: plain(settings ?? {}) as Record<string, unknown> }
}

/** The pipeline of a file, and which of its keys have no effect here. @throws Error why it cannot be read */
export async function readPipelineFile(text: string): Promise<{ definition: Definition; ignored: string[] }> {
  const { parse } = await import('yaml')
  let given: unknown
  try {
    given = parse(text)
  } catch (error) {
    throw new Error(
      STRINGS.pipelines.faults.notYaml(error instanceof Error ? (error.message.split('\n')[0] ?? '') : ''),
    )
  }
  if (!isObject(given) || !Array.isArray(given.steps) || given.steps.length === 0)
    throw new Error(STRINGS.pipelines.faults.noSteps)
  refuse(given)
  const known = new Set(['name', 'description', 'steps', ...OF_PLACES])
  const unknown = Object.keys(given).find((key) => !known.has(key))
  if (unknown !== undefined) throw new Error(STRINGS.pipelines.faults.unknownKey(unknown))
  const steps = given.steps.map((step: unknown, index) => readStep(step, index + 1))
  const name = typeof given.name === 'string' ? String(plain(given.name)) : ''
  const description = typeof given.description === 'string' ? given.description : ''
  return { definition: { name, description, steps }, ignored: OF_PLACES.filter((key) => key in given) }
}
