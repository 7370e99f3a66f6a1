import { isShippedConfiguration } from '../../engines/fonts.ts'
import { ENVIRONMENT, type EnvironmentName, environmentText } from '../../environment.ts'
import type { PipelinePlan, PlannedStep, PlannedVariant } from '../../pipeline/plan/plan.ts'
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

/** The processing by one variant of a pipeline. */
export function variantRecipe({ name, common }: PipelinePlan, variant: PlannedVariant): Recipe {
  const steps = [...common, ...variant.groups].flatMap((group) => group.steps)
  const parts = steps.map((step) => ({ step, ...split(step.tool.settings, step.settings) }))
  return {
    tool: `pipeline/${name}${variant.name === '' ? '' : ` (${variant.name})`}`,
    program: packageVersion(),
    settings: Object.fromEntries([
      ...parts.map(({ step, settings }) => [stepName(step), settings] as const),
      ...[variant, ...steps].flatMap((part) =>
        part.when ? [[`when ${'number' in part ? stepName(part) : 'made'}`, whenText(part.when)] as const] : [],
      ),
    ]),
    secondary: Object.fromEntries(
      steps.flatMap((step) =>
        Object.entries(step.secondary).map(([name, path]) => [`${stepName(step)}: ${name}`, path] as const),
      ),
    ),
    environment: relevantEnvironment(),
    hasSecret: parts.some(({ hasSecret }) => hasSecret),
  }
}
