import type { Caller } from '../../accounts/caller.ts'
import { requireTool } from '../../accounts/directory/tool-permissions.ts'
import { MediaprocError } from '../../errors.ts'
import { explainPipeline } from '../../pipeline/plan/explain.ts'
import { canTake, type Flow, flowAfter, flowInto } from '../../pipeline/plan/flow.ts'
import type { PipelinePlan } from '../../pipeline/plan/plan.ts'
import { planSteps } from '../../pipeline/plan/plan-steps.ts'
import type { DataDiagnostic } from '../../pipeline/read/diagnostics.ts'
import type { CatalogueEntry } from '../../tool/catalogue.ts'
import type { ServerContext } from '../context.ts'
import { checkTool, entryOf, pipelineTools, type StepRequest, withoutUnknown } from './pipeline-request.ts'

/** A problem of a step, from 1. */
interface StepFault {
  step: number
  message: string
  hint?: string
  /** The setting that it is about: `width`, `cells.0.zoom`. */
  setting?: string
}

interface ExplainedPipeline {
  accept: readonly string[]
  faults: readonly StepFault[]
  ignored: readonly { step: number; setting: string }[]
  steps: readonly { step: number; toolId: string; gives: readonly string[]; several: boolean }[]
  groups: readonly { medium: string; steps: readonly number[]; reads: string; writes: string }[]
  next: readonly string[]
}

/** The problem that a check of a step's tool throws; undefined if it passes. */
function toolFault(step: number, check: () => void): StepFault | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (!(error instanceof MediaprocError)) throw error
    const { httpMessage: message, httpHint: hint } = error
    // A route is a hint for programs; explain lists the tools that fit.
    return { step, message, ...(hint && !hint.startsWith('GET ') && { hint }) }
  }
}

function planFault({ path, message, hint }: DataDiagnostic): StepFault {
  const [part, index, field, ...rest] = path
  const step = part === 'steps' && typeof index === 'number' ? index + 1 : 1
  const setting = field === 'settings' ? rest.join('.') : ''
  return { step, message, ...(hint && { hint }), ...(setting && { setting }) }
}

/** Settings that have no effect: the tool does not know them, or they are files, which a request cannot name. */
function ignoredIn(step: StepRequest, number: number): ExplainedPipeline['ignored'] {
  const known = withoutUnknown(step).settings
  const names = Object.keys(step.settings).filter((name) => !Object.hasOwn(known, name))
  return names.map((setting) => ({ step: number, setting }))
}

/** The results of the steps in their order. */
function flowsOf(plan: PipelinePlan): { toolId: string; flow: Flow }[] {
  const planned = [...plan.common, ...plan.variants.flatMap(({ groups }) => groups)].flatMap(({ steps }) => steps)
  let flow = flowInto(plan.input)
  return planned.map(({ tool, settings }) => {
    flow = flowAfter(tool, settings, flow)
    return { toolId: tool.id, flow }
  })
}

async function groupsOf(plan: PipelinePlan): Promise<ExplainedPipeline['groups']> {
  const { common, variants } = await explainPipeline(plan, 'none')
  const groups = [...common, ...variants.flatMap((variant) => variant.groups)]
  return groups.map(({ medium, steps, reads, writes }) => ({
    ...{ medium, steps: steps.map(({ number }) => number), reads, writes },
  }))
}

/**
 * What the steps would do, with the faults of all steps; nothing is read or run.
 * @param usable the tools that the caller may use
 */
export async function explainSteps(
  context: ServerContext,
  caller: Caller,
  steps: readonly StepRequest[],
  usable: readonly CatalogueEntry[],
): Promise<ExplainedPipeline> {
  const data = steps.map(({ toolId, settings }) => ({ tool: toolId, settings }))
  const { plan, diagnostics } = await planSteps({ steps: data }, { name: 'pipeline', ignoresUnknown: true })
  const disabled = await context.settings.disabledTools()
  const refused = steps.flatMap((step, index) => {
    const where = `Step ${index + 1} (${step.toolId})`
    const entry = entryOf(step)
    const fault = toolFault(index + 1, () => {
      checkTool(disabled, entry, where)
      if (entry) requireTool(caller.toolPermissions, entry, `${where}: `)
    })
    return fault ?? []
  })
  const withoutTool = new Set(refused.map(({ step }) => step))
  const faults = [...refused, ...diagnostics.map(planFault).filter(({ step }) => !withoutTool.has(step))]
  const ignored = steps.flatMap((step, index) => (entryOf(step) ? ignoredIn(step, index + 1) : []))
  if (!plan || faults.length > 0)
    return { accept: plan?.input.accept ?? [], faults, ignored, steps: [], groups: [], next: [] }
  const flows = flowsOf(plan)
  const end = flows.at(-1)?.flow
  const ids = new Set(usable.map(({ id }) => id))
  return {
    ...{ accept: plan.input.accept, faults, ignored },
    steps: flows.map(({ flow: { types, several } }, index) => ({
      ...{ step: index + 1, toolId: steps[index]?.toolId ?? '', gives: types, several },
    })),
    groups: await groupsOf(plan),
    next: pipelineTools().flatMap(({ id, input }) => (end && ids.has(id) && canTake(input, end) ? id : [])),
  }
}
