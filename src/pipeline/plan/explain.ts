import { relative, resolve } from 'node:path'
import { Workspace } from '../../job/workspace.ts'
import { firstOf } from '../../lists.ts'
import { planAv } from '../../media/av/filters/graph.ts'
import { openAv } from '../../media/av/input/input.ts'
import type { MediaFile } from '../../media/file.ts'
import type { Medium, OutputSpec, StepContext } from '../../tool/contract.ts'
import { knownFrom, placeholdersOf, placeholderText } from '../../tool/names/template.ts'
import type { DeclaredParameter } from '../read/parameter.ts'
import { type AvRun, avStep, joinStep } from '../run/run-av.ts'
import { openFurther } from '../run/run-context.ts'
import { whenText } from '../when/condition.ts'
import { isConditional, resolvePlan } from '../when/resolve-plan.ts'
import { onlyContinuing, referencesIn, stepsOf } from './parts.ts'
import { type Group, groupSteps, type PipelinePlan, type PlannedStep, type PlannedVariant } from './plan.ts'
import { referenceText } from './reference.ts'
import { TYPICAL } from './typical-source.ts'

export interface ExplainedStep {
  number: number
  tool: string
  /** As given, without secrets. */
  settings: Record<string, unknown>
  /** The condition for the input; absent if it always runs. */
  when?: string
  /** The included file that contains the step. */
  from?: string
}

/** One ffmpeg command and the steps that it performs. */
export interface ExplainedCommand {
  steps: number[]
  /** INPUT and OUTPUT are placeholders for files without a name yet. */
  arguments: string[]
}

export interface ExplainedGroup {
  medium: Medium
  steps: ExplainedStep[]
  /** The input of the group. */
  reads: 'input' | 'picture' | 'file' | 'inputs' | 'nothing'
  /** The result: outputs, a temporary file, or an image that stays open. */
  writes: 'output' | 'temporary file' | 'open picture'
  /** AV: the engine's commands, as far as they are known. */
  commands?: ExplainedCommand[]
  /** AV: the commands are for a typical file, since no input was given or previous steps have not run yet. */
  assumed?: boolean
}

export interface Explanation {
  name: string
  /** Declared parameters; given values are visible in the settings only. */
  parameters?: readonly DeclaredParameter[]
  /** The table with a row for each run; settings are then those of the first row. */
  rows?: { file: string; count: number; columns: readonly string[] }
  takes: { files: 'one' | 'many' | 'none'; accept: readonly string[] }
  /** With an input: the steps that it skips, with the condition that it does not meet. */
  skipped?: { number: number; tool: string; variant?: string; when: string }[]
  /** Steps that run once for all variants. */
  common: ExplainedGroup[]
  variants: {
    name: string
    when?: string
    /** Its own inputs, with which it begins instead of the result of the common steps. */
    inputs?: readonly string[]
    groups: ExplainedGroup[]
    /** It has no output: its result is for these other variants. */
    usedBy?: readonly string[]
    output: OutputSpec
    /** Placeholders of `pattern` whose values are facts of the input or output, not known before the run. */
    facts?: string[]
  }[]
  /** The pattern of output names, if the pipeline defines one. */
  pattern?: string
  /** The file that lists all outputs, if the pipeline defines one. */
  manifest?: string
}

/** The file that commands are for: undefined for a typical one, `none` for no commands. */
type ExplainedInput = MediaFile | 'none' | undefined

/** Whether the commands of a group of AV steps can be planned. A result that they need does not exist yet. */
function isPlannable({ steps }: Group, input: MediaFile | undefined): boolean {
  if (steps.some(({ references }) => references)) return false
  const first = firstOf(steps)
  const { kind, measures } = avStep(first)
  // A typical file cannot be measured.
  return input !== undefined || !measures?.(first.settings, TYPICAL[kind])
}

/** The commands of a group of AV steps. If one must be written before the next can be planned, the rest is omitted. */
async function commandsOf(group: Group, input: MediaFile | undefined): Promise<ExplainedCommand[]> {
  const workspace = new Workspace('.')
  const { signal } = new AbortController()
  const further = openFurther()
  const context = async ({ secondary }: PlannedStep): Promise<StepContext> => {
    const opened = await Promise.all(
      Object.entries(secondary).map(async ([name, path]) => [name, await further(path)] as const),
    )
    const silent = { warn: () => {}, progress: () => {}, moreTime: () => {} }
    return { ...silent, secondary: Object.fromEntries(opened), signal, scratch: () => workspace.scratch() }
  }
  const { kind } = avStep(firstOf(group.steps))
  try {
    const source = input ? await openAv(input, kind, signal) : TYPICAL[kind]
    let run: AvRun = { source, parts: [], steps: [] }
    for (const step of group.steps) {
      const longer = await joinStep(run, step, await context(step))
      if (!longer) break
      run = longer
    }
    const { extension } = planAv(run.source, run.parts, 'OUTPUT')
    const output = `OUTPUT.${extension}`
    const { arguments: words } = planAv(run.source, run.parts, output)
    const absolute = `file:${resolve(run.source.path)}`
    const named = words.slice(0, -1).map((word) => (!input && word === absolute ? run.source.path : word))
    return [{ steps: run.steps.map(({ number }) => number), arguments: [...named, output] }]
  } finally {
    await workspace.remove()
  }
}

async function explainGroups(
  groups: readonly Group[],
  ends: { first: ExplainedGroup['reads']; last: ExplainedGroup['writes'] },
  input: ExplainedInput,
): Promise<ExplainedGroup[]> {
  const explained: ExplainedGroup[] = []
  for (const [index, group] of groups.entries()) {
    const isFirst = index === 0
    const isLast = index === groups.length - 1
    const known = isFirst && ends.first === 'input' && input !== 'none' ? input : undefined
    explained.push({
      medium: group.medium,
      steps: group.steps.map(({ number, name, given, when, from }) => ({
        ...{ number, tool: name, settings: given },
        ...(when && { when: whenText(when) }),
        ...(from !== undefined && { from }),
      })),
      reads: isFirst ? ends.first : 'file',
      writes: isLast ? ends.last : 'temporary file',
      ...(group.medium === 'av' &&
        input !== 'none' &&
        isPlannable(group, known) && { commands: await commandsOf(group, known), assumed: known === undefined }),
    })
  }
  return explained
}

/** The names of the variants that use the result of another. */
function usersOf(variants: readonly PlannedVariant[], index: number): string[] {
  const usesIt = ({ groups, inputs }: PlannedVariant): boolean =>
    referencesIn({ steps: stepsOf(groups), inputs }).some(({ of }) => of !== 'input' && of.includes(index))
  return variants.filter(usesIt).map(({ name }) => name)
}

const medium = (groups: readonly Group[], at: number): Medium | undefined => groups.at(at)?.medium

/** What the steps of a plan do, without those that an input skips. */
async function explainPlan(plan: PipelinePlan, skip: ReadonlySet<number>, input: ExplainedInput): Promise<Explanation> {
  const { name, input: takes, common, variants, output, rows } = plan
  const only = onlyContinuing(plan)
  const staysOpen = medium(common, -1) === 'image'
  const explained = []
  for (const [index, variant] of variants.entries()) {
    if (skip.has(index)) continue
    const own = stepsOf(variant.groups)
    const isFused = index === only
    const { inputs, isIntermediate } = variant
    const facts = placeholdersOf(output ?? '')
      .filter((one) => knownFrom(one, variant.settings) !== 'run')
      .map(placeholderText)
    const groups = isFused ? groupSteps([...stepsOf(common), ...own]) : variant.groups
    const continues = staysOpen && (groups.length === 0 || medium(groups, 0) === 'image')
    const begins = isFused || common.length === 0 ? 'input' : continues ? 'picture' : 'file'
    const first = !inputs ? begins : inputs.length > 0 ? 'inputs' : 'nothing'
    explained.push({
      name: variant.name,
      ...(variant.when && { when: whenText(variant.when) }),
      ...(inputs && {
        inputs: inputs.map((item) => (typeof item === 'string' ? relative('.', item) : referenceText(item))),
      }),
      groups: await explainGroups(groups, { first, last: isIntermediate ? 'temporary file' : 'output' }, input),
      ...(isIntermediate && { usedBy: usersOf(variants, index) }),
      output: variant.output,
      ...(facts.length > 0 && { facts }),
    })
  }
  const last = staysOpen ? 'open picture' : 'temporary file'
  return {
    name,
    ...(plan.parameters.length > 0 && { parameters: plan.parameters }),
    ...(rows && { rows: { file: rows.table.shown, count: rows.table.rows.length, columns: rows.table.columns } }),
    takes: { files: takes.files, accept: takes.accept },
    common: only !== undefined ? [] : await explainGroups(common, { first: 'input', last }, input),
    variants: explained,
    ...(output !== undefined && { pattern: output }),
    ...(plan.manifest !== undefined && { manifest: plan.manifest }),
  }
}

/**
 * Describes what a pipeline would do, as data: fused steps, decodes and encodes, and commands.
 * @param input the input file; without it, commands are for a typical file; `none` omits commands, and reads no file
 */
export async function explainPipeline(plan: PipelinePlan, input?: ExplainedInput): Promise<Explanation> {
  if (!input || input === 'none' || !isConditional(plan)) return explainPlan(plan, new Set(), input)
  const resolved = await resolvePlan(plan, input, new AbortController().signal)
  const explanation = await explainPlan(resolved.plan, resolved.skippedVariants, input)
  const skipped = resolved.skipped.map(({ step: number, tool, variant, skipped: when = '' }) => ({
    ...{ number, tool, ...(variant && { variant }), when },
  }))
  return { ...explanation, skipped }
}
