import { accepts } from '../job/accept.ts'
import { FILE_TYPES, typeById, typeOfName, UNKNOWN_TYPE } from '../media/type.ts'
import type { CatalogueEntry } from '../tool/catalogue.ts'
import { possibleTypes, typeSetting } from '../tool/output-type.ts'
import { catalogue } from '../tool/registry.ts'

/** A tool that converts between two file types, and the settings for it. */
export interface Route {
  entry: CatalogueEntry
  settings: Record<string, unknown>
}

const idOf = (extension: string): string => typeOfName(`x.${extension}`)?.id ?? extension

function takes(entry: CatalogueEntry, extension: string): boolean {
  const name = `x.${extension}`
  return (
    accepts(entry.input.accept, { path: name, name, bytes: 0, type: typeOfName(name) ?? UNKNOWN_TYPE }) &&
    !takesOnlyOther(entry, extension)
  )
}

/** `accepts` treats video and audio in one container alike; by the name alone, a video tool takes only video. */
function takesOnlyOther({ input }: CatalogueEntry, extension: string): boolean {
  const group = typeOfName(`x.${extension}`)?.group
  if (group !== 'audio' && group !== 'video') return false
  return !input.accept.some((one) => one === '*' || one === group || idOf(one) === idOf(extension))
}

/** The number of types that a tool accepts. */
function breadth({ input }: CatalogueEntry): number {
  return input.accept.reduce(
    (sum, one) =>
      sum +
      (one === '*'
        ? Number.POSITIVE_INFINITY
        : typeById(one)
          ? 1
          : FILE_TYPES.filter(({ group }) => group === one).length),
    0,
  )
}

/** Conversion tools, preferred ones first: tools before presets, and those for few types before those for all. */
export function converterEntries(): CatalogueEntry[] {
  const rank = (entry: CatalogueEntry): number => (entry.base === undefined ? 0 : 1)
  return catalogue()
    .filter(({ conversion, base }) => conversion || base !== undefined)
    .sort((one, other) => rank(one) - rank(other) || breadth(one) - breadth(other))
}

/** The types that a tool converts a type to, with the settings for each. */
function resultsOf(entry: CatalogueEntry, extension: string): { to: string; route: Route }[] {
  const { type } = entry.output
  const setting = typeSetting(type)
  if (setting !== undefined)
    return (entry.settings[setting]?.enum ?? [])
      .map(String)
      .map((to) => ({ to, route: { entry, settings: { [setting]: to } } }))
  if (entry.base !== undefined && !(type && 'is' in type)) return []
  return possibleTypes(type, [extension], {}).map((to) => ({ to, route: { entry, settings: {} } }))
}

/** All conversions from a type, in order of preference. */
function routesFrom(extension: string): { to: string; route: Route }[] {
  return converterEntries().flatMap((entry) => (takes(entry, extension) ? resultsOf(entry, extension) : []))
}

/** The possible target types and, for a given target, the input types that can be converted to it. */
export function conversionTypes(to?: string): { from: string[]; to: string[] } {
  const routes = FILE_TYPES.map(({ id }) => ({ from: id, ends: routesFrom(id).map((one) => one.to) }))
  const isWanted = (end: string): boolean => to === undefined || idOf(end) === idOf(to)
  return {
    from: routes.filter(({ ends }) => ends.some(isWanted)).map(({ from }) => from),
    to: [...new Set(routes.flatMap(({ ends }) => ends))].sort(),
  }
}

/** The preferred conversion from one extension to another; undefined if there is none. */
export function findRoute(from: string, to: string): Route | undefined {
  return routesFrom(from).find((one) => idOf(one.to) === idOf(to))?.route
}

/** The extensions that an input can be converted to. */
export function reachable(from: string): string[] {
  return [...new Set(routesFrom(from).map(({ to }) => to))].sort()
}
