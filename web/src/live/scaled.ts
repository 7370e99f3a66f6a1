/** Settings for a smaller copy of the picture. */
import type { SettingRow } from '../api/types.ts'
import { cornersOf, cornersText } from '../draw/corners.ts'
import type { Size } from '../draw/rectangle.ts'
import { effectiveValues, faultyRows, settingsOf, shownRows, type Values } from '../forms/values.ts'

/** A number of a row as the tool takes it; undefined if the row does not allow it. */
function fitted(row: SettingRow, value: number): number | undefined {
  const number = row.type === 'integer' ? Math.round(value) : value
  const isBelow =
    (row.min !== undefined && number < row.min) || (row.exclusiveMin !== undefined && number <= row.exclusiveMin)
  return isBelow || (row.max !== undefined && number > row.max) ? undefined : number
}

/** A value of a row for the copy; undefined if the copy is too small for it. */
function scaledValue(row: SettingRow, value: unknown, scale: number, picture: Size): unknown {
  if (row.unit === 'px' && typeof value === 'number') return value === 0 ? 0 : fitted(row, value * scale)
  if (row.grammar === 'corners') {
    const points = cornersOf(value, picture)?.map(({ x, y }) => ({ x: x * scale, y: y * scale }))
    return points && cornersText(points, { width: picture.width * scale, height: picture.height * scale })
  }
  if (!row.fields || typeof value !== 'object' || value === null) return value
  const parts = Object.entries(value).map(([name, part]) => {
    const field = row.fields?.find((one) => one.name === name)
    return [name, field ? scaledValue(field, part, scale, picture) : part] as const
  })
  return parts.some(([, part]) => part === undefined) ? undefined : Object.fromEntries(parts)
}

/** Rows without a number, as `0 px`, are the same at every size. */
const isInPixels = (row: SettingRow): boolean =>
  row.unit === 'px' || row.grammar === 'corners' || (row.fields?.some(isInPixels) ?? false)

/**
 * The settings that show on a copy what the form does to the picture.
 * @param scale width of the copy / width of the picture
 * @returns undefined if the form has faults, changes nothing, or if its effect on a copy differs
 */
export function scaledSettings(
  rows: readonly SettingRow[],
  values: Values,
  scale: number,
  picture: Size,
): Record<string, unknown> | undefined {
  if (faultyRows(rows, values).length > 0) return undefined
  const given = settingsOf(rows, values)
  // Many tools need a setting: the defaults alone would often be refused.
  if (Object.keys(given).length === 0) return undefined
  const shown = shownRows(rows, values)
  if (shown.some(({ name, scales }) => scales === false && given[name] !== undefined)) return undefined
  const full = effectiveValues(rows, values)
  const scaled: Record<string, unknown> = { ...given }
  for (const row of shown) {
    // A default that the tool fills in fits the picture already.
    const value = given[row.name] ?? (row.filledByTool ? undefined : full[row.name])
    if (value === undefined || !isInPixels(row)) continue
    const next = scaledValue(row, value, scale, picture)
    if (next === undefined) return undefined
    scaled[row.name] = next
  }
  return scaled
}
