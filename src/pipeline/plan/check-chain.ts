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

/** Types for messages. */
export const typeList = (words: readonly string[]): string =>
  either(words.length > 8 ? [...words.slice(0, 8), 'others'] : words)

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
    return [
      `${step.name} takes no file, so it can only be the first step`,
      'Begin with it; a variant can do so with inputs: [].',
    ]
  if (input.files === 'many' && !flow.several && input.min > 1)
    return [
      `${step.name} takes at least ${files(input.min)}, and ${before.name} gives one`,
      'Such a tool is the first step, or follows one that gives several files.',
    ]
  if (!canTake(input, flow))
    return [`${step.name} takes ${typeList(input.accept)}, and ${before.name} gives ${typeList(flow.types)}`]
  return undefined
}

/** What a step gives, or a chain begins with. */
interface ChainState {
  flow: Flow
  /** The step that gives it; undefined for inputs, which are checked already. */
  last: PlannedStep | undefined
}

/**
 * Follows a file through the steps and records every step that cannot accept its input.
 * @param start the result of the common steps, for those of a variant, or its own inputs
 * @returns the final result; undefined if a step is invalid
 */
export function checkChain(
  diagnostics: DataDiagnostic[],
  steps: readonly CheckedStep[],
  start?: ChainState,
): ChainState | undefined {
  let state = start
  let isFirst = start === undefined
  for (const { path, planned } of steps) {
    if (planned && state?.last) {
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
export function acceptedBy(steps: readonly PlannedStep[]): string[] {
  const end = steps.findIndex(({ when }) => !when)
  return [...new Set(steps.slice(0, end < 0 ? undefined : end + 1).flatMap(({ tool }) => tool.input.accept))]
}

const firstFlow = (steps: readonly CheckedStep[]): Flow =>
  flowInto({ accept: acceptedBy(steps.flatMap(({ planned }) => planned ?? [])) })

/**
 * The input of a pipeline: that of its first step, or of all steps that can be the first with conditions.
 * @param chains the steps of each variant that begins with the input
 * @param named what the references to the input accept
 */
export function inputOf(
  chains: readonly (readonly PlannedStep[])[],
  named: readonly (readonly string[])[],
  isConditional: boolean,
): InputSpec {
  if (chains.length === 0)
    return named.length === 0
      ? { files: 'none', min: 0, max: 0, accept: [] }
      : { files: 'one', min: 1, max: 1, accept: [...new Set(named.flat())] }
  const { files: kind, min, max, accept } = firstOf(firstOf(chains)).tool.input
  if (!isConditional) return { files: kind, min, max, accept }
  return { files: kind, min, max, accept: [...new Set(chains.flatMap(acceptedBy))] }
}
