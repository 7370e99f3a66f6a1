import type { MediaFile } from '../../media/file.ts'
import { type Group, groupSteps, type PipelinePlan, type PlannedStep } from '../plan/plan.ts'
import type { StepTime } from '../plan/step-time.ts'
import { meetsWhen, type WhenCondition, whenText } from './condition.ts'
import type { Facts } from './facts.ts'
import { readFacts } from './read-facts.ts'

/** A plan for one input: the steps whose conditions the input meets. */
export interface ResolvedPlan {
  plan: PipelinePlan
  /** The variants whose conditions it does not meet, by index. */
  skippedVariants: ReadonlySet<number>
  /** The steps that do not run, for records. */
  skipped: readonly StepTime[]
}

const stepsOf = (groups: readonly Group[]): PlannedStep[] => groups.flatMap(({ steps }) => steps)

/** Whether the plan depends on its input. */
export const isConditional = ({ facts }: PipelinePlan): boolean => facts.length > 0

function skippedTime({ number, name }: PlannedStep, variant: string, when: WhenCondition): StepTime {
  return { step: number, tool: name, ...(variant && { variant }), ms: 0, fused: 1, skipped: whenText(when) }
}

/**
 * Decides on the conditions of a plan for an input, and fuses the remaining steps.
 * @throws MediaprocError if the facts of the file cannot be read
 */
export async function resolvePlan(plan: PipelinePlan, file: MediaFile, signal: AbortSignal): Promise<ResolvedPlan> {
  const facts = await readFacts(file, new Set(plan.facts), signal)
  return resolveFor(plan, facts)
}

/** Decides on the conditions of a plan for known facts. */
export function resolveFor(plan: PipelinePlan, facts: Facts): ResolvedPlan {
  const skipped: StepTime[] = []
  const skippedVariants = new Set<number>()
  const remaining = (groups: readonly Group[], variant: string): Group[] =>
    groupSteps(
      stepsOf(groups).filter((step) => {
        const isMet = meetsWhen(step.when, facts)
        if (!isMet && step.when) skipped.push(skippedTime(step, variant, step.when))
        return isMet
      }),
    )
  const common = remaining(plan.common, '')
  const variants = plan.variants.map((variant, index) => {
    const { name, groups, when } = variant
    if (meetsWhen(when, facts) || !when) return { ...variant, groups: remaining(groups, name) }
    skippedVariants.add(index)
    skipped.push(...stepsOf(groups).map((step) => skippedTime(step, name, when)))
    return variant
  })
  return { plan: { ...plan, common, variants }, skippedVariants, skipped }
}

/** Steps in the order of the pipeline: the common ones, then those of each variant. */
export function inPlanOrder({ variants }: PipelinePlan, times: readonly StepTime[]): StepTime[] {
  const rank = ({ variant }: StepTime): number => variants.findIndex(({ name }) => name === (variant ?? ' '))
  return [...times].sort((one, other) => rank(one) - rank(other) || one.step - other.step)
}
