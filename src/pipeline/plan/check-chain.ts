import type { InputSpec } from '../../tool/contract.ts'
import { either } from '../../wording.ts'
import type { DataMistake, DataPath } from '../read/diagnostics.ts'
import { canTake, type Flow, flowAfter, flowInto } from './flow.ts'
import type { PlannedStep } from './plan.ts'

/** Where a step stands and what came of it; undefined when it is wrong, so that what follows cannot be judged. */
export interface CheckedStep {
  path: DataPath
  planned: PlannedStep | undefined
}

const list = (words: readonly string[]): string => either(words.length > 8 ? [...words.slice(0, 8), 'others'] : words)

const files = (count: number): string => `${count} file${count === 1 ? '' : 's'}`

/** What is wrong with a step at its place, as a sentence and a hint. */
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
 * Follows a file through steps and notes every step that cannot take what comes.
 * @param start what comes from the common steps, for those of a variant
 * @returns what comes out; undefined when a step on the way is wrong
 */
export function checkChain(
  mistakes: DataMistake[],
  steps: readonly CheckedStep[],
  start?: { flow: Flow; last: PlannedStep },
): { flow: Flow; last: PlannedStep } | undefined {
  let state: { flow: Flow; last: PlannedStep } | undefined = start
  let isFirst = start === undefined
  for (const { path, planned } of steps) {
    if (planned && state) {
      const [message, hint] = misplaced(planned, state.flow, state.last) ?? []
      if (message) mistakes.push({ path: [...path, 'tool'], message, ...(hint && { hint }) })
    }
    const flow = state?.flow ?? (isFirst && planned ? flowInto(planned.tool.input) : unknownFlow(planned))
    state = planned && { flow: flowAfter(planned.tool, planned.settings, flow), last: planned }
    isFirst = false
  }
  return state
}

/** After a wrong step anything may come, so that one mistake does not make others. */
const unknownFlow = (step: PlannedStep | undefined): Flow => ({
  types: step?.tool.input.accept ?? ['*'],
  several: true,
})

/** What a pipeline takes: what its first step takes. */
export function inputOf(first: PlannedStep): InputSpec {
  const { files: kind, min, max, accept } = first.tool.input
  return { files: kind, min, max, accept }
}
