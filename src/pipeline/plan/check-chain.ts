import { firstOf } from '../../lists.ts'
import type { InputSpec } from '../../tool/contract.ts'
import { either } from '../../wording.ts'
import type { DataDiagnostic, DataPath } from '../read/diagnostics.ts'
import { canTake, type Flow, flowAfter, flowInto } from './flow.ts'
import type { PlannedStep } from './plan.ts'

/** The position of a step and its result; undefined if it is invalid, so that later steps cannot be checked. */
export interface CheckedStep {
  path: DataPath
  planned: PlannedStep | undefined
}

const list = (words: readonly string[]): string => either(words.length > 8 ? [...words.slice(0, 8), 'others'] : words)

const files = (count: number): string => `${count} file${count === 1 ? '' : 's'}`

/** A problem with a step, as a message and a hint. */
function misplaced(step: PlannedStep, flow: Flow, before: PlannedStep): [string, string?] | undefined {
  const { input } = step.tool
  if (before.tool.output.kind === 'report')
    return [
      `${step.name} has nothing to work on: ${before.name} only reports`,
      `${before.name} can only be the last step.`,
    ]
  if (input.files === 'none')
    return [`${step.name} takes no file, so it can only be the first step`, 'Leave it out, or begin with it.']
  if (input.files === 'many' && !flow.several && input.min > 1)
    return [
      `${step.name} takes at least ${files(input.min)}, and ${before.name} gives one`,
      'Such a tool is the first step, or follows one that gives several files.',
    ]
  if (!canTake(input, flow))
    return [`${step.name} takes ${list(input.accept)}, and ${before.name} gives ${list(flow.types)}`]
  return undefined
}

/**
 * Follows a file through the steps and records every step that cannot accept its input.
 * @param start the result of the common steps, for those of a variant
 * @returns the final result; undefined if a step is invalid
 */
export function checkChain(
  diagnostics: DataDiagnostic[],
  steps: readonly CheckedStep[],
  start?: { flow: Flow; last: PlannedStep },
): { flow: Flow; last: PlannedStep } | undefined {
  let state: { flow: Flow; last: PlannedStep } | undefined = start
  let isFirst = start === undefined
  for (const { path, planned } of steps) {
    if (planned && state) {
      const [message, hint] = misplaced(planned, state.flow, state.last) ?? []
      if (message) diagnostics.push({ path: [...path, 'tool'], message, ...(hint && { hint }) })
    }
    const flow = state?.flow ?? (isFirst && planned ? firstFlow(steps) : unknownFlow(planned))
    state = planned && { flow: flowPast(planned, flow), last: planned }
    isFirst = false
  }
  return state
}

/** After an invalid step the input is unknown, so that one mistake does not cause others. */
const unknownFlow = (step: PlannedStep | undefined): Flow => ({
  types: step?.tool.input.accept ?? ['*'],
  several: true,
})

/** The result of a step; one with a condition may also leave its input unchanged. */
function flowPast({ tool, settings, when }: PlannedStep, before: Flow): Flow {
  const after = flowAfter(tool, settings, before)
  if (!when) return after
  return { types: [...new Set([...before.types, ...after.types])], several: before.several || after.several }
}

/** What the first steps take: a step with a condition may leave the input to the next one. */
function acceptedBy(steps: readonly PlannedStep[]): string[] {
  const end = steps.findIndex(({ when }) => !when)
  return [...new Set(steps.slice(0, end < 0 ? undefined : end + 1).flatMap(({ tool }) => tool.input.accept))]
}

const firstFlow = (steps: readonly CheckedStep[]): Flow =>
  flowInto({ accept: acceptedBy(steps.flatMap(({ planned }) => planned ?? [])) })

/** The input of a pipeline: that of its first step, or of all steps that can be the first with conditions. */
export function inputOf(chains: readonly (readonly PlannedStep[])[], isConditional: boolean): InputSpec {
  const { files: kind, min, max, accept } = firstOf(firstOf(chains)).tool.input
  if (!isConditional) return { files: kind, min, max, accept }
  return { files: kind, min, max, accept: [...new Set(chains.flatMap(acceptedBy))] }
}
