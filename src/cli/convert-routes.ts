import { accepts } from '../job/accept.ts'
import { typeOfName, UNKNOWN_TYPE } from '../media/type.ts'
import type { CatalogueEntry } from '../tool/catalogue.ts'
import { catalogue } from '../tool/registry.ts'

/** A tool that turns one type of file into another, and the settings that make it do so. */
export interface Route {
  entry: CatalogueEntry
  settings: Record<string, unknown>
}

/**
 * Tools that convert, the preferred first. Without `to`, the tool writes what its setting `format` or `outputFormat`
 * lists. Tools that a build lacks are passed over.
 */
const CONVERTERS: readonly { tool: string; to?: readonly string[]; from?: readonly string[] }[] = [
  { tool: 'image/svg-to-raster', from: ['svg', 'svgz'] },
  { tool: 'image/convert' },
  { tool: 'image/image-to-pdf', to: ['pdf'] },
  { tool: 'video/gif-to-video', from: ['gif'] },
  { tool: 'video/convert-video' },
  { tool: 'video/video-to-gif', to: ['gif'] },
  { tool: 'video/video-to-webp', to: ['webp'] },
  { tool: 'video/extract-audio' },
  { tool: 'audio/convert-audio' },
  { tool: 'pdf/pdf-to-image' },
  { tool: 'pdf/pdf-to-text', to: ['txt'] },
  { tool: 'pdf/pdf-to-word', to: ['docx'] },
  { tool: 'files/csv-excel', to: ['xlsx'], from: ['csv', 'tsv'] },
  { tool: 'files/csv-excel', to: ['csv'], from: ['xlsx', 'xls'] },
  { tool: 'files/csv-json', to: ['json'], from: ['csv', 'tsv'] },
  { tool: 'files/csv-json', to: ['csv'], from: ['json'] },
  { tool: 'files/json-xml', to: ['xml'], from: ['json'] },
  { tool: 'files/json-xml', to: ['json'], from: ['xml'] },
  { tool: 'files/yaml-json', to: ['json'], from: ['yaml'] },
  { tool: 'files/yaml-json', to: ['yaml'], from: ['json'] },
  { tool: 'files/xml-to-csv', to: ['csv'], from: ['xml'] },
  { tool: 'files/markdown-to-html', to: ['html'] },
  { tool: 'files/markdown-to-pdf', to: ['pdf'] },
  { tool: 'files/markdown-to-docx', to: ['docx'] },
  { tool: 'files/html-to-pdf', to: ['pdf'] },
  { tool: 'files/word-to-pdf', to: ['pdf'] },
  { tool: 'files/excel-to-pdf', to: ['pdf'] },
  { tool: 'files/powerpoint-to-pdf', to: ['pdf'] },
  { tool: 'files/convert-spreadsheet' },
  { tool: 'files/convert-document' },
  { tool: 'files/convert-presentation' },
  { tool: 'files/epub-convert' },
  { tool: 'files/to-epub', to: ['epub'] },
]

const idOf = (extension: string): string => typeOfName(`x.${extension}`)?.id ?? extension

function takes(entry: CatalogueEntry, extension: string): boolean {
  const name = `x.${extension}`
  return (
    accepts(entry.input.accept, { path: name, name, bytes: 0, type: typeOfName(name) ?? UNKNOWN_TYPE }) &&
    !takesOnlyOther(entry, extension)
  )
}

/** `accepts` lets sound and pictures in one container pass; by the name alone a video tool takes video only. */
function takesOnlyOther({ input }: CatalogueEntry, extension: string): boolean {
  const group = typeOfName(`x.${extension}`)?.group
  if (group !== 'audio' && group !== 'video') return false
  return !input.accept.some((one) => one === '*' || one === group || idOf(one) === idOf(extension))
}

/** What a tool's format setting can be set to, by its name. */
function formatSetting(entry: CatalogueEntry): { name: string; members: readonly string[] } | undefined {
  for (const name of ['format', 'outputFormat']) {
    const members = entry.settings[name]?.enum
    if (members) return { name, members: members.map(String) }
  }
  return undefined
}

/** All conversions of a type, in order of preference. */
function routesFrom(extension: string): { to: string; route: Route }[] {
  const entries = catalogue()
  const byTools = CONVERTERS.flatMap(({ tool, to, from }) => {
    const entry = entries.find(({ section, id }) => `${section}/${id}` === tool)
    if (!entry || !takes(entry, extension) || (from && !from.includes(idOf(extension)))) return []
    if (to) return to.map((one) => ({ to: one, route: { entry, settings: {} } }))
    const setting = formatSetting(entry)
    return (setting?.members ?? []).map((member) => ({
      to: member,
      route: { entry, settings: { [setting!.name]: member } },
    }))
  })
  const byPresets = entries
    .filter((entry) => entry.base !== undefined && typeOfName(`x.${entry.output.format}`) && takes(entry, extension))
    .map((entry) => ({ to: entry.output.format, route: { entry, settings: {} } }))
  return [...byTools, ...byPresets]
}

/** The preferred way to turn one extension into another; undefined when there is none. */
export function findRoute(from: string, to: string): Route | undefined {
  return routesFrom(from).find((one) => idOf(one.to) === idOf(to))?.route
}

/** The extensions that an input can become. */
export function reachable(from: string): string[] {
  return [...new Set(routesFrom(from).map(({ to }) => to))].sort()
}

/** The settings of all tools that convert, by name: what `mediaproc convert` can be told before the tool is known. */
export function converterEntries(): CatalogueEntry[] {
  const names = new Set(CONVERTERS.map(({ tool }) => tool))
  return catalogue().filter(({ section, id, base }) => base !== undefined || names.has(`${section}/${id}`))
}
