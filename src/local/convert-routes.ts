import { accepts } from '../job/accept.ts'
import { FILE_TYPES, typeById, typeOfName, UNKNOWN_TYPE } from '../media/type.ts'
import type { CatalogueEntry } from '../tool/catalogue.ts'
import { possibleTypes, typeSetting } from '../tool/output-type.ts'
import { catalogue } from '../tool/registry.ts'

/** A tool that turns one type of file into another, and the settings that make it do so. */
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

/** `accepts` lets video and audio in one container pass; by the name alone a video tool takes video only. */
function takesOnlyOther({ input }: CatalogueEntry, extension: string): boolean {
  const group = typeOfName(`x.${extension}`)?.group
  if (group !== 'audio' && group !== 'video') return false
  return !input.accept.some((one) => one === '*' || one === group || idOf(one) === idOf(extension))
}

/** How many types a tool takes. */
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

/** Tools that convert, the preferred first: a tool before a preset, and what is made for few types before what takes all. */
export function converterEntries(): CatalogueEntry[] {
  const rank = (entry: CatalogueEntry): number => (entry.base === undefined ? 0 : 1)
  return catalogue()
    .filter(({ conversion, base }) => conversion || base !== undefined)
    .sort((one, other) => rank(one) - rank(other) || breadth(one) - breadth(other))
}

/** What a tool makes of a type, and the settings that make it do so. */
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

/** All conversions of a type, in order of preference. */
function routesFrom(extension: string): { to: string; route: Route }[] {
  return converterEntries().flatMap((entry) => (takes(entry, extension) ? resultsOf(entry, extension) : []))
}

/** The types that something can be converted to, and where it is named, the types of inputs that can become one of them. */
export function conversionTypes(to?: string): { from: string[]; to: string[] } {
  const routes = FILE_TYPES.map(({ id }) => ({ from: id, ends: routesFrom(id).map((one) => one.to) }))
  const isWanted = (end: string): boolean => to === undefined || idOf(end) === idOf(to)
  return {
    from: routes.filter(({ ends }) => ends.some(isWanted)).map(({ from }) => from),
    to: [...new Set(routes.flatMap(({ ends }) => ends))].sort(),
  }
}

/** The preferred way to turn one extension into another; undefined when there is none. */
export function findRoute(from: string, to: string): Route | undefined {
  return routesFrom(from).find((one) => idOf(one.to) === idOf(to))?.route
}

/** The extensions that an input can become. */
export function reachable(from: string): string[] {
  return [...new Set(routesFrom(from).map(({ to }) => to))].sort()
}
