import { MediaprocError } from '../errors.ts'
import type { Requirement } from '../models/install/install.ts'
import { allBundles, allModels, type Bundle, findBundle, findModel, RUNTIME, type Tier } from '../models/manifest.ts'
import type { CatalogueEntry } from './catalogue.ts'
import { meetsCondition } from './condition.ts'
import { catalogue, findEntry } from './registry.ts'
import { nearest } from './validate.ts'

/** The bundles of a tool, including those that only some of its settings need. */
export const bundlesOf = ({ bundles, bundlesFor = {} }: Pick<CatalogueEntry, 'bundles' | 'bundlesFor'>): string[] => [
  ...new Set([...bundles, ...Object.keys(bundlesFor)]),
]

/** The bundles whose models a run with these settings can use. */
export function usedBundles(
  { bundles, bundlesFor = {}, settings: table }: Pick<CatalogueEntry, 'bundles' | 'bundlesFor' | 'settings'>,
  settings: Readonly<Record<string, unknown>>,
): string[] {
  // Checked settings do not contain the defaults that the tool fills in itself.
  const defaults = Object.fromEntries(Object.entries(table).map(([name, row]) => [name, row.default]))
  const sometimes = Object.keys(bundlesFor).filter((id) => meetsCondition(bundlesFor[id], { ...defaults, ...settings }))
  return [...bundles, ...sometimes]
}

/** The tools that use a bundle, from their own declarations. */
export function toolsOf(bundle: string): CatalogueEntry[] {
  return catalogue().filter((entry) => bundlesOf(entry).includes(bundle))
}

/** The models that a tool needs from a bundle: those in the tier that the tool declares it can use. */
function modelsFor({ models }: CatalogueEntry, bundle: Bundle, tier: Tier): readonly string[] {
  const own = models && bundle[tier].filter((id) => models.includes(id))
  return own && own.length > 0 ? own : bundle[tier]
}

function unknown(name: string): MediaprocError {
  const tools = catalogue().filter((entry) => bundlesOf(entry).length > 0)
  const known = [...allBundles(), ...allModels(), ...tools].map(({ id }) => id)
  const near = nearest(name, known)
  return new MediaprocError('USAGE', `There is no bundle, no model and no tool with models called ${name}`, {
    hint: near ? `Did you mean ${near}?` : 'mediaproc models list shows all bundles and models.',
  })
}

/**
 * Resolves a name to a requirement: a bundle, a model, or everything that a tool needs (`image/ocr`).
 * @throws MediaprocError USAGE
 */
export function requirementsFor(name: string, tier: Tier): Requirement[] {
  const bundle = findBundle(name)
  if (bundle) return [{ bundle: name, tier, models: bundle[tier] }]
  const model = findModel(name === 'runtime' ? RUNTIME : name)
  if (model) return [{ tier, models: [model.id] }]
  const entry = catalogue().find(({ section, id }) => name === id || name === `${section}/${id}`)
  // A misspelled tool name gets a suggestion.
  if (!entry && name.includes('/')) findEntry(name)
  if (!entry || bundlesOf(entry).length === 0) throw unknown(name)
  return bundlesOf(entry).map((id) => ({ bundle: id, tier, models: modelsFor(entry, findBundle(id)!, tier) }))
}
