/** The parts of a pipeline, its common steps and its variants, and which of them need the result of another. */
import type { Group, PipelinePlan, PlannedStep } from './plan.ts'
import type { PartInput, Reference } from './reference.ts'

/** The common steps, or a variant. */
export interface PlanPart {
  steps: readonly PlannedStep[]
  /** A variant's own inputs; without them it begins with the result of the common steps. */
  inputs?: readonly PartInput[] | undefined
}

/** The common steps as a part; variants have their indexes. */
export const COMMON = -1

/** Why a part needs another: by a reference, or as it begins with its result. */
export interface Need {
  part: number
  reference?: Reference
}

export const stepsOf = (groups: readonly Group[]): PlannedStep[] => groups.flatMap(({ steps }) => steps)

/** The references of a part, in order. */
export function referencesIn({ steps, inputs = [] }: PlanPart): Reference[] {
  const items = inputs.filter((item) => typeof item !== 'string')
  return [...items, ...steps.flatMap(({ references = {} }) => Object.values(references))]
}

/** The parts that a part needs. */
export function needsOf(part: PlanPart, index: number): Need[] {
  const needs = referencesIn(part).flatMap((reference) =>
    reference.of === 'input' ? [] : reference.of.map((one): Need => ({ part: one, reference })),
  )
  return index === COMMON || part.inputs ? needs : [{ part: COMMON }, ...needs]
}

type Parts = Pick<PipelinePlan, 'common' | 'variants'>

/** A part of a plan. */
export function partOf({ common, variants }: Parts, index: number): PlanPart {
  const variant = variants[index]
  return variant ? { steps: stepsOf(variant.groups), inputs: variant.inputs } : { steps: stepsOf(common) }
}

/** Parts and all that they need, in the order in which they run. */
export function withNeeded(plan: Parts, targets: Iterable<number>): number[] {
  const found = new Set<number>()
  const visited = new Set<number>()
  const visit = (index: number): void => {
    if (visited.has(index)) return
    visited.add(index)
    for (const { part } of needsOf(partOf(plan, index), index)) visit(part)
    found.add(index)
  }
  for (const target of targets) visit(target)
  return [...found]
}

/**
 * The only variant that begins with the result of the common steps, whose steps are fused with them; undefined if there
 * are several or none.
 */
export function onlyContinuing({ variants }: Pick<PipelinePlan, 'variants'>): number | undefined {
  const continuing = variants.flatMap(({ inputs }, index) => (inputs ? [] : [index]))
  return continuing.length === 1 ? continuing[0] : undefined
}

/**
 * All parts in the order in which they run, from COMMON.
 * @param onCycle called with the parts of a circle, the first one also at the end, and a reference in it
 */
export function inRunOrder(
  partsByIndex: ReadonlyMap<number, PlanPart>,
  onCycle: (circle: readonly number[], reference: Reference) => void,
): number[] {
  const done = new Set<number>()
  const path: Need[] = []
  const visit = (need: Need): void => {
    const start = path.findIndex(({ part }) => part === need.part)
    if (start >= 0) {
      const circle = [...path.slice(start), need]
      const reference = circle.slice(1).findLast((one) => one.reference)?.reference
      if (reference)
        onCycle(
          circle.map(({ part }) => part),
          reference,
        )
      return
    }
    const part = partsByIndex.get(need.part)
    if (done.has(need.part) || !part) return
    path.push(need)
    for (const one of needsOf(part, need.part)) visit(one)
    path.pop()
    done.add(need.part)
  }
  for (const index of partsByIndex.keys()) visit({ part: index })
  return [...done]
}
