import type { InputSpec, Medium, OutputSpec, Tool } from '../../tool/contract.ts'
import { type Flow, typeAfter } from './flow.ts'

/** A step that is checked and ready to run. */
export interface PlannedStep {
  /** Its number in what a file goes through, from 1. */
  number: number
  /** `image/resize` */
  name: string
  tool: Tool
  /** Checked, with defaults. */
  settings: Record<string, unknown>
  /** As they were given, further files among them, for people; secrets are left out. */
  given: Record<string, unknown>
  /** Named further inputs: absolute paths. */
  secondary: Readonly<Record<string, string>>
}

/** Steps that run as one: of one medium, or one general tool alone. */
export interface Group {
  medium: Medium
  steps: readonly PlannedStep[]
}

export interface PlannedVariant {
  /** '' for a pipeline without variants. */
  name: string
  groups: readonly Group[]
  output: OutputSpec
  /** All settings on the way, later steps winning, without secrets: for names of outputs. */
  settings: Readonly<Record<string, unknown>>
}

/** A pipeline that can run. */
export interface PipelinePlan {
  /** Part of file names: letters, digits, dots, dashes and underscores. */
  name: string
  /** Where it was read from; outputs older than it are out of date. */
  path?: string
  /** Inputs that it names itself: paths and patterns. */
  inputs: readonly string[]
  /** The pattern of output names that it states. */
  output?: string
  input: InputSpec
  /** Steps that all variants share. */
  common: readonly Group[]
  /** At least one. */
  variants: readonly PlannedVariant[]
  /** Sum of the steps' limits, in seconds. */
  timeoutS: number
  heavy: boolean
  /** Sentences about deprecated settings. */
  warnings: readonly string[]
}

/** Whether a step turns one open frame, graph or document into one, so that it runs as one with its neighbours. */
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
 * Whether a step must reopen its input: a password that it brings is to be tried on the file, so that a protection is
 * never taken off without it.
 */
const opensAnew = ({ tool }: PlannedStep): boolean => tool.medium === 'pdf' && tool.step.open !== undefined

/** Puts neighbours of the same medium together. */
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

/** What a variant gives, in the words of the contract. */
export function outputOf(steps: readonly PlannedStep[], flow: Flow): OutputSpec {
  if (steps.at(-1)?.tool.output.kind === 'report') return { kind: 'report' }
  return { kind: flow.several ? 'files' : 'file', type: typeAfter(steps) }
}

/** The settings of all steps by name, for names of outputs. */
export function namedSettings(steps: readonly PlannedStep[]): Record<string, unknown> {
  const merged: Record<string, unknown> = {}
  for (const { tool, settings } of steps)
    for (const [name, value] of Object.entries(settings)) if (!tool.settings[name]?.secret) merged[name] = value
  return merged
}
