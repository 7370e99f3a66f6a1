import type { CatalogueEntry } from './catalogue.ts'
import { findEntry } from './registry.ts'
import type { Setting } from './settings.ts'
import { convertValue } from './values/values.ts'

/** A tool's declaration and its given settings. */
export interface RedirectedTool {
  entry: CatalogueEntry
  given: Record<string, unknown>
}

const isOn = (row: Setting, value: unknown): boolean => row.tool !== undefined && convertValue(row, value) === true

/**
 * Redirects to another tool: a switch of one tool may name another (`resize` with `contentAware` is
 * `content-aware-resize`), which then receives the other settings. Every interface calls this before checking settings.
 */
export function redirectTool(entry: CatalogueEntry, given: Readonly<Record<string, unknown>>): RedirectedTool {
  const found = Object.entries(entry.settings).find(([name, row]) => isOn(row, given[name]))
  if (!found) return { entry, given: { ...given } }
  const [name, row] = found
  const { [name]: _switch, ...rest } = given
  return { entry: findEntry(row.tool!, entry.section), given: rest }
}
