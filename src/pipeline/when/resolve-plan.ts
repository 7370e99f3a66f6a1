import type { MediaFile } from '../../media/file.ts'
import { stepsOf, withNeeded } from '../plan/parts.ts'
import { type Group, groupSteps, type PipelinePlan, type PlannedStep } from '../plan/plan.ts'
import type { StepTime } from '../plan/step-time.ts'
import { meetsWhen, type WhenCondition, whenText } from './condition.ts'
import type { Facts } from './facts.ts'
import { readFacts } from './read-facts.ts'

/** A plan for one input: the steps whose conditions the input meets. */
export interface ResolvedPlan {
  plan: PipelinePlan
  /** The variants whose conditions it does not meet, and those that need their results, by index. */
  skippedVariants: ReadonlySet<number>
  /** Why variants without a condition of their own are skipped. */
  notices: readonly string[]
  /** The steps that do not run, for records. */
  skipped: readonly StepTime[]
}

/** Whether the plan depends on its input. */
export const isConditional = ({ facts }: PipelinePlan): boolean => facts.length > 0

function skippedTime({ number, name }: PlannedStep, variant: string, reason: string): StepTime {
  return { step: number, tool: name, ...(variant && { variant }), ms: 0, fused: 1, skipped: reason }
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
  const unmet = new Map<number, WhenCondition>()
  const remaining = (groups: readonly Group[], variant: string): Group[] =>
    groupSteps(
      stepsOf(groups).filter((step) => {
        const isMet = meetsWhen(step.when, facts)
        if (!isMet && step.when) skipped.push(skippedTime(step, variant, whenText(step.when)))
        return isMet
      }),
    )
  const common = remaining(plan.common, '')
  const variants = plan.variants.map((variant, index) => {
    const { name, groups, when } = variant
    if (meetsWhen(when, facts) || !when) return { ...variant, groups: remaining(groups, name) }
    unmet.set(index, when)
    skipped.push(...stepsOf(groups).map((step) => skippedTime(step, name, whenText(when))))
    return variant
  })
  const resolved = { ...plan, common, variants }
  const skippedVariants = new Set(unmet.keys())
  const notices: string[] = []
  for (const [index, { name, groups }] of variants.entries()) {
    const missing = unmet.has(index) ? undefined : withNeeded(resolved, [index]).find((one) => unmet.has(one))
    const when = missing === undefined ? undefined : unmet.get(missing)
    if (missing === undefined || !when) continue
    const reason = `it needs ${variants[missing]?.name}, which is only for ${whenText(when)}`
    skippedVariants.add(index)
    skipped.push(...stepsOf(groups).map((step) => skippedTime(step, name, reason)))
    notices.push(`${name} is skipped: ${reason}`)
  }
  return { plan: resolved, skippedVariants, notices, skipped }
}

/** Steps in the order of the pipeline: the common ones, then those of each variant. */
export function inPlanOrder({ variants }: PipelinePlan, times: readonly StepTime[]): StepTime[] {
  const rank = ({ variant }: StepTime): number => variants.findIndex(({ name }) => name === (variant ?? ' '))
  return [...times].sort((one, other) => rank(one) - rank(other) || one.step - other.step)
}
