import { isAbsolute, join, resolve } from 'node:path'
import { MediaprocError } from '../errors.ts'
import type { PipelinePlan, PlannedVariant } from '../pipeline/plan/plan.ts'
import { boolean, type SettingsTable } from '../tool/settings.ts'
import { cutToBytes } from '../utf8.ts'
import { OutputClaims } from './conflicts.ts'
import { type InputItem, namedInput } from './inputs.ts'
import type { InputFacts } from './names/input-facts.ts'
import { OutputPlan, type OutputPlanRequest } from './output-plan.ts'
import type { PlannedJob } from './planned-run.ts'
import { variantRecipe } from './records/recipe.ts'

/** The default pattern if neither the pipeline nor the command line defines one. */
function defaultPattern({ name, input, columns }: PipelinePlan, variant: string): string {
  const first = input.files === 'one' ? '{stem}' : '{pipeline}'
  // Rows differ in their number only, as far as we know.
  const stem = columns ? `${first}-{index}` : first
  if (variant !== '') return `${stem}_{variant}.{ext}`
  return input.files === 'one' ? `${stem}_${name.replace(/[{}]/g, '')}.{ext}` : `${stem}.{ext}`
}

/** Maximum size of a value of a row in a name, in bytes. */
const MAX_PART_BYTES = 120

/** Characters that names cannot have on some system. */
const REFUSED = /[<>:"/\\|?*\u0000-\u001f\u007f]/g

/** The values of a row as parts of names: they cannot add a folder, and are valid on every system. */
const namePartsOf = (columns: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(columns).map(([name, value]) => {
      const text = String(value).trim().replace(REFUSED, '_')
      return [
        name,
        cutToBytes(text, MAX_PART_BYTES)
          .replace(/[. ]+$/, '')
          .replace(/^\.+/, '_') ||
          (text && '_'),
      ]
    }),
  )

/** Names of settings for patterns; their values do not matter here. */
const namesOf = (settings: Readonly<Record<string, unknown>>): SettingsTable =>
  Object.fromEntries(Object.keys(settings).map((name) => [name, boolean('')]))

/** All files that the pipeline names, including the pipeline itself and its includes: outputs older than any of them are outdated. */
function furtherItems({ path, includes, common, variants }: PipelinePlan): InputItem[] {
  const steps = [...common, ...variants.flatMap(({ groups }) => groups)].flatMap((group) => group.steps)
  const own = variants.flatMap(({ inputs = [] }) => inputs.filter((item) => typeof item === 'string'))
  const paths = [...own, ...steps.flatMap(({ secondary }) => Object.values(secondary))]
  return [...new Set([...(path === undefined ? [] : [path]), ...includes, ...paths])].map(namedInput)
}

export interface VariantOutputsRequest
  extends Pick<OutputPlanRequest, 'jobs' | 'options' | 'streams' | 'scratch' | 'shared' | 'signal' | 'rows'> {
  /** The default pattern of output names, if neither the options nor the pipeline define one. */
  defaultName?: string
}

/**
 * The destination of each variant's outputs by its index, without those that are only for others: here, a variant is
 * treated as a tool. @throws MediaprocError USAGE
 */
export function variantOutputs(
  plan: PipelinePlan,
  { options, defaultName, ...shared }: VariantOutputsRequest,
): Map<number, OutputPlan> {
  const variants = plan.variants.flatMap((variant, index) => (variant.isIntermediate ? [] : [{ variant, index }]))
  const { output } = options
  if (variants.length > 1 && output !== undefined && !/[/\\]$/.test(output))
    throw new MediaprocError('USAGE', `-o names one output, but there are ${variants.length} variants`, {
      hint: "Name a folder with -d DIR, and files with --name '{stem}_{variant}.{ext}'.",
    })
  const { claims, likelyClaims } = shared.rows ?? { claims: new OutputClaims(), likelyClaims: new OutputClaims() }
  const columns = plan.columns && namePartsOf(plan.columns)
  const facts = new Map<PlannedJob, InputFacts>()
  const further = furtherItems(plan)
  const isTemplate = options.name === undefined && plan.output !== undefined
  const outputDir = options.outputDir ?? (isTemplate && output === undefined ? '.' : undefined)
  const planOf = (variant: PlannedVariant): OutputPlan => {
    const name = options.name ?? plan.output ?? defaultName ?? defaultPattern(plan, variant.name)
    const settings = { ...variant.settings, variant: variant.name, pipeline: plan.name }
    return new OutputPlan({
      entry: {
        section: 'pipeline',
        id: plan.name,
        input: plan.input,
        output: variant.output,
        settings: namesOf(settings),
        naming: { suffix: '' },
      },
      ...shared,
      ...(columns && { columns }),
      further,
      settings,
      recipe: variantRecipe(plan, variant),
      options: { ...options, outputDir, name },
      variant: { name: variant.name, claims, likelyClaims, facts },
    })
  }
  return new Map(variants.map(({ variant, index }) => [index, planOf(variant)]))
}

/** The path of the manifest that a pipeline names: like output names, in the folder of -d or the current one. */
export function pipelineManifest({ manifest }: PipelinePlan, outputDir: string | undefined): string | undefined {
  return manifest === undefined || isAbsolute(manifest) ? manifest : join(outputDir ?? '.', manifest)
}

/** The folder that a pattern always writes into, so that input listings exclude earlier outputs. */
export function patternFolder(pattern = ''): string | undefined {
  const fixed = pattern.replace(/\{.*$/s, '')
  const end = fixed.lastIndexOf('/')
  return end > 0 ? resolve(fixed.slice(0, end)) : undefined
}
