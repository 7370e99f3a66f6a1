import type { InputSpec } from '../../tool/contract.ts'
import type { DataDiagnostic, DataPath } from '../read/diagnostics.ts'
import type { WhenCondition } from '../when/condition.ts'
import { acceptedBy, type CheckedStep, checkChain, inputOf } from './check-chain.ts'
import { checkFileSettings, checkPartInputs, type PartResult } from './check-references.ts'
import type { Flow } from './flow.ts'
import { COMMON, inRunOrder, type PlanPart, referencesIn } from './parts.ts'
import type { PlannedStep } from './plan.ts'
import type { PartInput } from './reference.ts'

/** A variant whose steps are checked, each for itself. */
export interface CheckedVariant {
  name: string
  steps: readonly CheckedStep[]
  inputs: readonly PartInput[] | undefined
  /** Some of its inputs are unknown, which is recorded. */
  lacksInputs: boolean
  isIntermediate: boolean
  when: WhenCondition | undefined
}

/** A pipeline whose steps are checked, each for itself. */
export interface CheckedParts {
  diagnostics: DataDiagnostic[]
  common: readonly CheckedStep[]
  variants: readonly CheckedVariant[]
  /** Whether it has conditions. */
  isConditional: boolean
}

/** What the parts of a pipeline give, and what they begin with. */
export interface PartFlows {
  /** By part; those of invalid parts are absent. */
  results: ReadonlyMap<number, PartResult>
  /** By variant with inputs of its own. */
  starts: ReadonlyMap<number, Flow>
  /** The input of the pipeline; undefined if it is unknown. */
  input: InputSpec | undefined
}

const UNKNOWN: Flow = { types: ['*'], several: true }

export const sound = (steps: readonly CheckedStep[]): PlannedStep[] => steps.flatMap(({ planned }) => planned ?? [])

/** What the references to the pipeline's input accept. */
function inputUsers(parts: Iterable<PlanPart>): (readonly string[])[] {
  return [...parts].flatMap(({ steps, inputs = [] }) => [
    ...inputs.flatMap((item) => (typeof item !== 'string' && item.of === 'input' ? [acceptedBy(steps)] : [])),
    ...steps.flatMap(({ tool, references = {} }) =>
      Object.entries(references).flatMap(([key, { of }]) =>
        of === 'input' ? [tool.input.secondary?.[key]?.accept ?? ['*']] : [],
      ),
    ),
  ])
}

/** The input of the pipeline, from all variants that begin with it. */
function pipelineInput(
  { common, variants, isConditional }: CheckedParts,
  parts: ReadonlyMap<number, PlanPart>,
): InputSpec | undefined {
  const chains = variants.filter(({ inputs }) => !inputs).map(({ steps }) => [...common, ...steps])
  if (chains.some(([first]) => !first?.planned)) return undefined
  return inputOf(chains.map(sound), inputUsers(parts.values()), isConditional)
}

/** Without common steps, all variants that begin with the input must start with tools that take the same number of files. */
function checkFirsts({ diagnostics, variants }: CheckedParts): void {
  const firsts = variants.map(({ steps, inputs }) => (inputs ? undefined : sound(steps)[0]))
  const lead = firsts.find((first) => first)
  for (const [index, first] of firsts.entries())
    if (lead && first && first.tool.input.files !== lead.tool.input.files)
      diagnostics.push({
        path: ['variants', index, 'steps', 0, 'tool'],
        message: `${first.name} does not take the same number of files as ${lead.name}, the first step of the first variant`,
        hint: 'Give the variant inputs of its own; inputs: [] are none.',
      })
}

/** Parts that nothing needs: they would have no effect. */
function checkUsed({ diagnostics, common, variants }: CheckedParts, parts: ReadonlyMap<number, PlanPart>): void {
  const used = new Set([...parts.values()].flatMap(referencesIn).flatMap(({ of }) => (of === 'input' ? [] : of)))
  for (const [index, { name, isIntermediate }] of variants.entries())
    if (isIntermediate && !used.has(index))
      diagnostics.push({
        path: ['variants', index, 'output'],
        message: `The result of ${name} is not used: it has no output, and no other variant names it`,
        hint: `Name it with { result: ${name} }, or leave output out.`,
      })
  if (common.length > 0 && variants.every(({ inputs }) => inputs))
    diagnostics.push({
      path: ['steps', 0],
      message: 'No variant begins with the result of these steps',
      hint: 'A variant without inputs of its own does.',
    })
}

const nameOfPart = (variants: readonly CheckedVariant[], index: number): string =>
  variants[index]?.name ?? 'the common steps'

/** Checks what comes after what, part by part in the order in which they run. */
export function checkParts(checked: CheckedParts): PartFlows {
  const { diagnostics, common, variants } = checked
  const parts = new Map<number, PlanPart>([
    [COMMON, { steps: sound(common) }],
    ...variants.map(({ steps, inputs }, index) => [index, { steps: sound(steps), inputs }] as const),
  ])
  const results = new Map<number, PartResult>()
  const starts = new Map<number, Flow>()
  const input = pipelineInput(checked, parts)
  const checking = { diagnostics, results, input }
  const order = inRunOrder(parts, (circle, { path }) => {
    const names = circle.map((index) => nameOfPart(variants, index))
    diagnostics.push({ path: [...path, 'result'], message: `A result cannot need itself: ${names.join(' → ')}` })
  })
  /** What a variant begins with; undefined if that is the input of the pipeline, null if it is unknown. */
  const startOf = (
    { inputs, lacksInputs, steps, name }: CheckedVariant,
    index: number,
  ): PartResult | undefined | null => {
    if (!inputs) return common.length === 0 ? undefined : (results.get(COMMON) ?? null)
    const path: DataPath = ['variants', index]
    if (steps.length === 0)
      diagnostics.push({ path, message: `Expected at least one step for ${name}, which has inputs of its own` })
    if (!steps[0]?.planned) return null
    const flow = lacksInputs ? undefined : checkPartInputs(checking, inputs, sound(steps), [...path, 'inputs'])
    if (flow) starts.set(index, flow)
    return { flow: flow ?? UNKNOWN, last: undefined }
  }
  for (const index of order) {
    const variant = variants[index]
    checkFileSettings(checking, parts.get(index)?.steps ?? [])
    const start = variant && startOf(variant, index)
    // After an invalid common step the input of the variants is unknown.
    const end = start === null ? undefined : checkChain(diagnostics, variant?.steps ?? common, start)
    if (end) results.set(index, end)
  }
  if (common.length === 0) checkFirsts(checked)
  if (diagnostics.length === 0) checkUsed(checked, parts)
  return { results, starts, input }
}
