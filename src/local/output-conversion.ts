import { mimeOf, typeOfName } from '../media/type.ts'
import { type FoundTool, findTool } from '../pipeline/find-tool.ts'
import type { Conversion } from '../pipeline/run-alone.ts'
import { typeFor } from '../tool/output-type.ts'
import { checkSettings } from '../tool/validate.ts'
import { findRoute } from './convert-routes.ts'

/**
 * What makes the type that `-o` names of what a tool that keeps types would write: `image resize a.jpg -o b.webp`, as vips and
 * ffmpeg do. A tool that has a setting for the type is told by that; one that makes a certain type makes no other.
 */
export function outputConversion(
  { entry: { section, output } }: FoundTool,
  settings: Readonly<Record<string, unknown>>,
  named: string | undefined,
): Conversion | undefined {
  const wanted = named === undefined ? undefined : typeOfName(named)
  if (!wanted || output.kind.startsWith('files') || !output.type || !('same' in typeFor(output.type, settings)))
    return undefined
  return async (from) => {
    if (mimeOf(from) === wanted.mime) return undefined
    const route = findRoute(from, wanted.id)
    if (route?.entry.section !== section) return undefined
    const { entry } = route
    const name = `${entry.section}/${entry.id}`
    // A quality is meant for what is written in the end.
    const { quality } = settings
    const isMeant = typeof quality === 'number' && entry.settings.quality?.type === 'number'
    const checked = { ...checkSettings(entry.settings, route.settings), ...(isMeant && { quality }) }
    return { number: 2, name, tool: await findTool(name).loadTool(), settings: checked, given: checked, secondary: {} }
  }
}
