import { MediaprocError } from '../errors.ts'
import { readPipeline } from '../pipeline/read.ts'
import { findTarget } from '../pipeline/target.ts'
import type { CatalogueEntry } from '../tool/catalogue.ts'
import { catalogue } from '../tool/registry.ts'
import type { SettingsTable } from '../tool/settings.ts'
import { inspectSettings } from '../tool/validate.ts'
import type { ServerContext } from './context.ts'
import { isTooDeep, MAX_JSON_DEPTH } from './json-depth.ts'
import { checkRequestSettings, issuesText, lockedNames } from './settings-text.ts'
import { timeLimit } from './submission.ts'

export interface StepRequest {
  /** Without its section. */
  toolId: string
  settings: Record<string, unknown>
}

export interface CheckedPipeline {
  /** With sections and checked settings. */
  steps: { toolId: string; settings: Record<string, unknown> }[]
  /** The tool that the uploaded file must suit. */
  first: CatalogueEntry
  timeoutS: number
  heavy: boolean
}

const holdsSecrets = (table: SettingsTable): boolean => Object.values(table).some(({ secret }) => secret)

/** A step takes one file and gives files. Passwords do not belong into definitions that are kept. */
function isStep({ input, output, settings }: CatalogueEntry): boolean {
  const further = Object.values(input.secondary ?? {}).some(({ required }) => required)
  return input.files === 'one' && output.kind !== 'report' && !further && !holdsSecrets(settings)
}

/** Tools that a pipeline over HTTP may use. */
export function pipelineTools(): CatalogueEntry[] {
  return catalogue().filter(isStep)
}

function malformed(details: string): MediaprocError {
  return new MediaprocError('INVALID_PIPELINE', 'The pipeline is not valid', { fields: { details } })
}

/** The `pipeline` field of a form: JSON with steps. */
export function readDefinition(text: string | undefined, maxSteps: number): StepRequest[] {
  if (text === undefined || text.trim() === '')
    throw new MediaprocError('INVALID_PIPELINE', 'The part pipeline is missing')
  if (isTooDeep(text)) throw malformed(`pipeline: nested deeper than ${MAX_JSON_DEPTH} levels`)
  let definition: unknown
  try {
    definition = JSON.parse(text)
  } catch {
    throw malformed('pipeline: not JSON')
  }
  const steps: unknown = (definition as { steps?: unknown } | null)?.steps
  if (!Array.isArray(steps) || steps.length === 0) throw malformed('steps: Expected at least one step')
  if (maxSteps > 0 && steps.length > maxSteps)
    throw malformed(`steps: A file goes through at most ${maxSteps} steps, and these are ${steps.length}`)
  return steps.map((step: unknown, index) => {
    const { toolId, settings = {} } = (step ?? {}) as { toolId?: unknown; settings?: unknown }
    if (typeof toolId !== 'string') throw malformed(`steps.${index}.toolId: Expected the id of a tool`)
    if (typeof settings !== 'object' || settings === null || Array.isArray(settings))
      throw malformed(`steps.${index}.settings: Expected an object`)
    return { toolId, settings: settings as Record<string, unknown> }
  })
}

const atStep = (index: number, toolId: string): string => `Step ${index + 1} (${toolId})`

/** `resize` that keeps what is important is a tool of its own. */
const idOf = ({ toolId, settings }: StepRequest): string =>
  toolId === 'resize' && settings.contentAware === true ? 'content-aware-resize' : toolId

async function checkStep(
  { settings: instance }: ServerContext,
  step: StepRequest,
  index: number,
): Promise<{ entry: CatalogueEntry; settings: Record<string, unknown> }> {
  const id = idOf(step)
  const where = atStep(index, step.toolId)
  const entry = catalogue().find((one) => one.id === id)
  if (!entry || instance.isDisabled(id)) throw new MediaprocError('UNKNOWN_TOOL', `${where}: there is no such tool`)
  if (!isStep(entry))
    throw new MediaprocError('INVALID_PIPELINE', `${where}: this tool cannot be a step of a pipeline`, {
      hint: 'GET /api/v1/pipeline/tools lists those that can.',
    })
  const { issues, unknown } = inspectSettings(entry.settings, step.settings)
  const wrong = issues.filter(({ path }) => !unknown.includes(path))
  if (wrong.length > 0) throw invalidStep(where, wrong)
  const fixed = lockedNames(entry, step.settings)
  if (fixed.length > 0) throw invalidStep(where, fixed)
  const { values } = checkRequestSettings(entry, step.settings)
  const { check } = await findTarget(`${entry.section}/${entry.id}`).load()
  try {
    check?.(values)
  } catch (error) {
    throw error instanceof MediaprocError ? invalidStep(where, [{ path: 'settings', message: error.message }]) : error
  }
  return { entry, settings: values }
}

function invalidStep(where: string, issues: readonly { path: string; message: string }[]): MediaprocError {
  const details = issues.map(({ path, message }) => ({ path, message }))
  const error = `${where}: invalid settings`
  return new MediaprocError('INVALID_SETTINGS', issuesText(issues), { fields: { error, details } })
}

/**
 * Checks every step, and that each can work on what the one before gives, before anything runs.
 * @throws MediaprocError UNKNOWN_TOOL, INVALID_PIPELINE, INVALID_SETTINGS naming the step
 */
export async function checkSteps(context: ServerContext, steps: readonly StepRequest[]): Promise<CheckedPipeline> {
  const checked = []
  for (const [index, step] of steps.entries()) checked.push(await checkStep(context, step, index))
  const named = checked.map(({ entry, settings }) => ({ toolId: `${entry.section}/${entry.id}`, settings }))
  const text = JSON.stringify({ steps: named.map(({ toolId, settings }) => ({ tool: toolId, settings })) })
  const { mistakes } = await readPipeline(text, { name: 'pipeline' })
  if (mistakes.length > 0) throw malformed(mistakes.map(({ message }) => message).join('; '))
  const limits = checked.map(({ entry }) => timeLimit(entry, context.config))
  return {
    steps: named,
    first: checked[0]!.entry,
    timeoutS: limits.reduce((sum, limit) => sum + limit, 0),
    heavy: checked.some(({ entry }) => entry.heavy),
  }
}
