import { isAbsolute, join, relative } from 'node:path'
import { typeOfName } from '../../media/type.ts'
import { knownFrom, placeholdersOf, templateFaults } from '../../tool/names/template.ts'
import type { DataDiagnostic, DataPath } from '../read/diagnostics.ts'
import type { DeclaredParameter, Scalar } from '../read/parameter.ts'
import { checkWhen } from '../when/check-when.ts'
import type { WhenCondition } from '../when/condition.ts'
import type { FactName } from '../when/facts.ts'
import { type CheckedStep, checkChain, inputOf } from './check-chain.ts'
import { type Checking, checkStep, type StepData } from './check-step.ts'
import { flowInto } from './flow.ts'
import {
  groupSteps,
  namedSettings,
  outputOf,
  type PipelinePlan,
  type PlannedStep,
  type PlannedVariant,
} from './plan.ts'

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

export interface VariantData {
  name: string
  steps: readonly StepData[]
  /** Facts of the input for which it is made. */
  when?: unknown
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
}

/** A plan, or all diagnostics. */
export type PlannedData =
  | { plan: PipelinePlan; diagnostics: readonly [] }
  | { plan: undefined; diagnostics: readonly DataDiagnostic[] }

/** A name that is valid in file names on every system. */
const VARIANT_NAME = /^(?!\.+$)[^/\\:*?"<>|\u0000-\u001f]{1,64}$/

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

function checkVariantNames(diagnostics: DataDiagnostic[], variants: readonly VariantData[]): void {
  const seen = new Set<string>()
  for (const [index, { name }] of variants.entries()) {
    const path = ['variants', index]
    const folded = name.toLowerCase()
    if (name === '')
      diagnostics.push({ path: [...path, 'name'], message: 'Expected a name for the variant, got nothing' })
    else if (!VARIANT_NAME.test(name))
      diagnostics.push({
        path: [...path, 'name'],
        message: `A variant called ${JSON.stringify(name)} cannot be part of a file name`,
      })
    if (name !== '' && seen.has(folded)) diagnostics.push({ path, message: `There are two variants called ${name}` })
    seen.add(folded)
  }
}

function checkTemplate(diagnostics: DataDiagnostic[], template: string | undefined, known: readonly string[]): void {
  if (template === undefined) return
  const path = ['output']
  if (/[/\\]$/.test(template))
    diagnostics.push({ path, message: `Expected a pattern of file names, got the folder ${template}` })
  for (const fault of templateFaults(template, known)) diagnostics.push({ path, ...fault })
}

/** Whether two variants would give an output the same name, as far as the plan shows. */
function haveOneName(template: string, one: PlannedVariant, other: PlannedVariant): boolean {
  const hasExtension = typeOfName(template.slice(template.lastIndexOf('}') + 1)) !== undefined
  const isOneType = JSON.stringify(one.output.type) === JSON.stringify(other.output.type)
  if (one.output.kind !== other.output.kind || !(hasExtension || isOneType)) return false
  return placeholdersOf(template).every(
    (placeholder) =>
      placeholder.name !== 'variant' &&
      // Facts of outputs, such as their checksum, can differ.
      [one, other].every(({ settings }) => knownFrom(placeholder, settings) !== 'output') &&
      JSON.stringify(one.settings[placeholder.name]) === JSON.stringify(other.settings[placeholder.name]),
  )
}

function checkOutputsApart(
  diagnostics: DataDiagnostic[],
  template: string | undefined,
  variants: readonly PlannedVariant[],
): void {
  if (template === undefined) return
  for (const [index, variant] of variants.entries()) {
    const earlier = variants.slice(0, index).find((one) => haveOneName(template, one, variant))
    if (!earlier || variant.output.kind === 'report') continue
    const message = `The variants ${earlier.name} and ${variant.name} would both write ${template}`
    return void diagnostics.push({ path: ['output'], message, hint: 'Distinguish them with {variant}.' })
  }
}

/** Without common steps, all variants must start with tools that take the same number of files. */
function checkFirsts(diagnostics: DataDiagnostic[], variants: readonly PlannedVariant[]): void {
  const firsts = variants.map(({ groups }) => groups[0]?.steps[0])
  const [lead] = firsts
  for (const [index, first] of firsts.entries())
    if (lead && first && first.tool.input.files !== lead.tool.input.files)
      diagnostics.push({
        path: ['variants', index, 'steps', 0, 'tool'],
        message: `${first.name} does not take the same number of files as ${lead.name}, the first step of the first variant`,
      })
}

const sound = (steps: readonly CheckedStep[]): PlannedStep[] => steps.flatMap(({ planned }) => planned ?? [])

/** A name that is safe in file names. */
const slug = (name: string): string => name.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[-.]+|-+$/g, '') || 'pipeline'

const MAGIC = /[*?[\]{}!]|[@+]\(/

/** An input relative to the current folder. In a pattern, glob characters of the folder itself are escaped. */
function fromFolder(folder: string, input: string): string {
  if (/^https?:/i.test(input) || isAbsolute(input)) return input
  return join(MAGIC.test(input) ? folder.replace(/[()[\]{}!*?@+]/g, '\\$&') : folder, input)
}

/** Splits after the common steps even if the medium is unchanged: variants continue from an open image. */
function planned(
  data: PipelineData,
  common: readonly PlannedStep[],
  variants: readonly PlannedVariant[],
  options: PlanOptions,
  warnings: readonly string[],
): PipelinePlan {
  const chains = variants.map(({ groups }) => [...common, ...groups.flatMap(({ steps }) => steps)])
  const all = [...common, ...variants.flatMap(({ groups }) => groups.flatMap(({ steps }) => steps))]
  const { folder = '.', path } = options
  const facts = factsOf([...all, ...variants])
  const here = relative('.', folder)
  return {
    name: slug(data.name ?? options.name),
    ...(path !== undefined && { path }),
    includes: data.includes ?? [],
    ...(data.columns && { columns: data.columns }),
    ...(data.hasRowInputs && { hasRowInputs: true }),
    inputs: (data.inputs ?? []).map((input) => fromFolder(here, input)),
    ...(data.output !== undefined && { output: data.output }),
    ...(data.manifest !== undefined && { manifest: data.manifest }),
    input: inputOf(chains, facts.length > 0),
    parameters: data.declared ?? [],
    common: groupSteps(common),
    variants,
    facts,
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
function checkConditions(diagnostics: DataDiagnostic[], data: PipelineData, first: PlannedStep | undefined): void {
  if (!first || first.tool.input.files === 'one') return
  const path = conditionPath(data)
  if (path)
    diagnostics.push({
      path,
      message: `A condition is about one input, and ${first.name}, the first step, takes ${first.tool.input.files === 'none' ? 'none' : 'several'}`,
    })
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

/**
 * Checks and plans a pipeline, and reports all mistakes at once; settings are checked only here. Nothing runs.
 */
export async function planSteps(data: PipelineData, options: PlanOptions): Promise<PlannedData> {
  const diagnostics: DataDiagnostic[] = []
  const { folder, placeholders, maxSteps = 0, ignoresUnknown = false, refusesIneffective = false } = options
  const checking: Checking = { diagnostics, warnings: [], folder, ignoresUnknown, refusesIneffective }
  const named = data.variants ?? []
  checkVariantNames(diagnostics, named)
  const common = await checkSteps(checking, data.steps, ['steps'], 1)
  const start = checkChain(diagnostics, common)
  const isBroken = common.length > 0 && start === undefined
  const variants: PlannedVariant[] = []
  const parameters = data.parameters ?? {}
  const names = new Set([...(placeholders ?? []), ...Object.keys(parameters), ...(named.length > 0 ? ['variant'] : [])])
  for (const [index, { name, steps, when: given, parameters: values = {} }] of variantsOf(named).entries()) {
    for (const value of Object.keys(values)) names.add(value)
    const when = given === undefined ? undefined : checkWhen(diagnostics, given, ['variants', index, 'when'])
    const own = await checkSteps(checking, steps, ['variants', index, 'steps'], common.length + 1)
    checkCount(diagnostics, [...common, ...own], maxSteps)
    // After an invalid common step the input of the variants is unknown.
    const end = isBroken ? undefined : checkChain(diagnostics, own, start)
    const chain = [...sound(common), ...sound(own)]
    for (const { tool } of chain)
      for (const [setting, { secret }] of Object.entries(tool.settings)) if (!secret) names.add(setting)
    if (!end && diagnostics.length === 0)
      diagnostics.push({ path: [], message: `Expected at least one step${name && ` for ${name}`}, got none` })
    const flow = end?.flow ?? flowInto({ accept: ['*'] })
    variants.push({
      name,
      groups: groupSteps(sound(own)),
      ...(when && { when }),
      output: outputOf(chain, flow),
      settings: { ...namedSettings(chain), ...parameters, ...values },
    })
  }
  if (common.length === 0) checkFirsts(diagnostics, variants)
  checkConditions(diagnostics, data, sound(common)[0] ?? variants[0]?.groups[0]?.steps[0])
  if (placeholders) {
    checkTemplate(diagnostics, data.output, [...names])
    if (diagnostics.length === 0) checkOutputsApart(diagnostics, data.output, variants)
  }
  if (diagnostics.length > 0) return { plan: undefined, diagnostics }
  return { plan: planned(data, sound(common), variants, options, checking.warnings), diagnostics: [] }
}
