import type { CatalogueEntry } from './catalogue.ts'
import { findEntry } from './registry.ts'
import type { Setting } from './settings.ts'
import { convertValue } from './values/values.ts'

/** A tool's facts and what it is given. */
export interface RedirectedTool {
  entry: CatalogueEntry
  given: Record<string, unknown>
}

const isOn = (row: Setting, value: unknown): boolean => row.tool !== undefined && convertValue(row, value) === true

/**
 * The tool that settings mean: a switch of one tool may be the name of another (`resize` with `contentAware` is
 * `content-aware-resize`), which then gets the other settings. Every front door asks here, before settings are checked.
 */
export function redirectTool(entry: CatalogueEntry, given: Readonly<Record<string, unknown>>): RedirectedTool {
  const found = Object.entries(entry.settings).find(([name, row]) => isOn(row, given[name]))
  if (!found) return { entry, given: { ...given } }
  const [name, row] = found
  const { [name]: _switch, ...rest } = given
  return { entry: findEntry(row.tool!, entry.section), given: rest }
}
