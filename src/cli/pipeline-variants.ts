import { resolve } from 'node:path'
import { MediaprocError } from '../errors.ts'
import type { PipelinePlan } from '../pipeline/plan.ts'
import { boolean, type SettingsTable } from '../tool/settings.ts'
import { type InputItem, namedInput } from './inputs.ts'
import type { Io } from './io.ts'
import { Plan } from './plan.ts'
import type { RunOptions } from './run-options.ts'
import { Claims } from './targets.ts'

export interface PipelineRun {
  plan: PipelinePlan
  items: readonly InputItem[]
  options: RunOptions
  /** The pattern of output names that was given with --name. */
  name: string | undefined
}

/** The pattern where neither the pipeline nor the command line states one. */
function defaultPattern({ name, input }: PipelinePlan, variant: string): string {
  const stem = input.files === 'one' ? '{stem}' : '{pipeline}'
  if (variant !== '') return `${stem}_{variant}.{ext}`
  return input.files === 'one' ? `{stem}_${name.replace(/[{}]/g, '')}.{ext}` : '{pipeline}.{ext}'
}

/** Names of settings for patterns; what they are does not matter here. */
const namesOf = (settings: Readonly<Record<string, unknown>>): SettingsTable =>
  Object.fromEntries(Object.keys(settings).map((name) => [name, boolean('')]))

/** All files that the pipeline itself names, the pipeline included: an output older than one of them is out of date. */
function furtherItems({ path, common, variants }: PipelinePlan): Record<string, InputItem> {
  const steps = [...common, ...variants.flatMap(({ groups }) => groups)].flatMap((group) => group.steps)
  const paths = steps.flatMap(({ secondary }) => Object.values(secondary))
  return Object.fromEntries([...(path === undefined ? [] : [path]), ...paths].map((one) => [one, namedInput(one)]))
}

/** For placing outputs, each variant is as a tool of its own. */
export function variantPlans(
  { plan, items, options, name }: PipelineRun,
  io: Io,
  scratch: () => Promise<string>,
): Plan[] {
  const { variants } = plan
  const isSingle = variants.length === 1
  const { output } = options
  if (!isSingle && output !== undefined && !/[/\\]$/.test(output))
    throw new MediaprocError('USAGE', `-o names one output, but there are ${variants.length} variants`, {
      hint: "Name a folder with -d DIR, and files with --name '{stem}_{variant}.{ext}'.",
    })
  const claims = new Claims()
  const likelyClaims = new Claims()
  return variants.map((variant, number) => {
    const pattern = name ?? plan.output ?? options.name ?? defaultPattern(plan, variant.name)
    const settings = { ...variant.settings, variant: variant.name, pipeline: plan.name }
    const isTemplate = name === undefined && plan.output !== undefined
    const folder = options.outputDir ?? (isTemplate && output === undefined ? '.' : undefined)
    // A pattern that repeats the folders of the inputs itself must not get them twice.
    const placed = pattern.includes('{dir}') ? items.map((item) => ({ ...item, subfolder: '' })) : items
    return new Plan({
      entry: {
        section: 'pipeline',
        id: plan.name,
        input: plan.input,
        output: variant.output,
        heavy: plan.heavy,
        settings: namesOf(settings),
        naming: { suffix: '' },
      },
      items: placed,
      secondary: furtherItems(plan),
      settings,
      options: { ...options, outputDir: folder, name: pattern },
      stdout: io.stdout,
      stdoutIsTerminal: io.stdoutIsTerminal,
      scratch,
      among: { claims, likelyClaims, plans: variants.length, number, name: variant.name },
    })
  })
}

/** The folder that a pattern always writes into, so that a listing of inputs does not find earlier outputs. */
export function outputFolder(pattern = ''): string | undefined {
  const fixed = pattern.replace(/\{.*$/s, '')
  const end = fixed.lastIndexOf('/')
  return end > 0 ? resolve(fixed.slice(0, end)) : undefined
}
