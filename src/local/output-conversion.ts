import { mimeOf, typeOfName } from '../media/type.ts'
import { findTool } from '../pipeline/read/find-tool.ts'
import type { Conversion } from '../pipeline/run/run-alone.ts'
import type { CatalogueEntry } from '../tool/catalogue.ts'
import { typeFor } from '../tool/output-type.ts'
import { checkSettings } from '../tool/validate.ts'
import { findRoute, type Route } from './convert-routes.ts'

type Settings = Readonly<Record<string, unknown>>

/**
 * Converts the output of a tool that keeps types to the type in `-o`: `image resize a.jpg -o b.webp`, as in vips and
 * ffmpeg. A tool with a setting for the type uses that; a tool with a fixed output type is never converted.
 * @param from extension of the tool's own output
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
  // Images are encoded as the type; tracing, which creates a drawing, must be requested by name.
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
    // A quality setting applies to the final output.
    const { quality } = settings
    const isMeant = typeof quality === 'number' && route.entry.settings.quality?.type === 'number'
    const checked = { ...checkSettings(route.entry.settings, route.settings), ...(isMeant && { quality }) }
    return { number: 2, name, tool: await findTool(name).loadTool(), settings: checked, given: checked, secondary: {} }
  }
}
