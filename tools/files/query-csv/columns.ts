import { invalidSettings, nearest } from '../../../src/tool/validate.ts'

/** The index of a column. @throws MediaprocError INVALID_SETTINGS with the known names */
export function columnIndex(columns: readonly string[], name: string, setting: string): number {
  const index = columns.indexOf(name)
  if (index >= 0) return index
  const meant = nearest(name, columns)
  const shown = columns.slice(0, 12).join(', ')
  throw invalidSettings(
    `${setting}: the table has no column "${name}"`,
    meant === undefined ? `Its columns: ${shown}${columns.length > 12 ? ' …' : ''}` : `Did you mean "${meant}"?`,
  )
}
