import { isShippedConfiguration } from '../../engines/fonts.ts'
import { ENVIRONMENT, type EnvironmentName, environmentText } from '../../environment.ts'
import { COMMON, partOf, withNeeded } from '../../pipeline/plan/parts.ts'
import type { PipelinePlan, PlannedStep, PlannedVariant } from '../../pipeline/plan/plan.ts'
import { referenceText } from '../../pipeline/plan/reference.ts'
import { whenText } from '../../pipeline/when/condition.ts'
import { packageVersion } from '../../root.ts'
import type { SettingsTable } from '../../tool/settings.ts'

/** Everything that determines the outputs for given inputs: the same recipe and inputs give the same outputs. */
export interface Recipe {
  /** `image/resize`, or `pipeline/web` with its variant. */
  tool: string
  program: string
  /** Checked, with defaults; for a pipeline, its steps. Without secrets. */
  settings: Readonly<Record<string, unknown>>
  /** Additional named inputs: absolute paths. */
  secondary: Readonly<Record<string, string>>
  /** Environment variables that select engines and fonts, if set. */
  environment: Readonly<Record<string, string>>
  /** A password also matters. It is never stored, not even as a hash, so it cannot be compared later. */
  hasSecret: boolean
}

function relevantEnvironment(): Record<string, string> {
  const names = (Object.keys(ENVIRONMENT) as EnvironmentName[]).filter((name) => 'decides' in ENVIRONMENT[name])
  const values = names.map((name) => [name, environmentText(name)] as const)
  return Object.fromEntries(values.filter(([, value]) => value !== '' && !isShippedConfiguration(value)))
}

/** As it reads after a round trip through a file. */
const plain = (value: Record<string, unknown>): Record<string, unknown> =>
  JSON.parse(JSON.stringify(value)) as Record<string, unknown>

function split(
  table: SettingsTable,
  settings: Readonly<Record<string, unknown>>,
): { settings: Record<string, unknown>; hasSecret: boolean } {
  const given = Object.entries(settings).filter(([, value]) => value !== undefined)
  const open = given.filter(([name]) => !table[name]?.secret)
  return { settings: plain(Object.fromEntries(open)), hasSecret: open.length < given.length }
}

/** The processing by a tool. */
export function toolRecipe(
  tool: string,
  table: SettingsTable,
  settings: Readonly<Record<string, unknown>>,
  secondary: Readonly<Record<string, string>>,
): Recipe {
  return {
    tool,
    program: packageVersion(),
    ...split(table, settings),
    secondary,
    environment: relevantEnvironment(),
  }
}

const stepName = ({ number, name }: PlannedStep): string => `step ${number}, ${name}`

/** A step with its name in the recipe of a variant; those of other variants that it needs have their names as well. */
interface RecipeStep {
  step: PlannedStep
  name: string
}

/** The steps that a variant's result depends on. */
function recipeSteps(plan: PipelinePlan, variant: PlannedVariant): RecipeStep[] {
  const own = plan.variants.indexOf(variant)
  return withNeeded(plan, [own]).flatMap((index) => {
    const prefix = index === own || index === COMMON ? '' : `${plan.variants[index]?.name}: `
    return partOf(plan, index).steps.map((step) => ({ step, name: `${prefix}${stepName(step)}` }))
  })
}

/** The references and inputs of the parts that a variant's result depends on, as text. */
function recipeReferences(plan: PipelinePlan, variant: PlannedVariant): [string, unknown][] {
  const steps = recipeSteps(plan, variant).flatMap(({ step, name }) =>
    Object.entries(step.references ?? {}).map(([key, reference]): [string, unknown] => [
      `${name}: ${key}`,
      referenceText(reference),
    ]),
  )
  const inputs = withNeeded(plan, [plan.variants.indexOf(variant)]).flatMap((index): [string, unknown][] => {
    const { inputs: items } = partOf(plan, index)
    const texts = items?.map((item) => (typeof item === 'string' ? item : referenceText(item)))
    return texts ? [[`inputs of ${plan.variants[index]?.name}`, texts]] : []
  })
  return [...steps, ...inputs]
}

/** The processing by one variant of a pipeline. */
export function variantRecipe(plan: PipelinePlan, variant: PlannedVariant): Recipe {
  const parts = recipeSteps(plan, variant).map((one) => ({
    ...one,
    ...split(one.step.tool.settings, one.step.settings),
  }))
  const conditions = [
    { name: 'made', when: variant.when },
    ...parts.map(({ name, step: { when } }) => ({ name, when })),
  ]
  return {
    tool: `pipeline/${plan.name}${variant.name === '' ? '' : ` (${variant.name})`}`,
    program: packageVersion(),
    settings: Object.fromEntries([
      ...parts.map(({ name, settings }) => [name, settings] as const),
      ...recipeReferences(plan, variant),
      ...conditions.flatMap(({ name, when }) => (when ? [[`when ${name}`, whenText(when)] as const] : [])),
    ]),
    secondary: Object.fromEntries(
      parts.flatMap(({ name, step: { secondary } }) =>
        Object.entries(secondary).map(([key, path]) => [`${name}: ${key}`, path] as const),
      ),
    ),
    environment: relevantEnvironment(),
    hasSecret: parts.some(({ hasSecret }) => hasSecret),
  }
}
