import { mimeOf, typeOfName } from '../media/type.ts'
import { findTool } from '../pipeline/read/find-tool.ts'
import type { Conversion } from '../pipeline/run/run-alone.ts'
import type { CatalogueEntry } from '../tool/catalogue.ts'
import { typeFor } from '../tool/output-type.ts'
import { checkSettings } from '../tool/validate.ts'
import { findRoute, type Route } from './convert-routes.ts'

type Settings = Readonly<Record<string, unknown>>

/**
 * What makes the type that `-o` names of what a tool that keeps types would write: `image resize a.jpg -o b.webp`, as vips and
 * ffmpeg do. A tool that has a setting for the type is told by that; one that makes a certain type makes no other.
 * @param from the extension of what the tool would write
 */
export function outputRoute(
  { section, medium, output }: Pick<CatalogueEntry, 'section' | 'medium' | 'output'>,
  settings: Settings,
  named: string | undefined,
  from: string,
): Route | undefined {
  const wanted = named === undefined ? undefined : typeOfName(named)
  if (!wanted || mimeOf(from) === wanted.mime) return undefined
  if (output.kind.startsWith('files') || !output.type || !('same' in typeFor(output.type, settings))) return undefined
  const route = findRoute(from, wanted.id)
  if (route?.entry.section !== section || route.entry.medium !== medium) return undefined
  if (route.entry.input.files !== 'one') return undefined
  // Pictures are encoded as the type; tracing them, which makes a drawing, is asked for by its name.
  return medium === 'image' && Object.keys(route.settings).length === 0 ? undefined : route
}

/** The same as a step of the run. */
export function outputConversion(
  entry: Parameters<typeof outputRoute>[0],
  settings: Settings,
  named: string | undefined,
): Conversion | undefined {
  if (named === undefined) return undefined
  return async (from) => {
    const route = outputRoute(entry, settings, named, from)
    if (!route) return undefined
    const name = `${route.entry.section}/${route.entry.id}`
    // A quality is meant for what is written in the end.
    const { quality } = settings
    const isMeant = typeof quality === 'number' && route.entry.settings.quality?.type === 'number'
    const checked = { ...checkSettings(route.entry.settings, route.settings), ...(isMeant && { quality }) }
    return { number: 2, name, tool: await findTool(name).loadTool(), settings: checked, given: checked, secondary: {} }
  }
}
