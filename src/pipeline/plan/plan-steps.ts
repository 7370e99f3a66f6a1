import { relative } from 'node:path'
import type { InputSpec } from '../../tool/contract.ts'
import type { DataDiagnostic, DataPath } from '../read/diagnostics.ts'
import type { DeclaredParameter, Scalar } from '../read/parameter.ts'
import { checkWhen } from '../when/check-when.ts'
import type { WhenCondition } from '../when/condition.ts'
import type { FactName } from '../when/facts.ts'
import type { CheckedStep } from './check-chain.ts'
import { checkOutputsApart, checkTemplate, checkVariantNames } from './check-names.ts'
import { type CheckedParts, type CheckedVariant, checkParts, sound } from './check-parts.ts'
import { type Checking, checkStep, type StepData, valueInWords } from './check-step.ts'
import { flowInto } from './flow.ts'
import { stepsOf } from './parts.ts'
import {
  groupSteps,
  namedSettings,
  outputOf,
  type PipelinePlan,
  type PlannedStep,
  type PlannedVariant,
} from './plan.ts'
import { type NamedVariant, readReference } from './read-reference.ts'
import { fromFolder, type OwnInputs, variantInputs } from './variant-inputs.ts'

/** A pipeline as data: parsed YAML, or built by a program. */
export interface PipelineData {
  name?: string
  inputs?: readonly string[]
  steps: readonly StepData[]
  variants?: readonly VariantData[]
  /** The pattern of output names. */
  output?: string
  /** The file that lists all outputs. */
  manifest?: string
  /** The values of parameters, for output names. */
  parameters?: Readonly<Record<string, unknown>>
  /** The declarations of the parameters, for display. */
  declared?: readonly DeclaredParameter[]
  /** The files that it includes, absolute. */
  includes?: readonly string[]
  /** The values of the row that it runs for. */
  columns?: Readonly<Record<string, Scalar>>
  hasRowInputs?: true
}

export interface VariantData extends NamedVariant, OwnInputs {
  steps: readonly StepData[]
  /** Facts of the input for which it is made. */
  when?: unknown
  /** False if only other variants use its result. */
  output?: unknown
  /** The values of its matrix, for output names. */
  parameters?: Readonly<Record<string, unknown>>
}

export interface PlanOptions {
  /** The pipeline's name if it defines none. */
  name: string
  /** The file it was read from. */
  path?: string
  /** The base folder for named files; without it, a pipeline cannot name any. */
  folder?: string
  /** Placeholders that output name patterns can use in addition to settings; without it, patterns are not checked. */
  placeholders?: readonly string[]
  /** Maximum number of steps for a file; unlimited if absent or 0. */
  maxSteps?: number
  /** Settings that a tool does not know are ignored, as over HTTP; otherwise they are diagnostics. */
  ignoresUnknown?: boolean
  /**
   * Settings that need another value to take effect imply it or are diagnostics, as in the CLI; otherwise they are
   * ignored.
   */
  refusesIneffective?: boolean
  /** A location in the data for messages during the run: `shop.yaml:7:20`. */
  placeOf?: (path: DataPath) => string
}

/** A plan, or all diagnostics. */
export type PlannedData =
  | { plan: PipelinePlan; diagnostics: readonly [] }
  | { plan: undefined; diagnostics: readonly DataDiagnostic[] }

/** A problem with the number of steps, as a message. */
export function stepCountFault(count: number, most: number): string | undefined {
  return most === 0 || count <= most ? undefined : `A file goes through at most ${most} steps, and these are ${count}`
}

async function checkSteps(
  checking: Checking,
  steps: readonly StepData[],
  path: DataPath,
  first: number,
): Promise<CheckedStep[]> {
  const checked: CheckedStep[] = []
  for (const [index, step] of steps.entries()) {
    const where = [...path, index]
    checked.push({ path: where, planned: await checkStep(checking, step, where, first + index) })
  }
  return checked
}

function checkCount(diagnostics: DataDiagnostic[], chain: readonly CheckedStep[], most: number): void {
  const message = stepCountFault(chain.length, most)
  if (message) diagnostics.push({ path: chain[most]!.path, message, hint: 'Raise the limit with MAX_PIPELINE_STEPS.' })
}

/** A name that is safe in file names. */
const slug = (name: string): string => name.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[-.]+|-+$/g, '') || 'pipeline'

/** Splits after the common steps even if the medium is unchanged: variants continue from an open image. */
function planned(
  data: PipelineData,
  common: readonly PlannedStep[],
  variants: readonly PlannedVariant[],
  input: InputSpec,
  options: PlanOptions,
  warnings: readonly string[],
): PipelinePlan {
  const all = [...common, ...variants.flatMap(({ groups }) => stepsOf(groups))]
  const { folder = '.', path } = options
  const here = relative('.', folder)
  return {
    name: slug(data.name ?? options.name),
    ...(path !== undefined && { path }),
    includes: data.includes ?? [],
    ...(data.columns && { columns: data.columns }),
    ...(data.hasRowInputs && { hasRowInputs: true }),
    inputs: (data.inputs ?? []).map((one) => fromFolder(here, one)),
    ...(data.output !== undefined && { output: data.output }),
    ...(data.manifest !== undefined && { manifest: data.manifest }),
    input,
    parameters: data.declared ?? [],
    common: groupSteps(common),
    variants,
    facts: factsOf([...all, ...variants]),
    timeoutS: all.reduce((sum, { tool }) => sum + tool.timeoutS, 0),
    heavy: all.some(({ tool }) => tool.heavy),
    warnings,
  }
}

/** The facts that conditions need, each once. */
const factsOf = (parts: readonly { when?: WhenCondition }[]): FactName[] => [
  ...new Set(parts.flatMap(({ when = [] }) => when.map(({ fact }) => fact))),
]

/** Conditions are about one input. */
function checkConditions(
  diagnostics: DataDiagnostic[],
  data: PipelineData,
  first: PlannedStep | undefined,
  input: InputSpec | undefined,
): void {
  const files = first?.tool.input.files ?? input?.files ?? 'one'
  const path = files === 'one' ? undefined : conditionPath(data)
  if (!path) return
  const taker = first ? `${first.name}, the first step,` : 'the pipeline'
  const message = `A condition is about one input, and ${taker} takes ${files === 'none' ? 'none' : 'several'}`
  diagnostics.push({ path, message })
}

/** The path of the first condition. */
function conditionPath({ steps, variants = [] }: PipelineData): DataPath | undefined {
  const own = steps.findIndex(({ when }) => when !== undefined)
  if (own >= 0) return ['steps', own, 'when']
  for (const [index, variant] of variants.entries()) {
    if (variant.when !== undefined) return ['variants', index, 'when']
    const step = variant.steps.findIndex(({ when }) => when !== undefined)
    if (step >= 0) return ['variants', index, 'steps', step, 'when']
  }
  return undefined
}

/** A pipeline without variants is one variant without a name. */
const variantsOf = (named: readonly VariantData[]): readonly VariantData[] =>
  named.length > 0 ? named : [{ name: '', steps: [] }]

function isWithoutOutput(diagnostics: DataDiagnostic[], { output = true }: VariantData, path: DataPath): boolean {
  if (typeof output !== 'boolean')
    diagnostics.push({ path, message: `Expected true or false for output, got ${valueInWords(output)}` })
  return output === false
}

/** Checks every step for itself. */
async function checkEach(
  { steps, variants = [] }: PipelineData,
  checking: Omit<Checking, 'refer'>,
  { maxSteps = 0, placeOf }: PlanOptions,
): Promise<CheckedParts> {
  const { diagnostics } = checking
  const within = (from: VariantData | undefined): Checking => ({
    ...checking,
    refer: (given, path) => readReference({ diagnostics, variants, from, placeOf }, given, path),
  })
  const common = await checkSteps(within(undefined), steps, ['steps'], 1)
  const checked: CheckedVariant[] = []
  for (const [index, variant] of variantsOf(variants).entries()) {
    const path = ['variants', index]
    const { name, when } = variant
    const before = variant.inputs ? [] : common
    const own = await checkSteps(within(variant), variant.steps, [...path, 'steps'], before.length + 1)
    checkCount(diagnostics, [...before, ...own], maxSteps)
    const count = diagnostics.length
    const inputs = await variantInputs(within(variant), variant, [...path, 'inputs'])
    const lacksInputs = diagnostics.length > count || variant.inputs?.includes(undefined) === true
    checked.push({
      ...{ name, steps: own, inputs, lacksInputs },
      isIntermediate: isWithoutOutput(diagnostics, variant, [...path, 'output']),
      when: when === undefined ? undefined : checkWhen(diagnostics, when, [...path, 'when']),
    })
  }
  const all = [...common, ...checked.flatMap((one) => one.steps)]
  const isConditional = checked.some(({ when }) => when) || all.some(({ planned: step }) => step?.when)
  return { diagnostics, common, variants: checked, isConditional }
}

/**
 * Checks and plans a pipeline, and reports all mistakes at once; settings are checked only here. Nothing runs.
 */
export async function planSteps(data: PipelineData, options: PlanOptions): Promise<PlannedData> {
  const diagnostics: DataDiagnostic[] = []
  const { folder, placeholders, ignoresUnknown = false, refusesIneffective = false } = options
  const checking = { diagnostics, warnings: [], folder, ignoresUnknown, refusesIneffective }
  const { variants: named = [], parameters = {} } = data
  checkVariantNames(diagnostics, named)
  const checked = await checkEach(data, checking, options)
  const { results, starts, input } = checkParts(checked)
  const common = sound(checked.common)
  const variants: PlannedVariant[] = []
  const names = new Set([...(placeholders ?? []), ...Object.keys(parameters), ...(named.length > 0 ? ['variant'] : [])])
  for (const [index, { name, steps, inputs, isIntermediate, when }] of checked.variants.entries()) {
    const values = named[index]?.parameters ?? {}
    for (const value of Object.keys(values)) names.add(value)
    const own = sound(steps)
    const chain = inputs ? own : [...common, ...own]
    for (const { tool } of chain)
      for (const [setting, { secret }] of Object.entries(tool.settings)) if (!secret) names.add(setting)
    const end = results.get(index)
    if (!end && diagnostics.length === 0)
      diagnostics.push({ path: [], message: `Expected at least one step${name && ` for ${name}`}, got none` })
    const flow = end?.flow ?? flowInto({ accept: ['*'] })
    variants.push({
      name,
      groups: groupSteps(own),
      ...(when && { when }),
      ...(inputs && { inputs }),
      ...(isIntermediate && { isIntermediate }),
      output: outputOf(chain, flow, starts.get(index)),
      settings: { ...namedSettings(chain), ...parameters, ...values },
    })
  }
  const continuing = checked.variants.find(({ inputs }) => !inputs)
  checkConditions(diagnostics, data, common[0] ?? sound(continuing?.steps ?? [])[0], input)
  if (placeholders) {
    checkTemplate(diagnostics, data.output, [...names])
    const written = variants.filter((one) => !one.isIntermediate)
    if (diagnostics.length === 0) checkOutputsApart(diagnostics, data.output, written)
  }
  if (diagnostics.length > 0 || !input) return { plan: undefined, diagnostics }
  return { plan: planned(data, common, variants, input, options, checking.warnings), diagnostics: [] }
}
