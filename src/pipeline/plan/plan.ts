import { typeOfName } from '../../media/type.ts'
import type { InputSpec, Medium, OutputSpec, Tool } from '../../tool/contract.ts'
import type { OutputType } from '../../tool/output-type.ts'
import type { Diagnostic } from '../read/diagnostics.ts'
import type { DeclaredParameter, Scalar } from '../read/parameter.ts'
import type { Row, RowTable } from '../rows/row-table.ts'
import type { WhenCondition } from '../when/condition.ts'
import type { FactName } from '../when/facts.ts'
import { type Flow, typeAfter } from './flow.ts'
import type { PartInput, Reference } from './reference.ts'

/** A plan, or all diagnostics. */
export type PlanOrDiagnostics =
  | { plan: PipelinePlan; diagnostics: readonly [] }
  | { plan: undefined; diagnostics: readonly Diagnostic[] }

/** The rows of a table, each of which is a run of the pipeline with its own values. */
export interface PlannedRows {
  table: RowTable
  /** The plan for a row. Every row has one of its own, as its values are in the settings. */
  planFor(row: Row): Promise<PlanOrDiagnostics>
}

/** A checked step, ready to run. */
export interface PlannedStep {
  /** Its position on the path of a file, from 1. */
  number: number
  /** `image/resize` */
  name: string
  tool: Tool
  /** Checked, with defaults. */
  settings: Record<string, unknown>
  /** As given, including additional files, for display; without secrets. */
  given: Record<string, unknown>
  /** It runs only for inputs that meet this. */
  when?: WhenCondition
  /** The included file that contains it, for display. */
  from?: string
  /** Named additional inputs: absolute paths. */
  secondary: Readonly<Record<string, string>>
  /** Named additional inputs that the run makes; it adds their paths to `secondary`. */
  references?: Readonly<Record<string, Reference>>
}

/** Steps that run as one: of the same medium, or a single general tool. */
export interface Group {
  medium: Medium
  steps: readonly PlannedStep[]
}

export interface PlannedVariant {
  /** '' for a pipeline without variants. */
  name: string
  groups: readonly Group[]
  /** It is made only of inputs that meet this. */
  when?: WhenCondition
  /** It begins with these instead of the result of the common steps. */
  inputs?: readonly PartInput[]
  /** Its result is only for other variants. */
  isIntermediate?: true
  output: OutputSpec
  /** All settings along the path, later steps overriding earlier ones, and parameters, without secrets: for output names. */
  settings: Readonly<Record<string, unknown>>
}

/** A pipeline that is ready to run. */
export interface PipelinePlan {
  /** For file names: letters, digits, dots, dashes and underscores. */
  name: string
  /** The file it was read from; outputs older than it are outdated. */
  path?: string
  /** The files that it includes, absolute; outputs older than them are outdated as well. */
  includes: readonly string[]
  /** Inputs that the pipeline names itself: paths and patterns. */
  inputs: readonly string[]
  /** The pattern of output names in the pipeline. */
  output?: string
  /** The file that lists all outputs; relative to the folder of the outputs. */
  manifest?: string
  /** The rows that it runs for; the rest of the plan is then that of one of them. */
  rows?: PlannedRows
  /** For a row: its values by column, for output names. */
  columns?: Readonly<Record<string, Scalar>>
  /** `inputs` has values of the row: they are literal names, not patterns. */
  hasRowInputs?: true
  input: InputSpec
  /** The parameters that it declares. */
  parameters: readonly DeclaredParameter[]
  /** Common steps of all variants. */
  common: readonly Group[]
  /** At least one. */
  variants: readonly PlannedVariant[]
  /** The facts of the input that conditions need; none without conditions. */
  facts: readonly FactName[]
  /** Sum of the steps' limits, in seconds. */
  timeoutS: number
  heavy: boolean
  /** Deprecation messages for settings. */
  warnings: readonly string[]
}

/** Whether a step turns one open frame, graph or document into one, so that it can be fused with its neighbours. */
export function isFusible({ tool }: PlannedStep): boolean {
  switch (tool.medium) {
    case 'image':
      return tool.step.transform !== undefined
    case 'av':
      return tool.step.plan !== undefined
    case 'pdf':
      return tool.step.edit !== undefined
    case 'general':
      return false
  }
}

/**
 * Whether a step must reopen its input: the password it provides must be checked against the file, so that protection
 * is never removed without it.
 */
const opensAnew = ({ tool }: PlannedStep): boolean => tool.medium === 'pdf' && tool.step.open !== undefined

/** Groups neighbouring steps of the same medium. */
export function groupSteps(steps: readonly PlannedStep[]): Group[] {
  const groups: { medium: Medium; steps: PlannedStep[] }[] = []
  for (const step of steps) {
    const medium = isFusible(step) ? step.tool.medium : 'general'
    const last = groups.at(-1)
    if (last && medium !== 'general' && last.medium === medium && !opensAnew(step)) last.steps.push(step)
    else groups.push({ medium, steps: [step] })
  }
  return groups
}

/**
 * The result of a variant, in the terms of the contract.
 * @param given what the steps begin with, if that is not the input of the pipeline
 */
export function outputOf(steps: readonly PlannedStep[], flow: Flow, given?: Flow): OutputSpec {
  if (steps.at(-1)?.tool.output.kind === 'report') return { kind: 'report' }
  return { kind: flow.several ? 'files' : 'file', type: possibleType(steps, given && typeIn(given)) }
}

/** The type of what steps begin with. */
function typeIn({ types }: Flow): OutputType {
  const [only = '*'] = types
  return types.length === 1 && typeOfName(`x.${only}`) ? { is: only } : { oneOf: ['*'] }
}

/** Maximum number of conditional steps for which all cases are considered. */
const MAX_CASES = 6

/** The type after the steps, whichever of the conditional ones run. */
function possibleType(steps: readonly PlannedStep[], start: OutputType | undefined): OutputType {
  const conditional = steps.filter(({ when }) => when)
  if (conditional.length > MAX_CASES) return { oneOf: ['*'] }
  const cases = Array.from({ length: 2 ** conditional.length }, (_, bits) => {
    const left = new Set(conditional.filter((_step, index) => (bits >> index) & 1))
    return typeAfter(
      steps.filter((step) => !left.has(step)),
      start,
    )
  })
  const [first = { oneOf: ['*'] }] = cases
  return cases.every((one) => JSON.stringify(one) === JSON.stringify(first)) ? first : { oneOf: ['*'] }
}

/** The settings of all steps by name, for output names. */
export function namedSettings(steps: readonly PlannedStep[]): Record<string, unknown> {
  const merged: Record<string, unknown> = {}
  for (const { tool, settings } of steps)
    for (const [name, value] of Object.entries(settings)) if (!tool.settings[name]?.secret) merged[name] = value
  return merged
}
