import type { Caller } from '../../accounts/caller.ts'
import { requireTool } from '../../accounts/directory/tool-permissions.ts'
import { MediaprocError } from '../../errors.ts'
import { firstOf } from '../../lists.ts'
import { planSteps, stepCountFault } from '../../pipeline/plan/plan-steps.ts'
import type { DataDiagnostic } from '../../pipeline/read/diagnostics.ts'
import type { CatalogueEntry } from '../../tool/catalogue.ts'
import { redirectTool } from '../../tool/redirect-tool.ts'
import { catalogue } from '../../tool/registry.ts'
import type { SettingsTable } from '../../tool/settings.ts'
import type { ServerContext } from '../context.ts'
import { checkBundles } from '../features/gate.ts'
import { excessOf } from '../http/json-limits.ts'
import { issuesText } from './settings-field.ts'
import { timeLimit } from './submission.ts'

export interface StepRequest {
  /** Tool id without its section. */
  toolId: string
  settings: Record<string, unknown>
}

export interface CheckedPipeline {
  /** Steps with sections and validated settings. */
  steps: { toolId: string; settings: Record<string, unknown> }[]
  /** The tool that decides which uploads are accepted. */
  first: CatalogueEntry
  /** Throws FEATURE_NOT_INSTALLED if models or programs of the steps are missing. */
  checkInstalled(): Promise<void>
  timeoutS: number
  heavy: boolean
}

const holdsSecrets = (table: SettingsTable): boolean => Object.values(table).some(({ secret }) => secret)

/** A step takes one file and returns files. Stored definitions must not contain passwords. */
function isStep({ input, output, settings }: CatalogueEntry): boolean {
  const further = Object.values(input.secondary ?? {}).some(({ required }) => required)
  return input.files === 'one' && output.kind !== 'report' && !further && !holdsSecrets(settings)
}

/** Tools allowed in a pipeline over HTTP. */
export function pipelineTools(): CatalogueEntry[] {
  return catalogue().filter(isStep)
}

function malformed(details: string): MediaprocError {
  return new MediaprocError('INVALID_PIPELINE', 'The pipeline is not valid', { fields: { details } })
}

/** Parses the `pipeline` form field, which is JSON. */
export function parseDefinition(text: string | undefined): unknown {
  if (text === undefined || text.trim() === '')
    throw new MediaprocError('INVALID_PIPELINE', 'The part pipeline is missing')
  const excess = excessOf(text)
  if (excess) throw malformed(`pipeline: ${excess}`)
  try {
    return JSON.parse(text)
  } catch {
    throw malformed('pipeline: not JSON')
  }
}

/** What a pipeline file can have, and a definition over HTTP cannot: without an error it would have no effect. */
const FILE_KEYS = ['params', 'matrix', 'variants', 'when', 'include', 'rows', 'manifest'] as const
const FILE_STEP_KEYS = ['when', 'include', 'with'] as const

function refuseFileKeys(given: object, keys: readonly string[], where: string): void {
  const key = keys.find((one) => Object.hasOwn(given, one))
  if (key !== undefined) throw malformed(`${where}${key}: only a pipeline file for mediaproc run can have it`)
}

/** Validates the steps of a definition: each has a tool and settings, and their number is limited. */
export function stepsOf(definition: unknown, maxSteps: number): StepRequest[] {
  const steps: unknown = (definition as { steps?: unknown } | null)?.steps
  if (typeof definition === 'object' && definition) refuseFileKeys(definition, FILE_KEYS, '')
  if (!Array.isArray(steps) || steps.length === 0) throw malformed('steps: Expected at least one step')
  const tooMany = stepCountFault(steps.length, maxSteps)
  if (tooMany) throw malformed(`steps: ${tooMany}`)
  return steps.map((step: unknown, index) => {
    const { toolId, settings = {} } = (step ?? {}) as { toolId?: unknown; settings?: unknown }
    if (typeof step === 'object' && step) refuseFileKeys(step, FILE_STEP_KEYS, `steps.${index}.`)
    if (typeof toolId !== 'string') throw malformed(`steps.${index}.toolId: Expected the id of a tool`)
    if (typeof settings !== 'object' || settings === null || Array.isArray(settings))
      throw malformed(`steps.${index}.settings: Expected an object`)
    return { toolId, settings: settings as Record<string, unknown> }
  })
}

/** Tool of a step; tool ids over HTTP have no section. */
export function entryOf({ toolId, settings }: StepRequest): CatalogueEntry | undefined {
  const entry = catalogue().find(({ id }) => id === toolId)
  return entry && redirectTool(entry, settings).entry
}

/** A step as stored, without settings that its tool does not know: those would have no effect. */
export function withoutUnknown({ toolId, settings }: StepRequest): StepRequest {
  const table = entryOf({ toolId, settings })!.settings
  const known = new Set(Object.entries(table).flatMap(([name, { aliases = [] }]) => [name, ...aliases]))
  return { toolId, settings: Object.fromEntries(Object.entries(settings).filter(([name]) => known.has(name))) }
}

/** @throws MediaprocError UNKNOWN_TOOL, INVALID_PIPELINE for a tool that is not allowed as a step */
export function checkTool(disabled: ReadonlySet<string>, entry: CatalogueEntry | undefined, where: string): void {
  if (!entry || disabled.has(entry.id)) throw new MediaprocError('UNKNOWN_TOOL', `${where}: there is no such tool`)
  if (!isStep(entry))
    throw new MediaprocError('INVALID_PIPELINE', `${where}: this tool cannot be a step of a pipeline`, {
      hint: 'GET /api/v1/pipeline/tools lists those that can.',
    })
}

/** @throws MediaprocError INVALID_SETTINGS with the planner's errors for the settings of one step */
function checkStepSettings(diagnostics: readonly DataDiagnostic[], index: number, where: string): void {
  const issues = diagnostics
    .filter(({ path }) => path[1] === index && path[2] === 'settings')
    .map(({ path, message }) => ({ path: path.slice(3).join('.') || 'settings', message }))
  if (issues.length > 0)
    throw new MediaprocError('INVALID_SETTINGS', issuesText(issues), {
      fields: { error: `${where}: invalid settings`, details: issues },
    })
}

/**
 * Plans a pipeline before anything runs: validates every step, and that each can process the output of the previous
 * one.
 * @throws MediaprocError UNKNOWN_TOOL, INVALID_PIPELINE, INVALID_SETTINGS, FORBIDDEN naming the first invalid step
 */
export async function checkSteps(
  context: ServerContext,
  caller: Caller,
  steps: readonly StepRequest[],
): Promise<CheckedPipeline> {
  const data = steps.map(({ toolId, settings }) => ({ tool: toolId, settings }))
  const { plan, diagnostics } = await planSteps({ steps: data }, { name: 'pipeline', ignoresUnknown: true })
  const entries = steps.map(entryOf)
  const disabled = await context.settings.disabledTools()
  for (const [index, { toolId }] of steps.entries()) {
    const where = `Step ${index + 1} (${toolId})`
    checkTool(disabled, entries[index], where)
    requireTool(caller.toolPermissions, entries[index]!, `${where}: `)
    checkStepSettings(diagnostics, index, where)
  }
  if (!plan) throw malformed(diagnostics.map(({ message }) => message).join('; '))
  const tools = entries as CatalogueEntry[]
  const planned = plan.common.flatMap((group) => group.steps)
  const limits = tools.map((entry) => timeLimit(entry, context.config))
  return {
    steps: planned.map(({ name, settings }) => ({ toolId: name, settings })),
    first: firstOf(tools),
    checkInstalled: async () => {
      const { modelsFolder } = context.config
      await checkBundles(tools, modelsFolder)
      for (const { tool, settings } of planned) await tool.checkInstalled?.(settings, modelsFolder)
    },
    timeoutS: limits.reduce((sum, limit) => sum + limit, 0),
    heavy: plan.heavy,
  }
}
