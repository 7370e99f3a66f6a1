import { MediaprocError } from '../errors.ts'
import { findTool } from '../pipeline/read/find-tool.ts'
import type { CatalogueEntry } from '../tool/catalogue.ts'
import { SECTIONS } from '../tool/contract.ts'
import { sentInput, sentSettings } from '../tool/from-job.ts'
import { tableSchema } from '../tool/json-schema.ts'
import { correctedSearch, searchTools } from '../tool/search.ts'
import type { SettingsTable } from '../tool/settings.ts'
import { type Arguments, count, requiredText, word } from './arguments.ts'
import { LIMITS, type Place } from './definitions.ts'

/** A tool in a list. */
const shown = ({ section, id, summary }: CatalogueEntry): { id: string; summary: string } => ({
  id: `${section}/${id}`,
  summary,
})

/** Tools that match words, best first. @param usable the tools that the caller may use */
export function search(given: Arguments, usable: readonly CatalogueEntry[]): object {
  const query = requiredText(given, 'query', LIMITS.query)
  const section = word(given, 'section', SECTIONS)
  const limit = count(given, 'limit', 50, 10)
  const entries = section === undefined ? usable : usable.filter((entry) => entry.section === section)
  const found = searchTools(query, entries)
  const corrected = found.length === 0 ? correctedSearch(query, entries) : undefined
  const all = corrected === undefined ? found : searchTools(corrected, entries)
  return {
    tools: all.slice(0, limit).map(({ entry }) => shown(entry)),
    total: all.length,
    ...(corrected !== undefined && { searched: corrected }),
    ...(all.length === 0 && { hint: 'Use fewer or other words, or list_tools with a section.' }),
  }
}

/** The tools of a section, or the sections. @param usable the tools that the caller may use */
export function list(given: Arguments, usable: readonly CatalogueEntry[]): object {
  const section = word(given, 'section', SECTIONS)
  if (section !== undefined) return { tools: usable.filter((entry) => entry.section === section).map(shown) }
  const counted = SECTIONS.map((name) => ({
    section: name,
    tools: usable.filter((entry) => entry.section === name).length,
  }))
  return { sections: counted }
}

/** The schema of settings, without those that a preset fixes. */
function schemaOf(table: SettingsTable, locked: Readonly<Record<string, unknown>> = {}): object {
  const open = Object.entries(table).filter(([name]) => !Object.hasOwn(locked, name))
  return tableSchema(Object.fromEntries(open))
}

/**
 * Finds a tool that the caller may use: `image/resize`, or with an action `image/edit-metadata/inspect`.
 * @throws MediaprocError UNKNOWN_TOOL
 */
export function usableTool(name: string, usable: readonly CatalogueEntry[]): ReturnType<typeof findTool> {
  const byId = name.includes('/') ? undefined : usable.find(({ id }) => id === name)
  const found = findTool(byId ? `${byId.section}/${name}` : name)
  if (usable.some(({ section, id }) => section === found.tool.section && id === found.tool.id)) return found
  throw new MediaprocError('UNKNOWN_TOOL', `There is no tool ${name}`)
}

/** Everything that a call of a tool needs. */
export function describe(given: Arguments, usable: readonly CatalogueEntry[], place: Place): object {
  const { tool, entry, action } = usableTool(requiredText(given, 'tool', LIMITS.id), usable)
  const isAccount = place === 'account'
  const input = isAccount ? sentInput(entry) : entry.input
  const table = isAccount && action ? sentSettings(entry) : entry.settings
  const extra = Object.entries(input.secondary ?? {}).map(([name, { what, accept, required }]) => ({
    ...{ name, what, accept },
    ...(required && { required }),
  }))
  return {
    id: `${entry.section}/${entry.id}`,
    summary: entry.summary,
    files: { accept: input.accept, min: input.min, max: input.max },
    ...(extra.length > 0 && { extra_files: extra }),
    returns: entry.output.kind,
    ...(entry.bundles.length > 0 && { models: entry.bundles }),
    settings: schemaOf(table, action ? {} : tool.locked),
    ...(entry.examples.length > 0 && {
      examples: entry.examples.slice(0, 3).map(({ title, settings }) => ({ title, settings })),
    }),
    ...(entry.actions.length > 0 && {
      actions: entry.actions.map(({ id, summary }) => ({ id: `${entry.section}/${entry.id}/${id}`, summary })),
    }),
  }
}
