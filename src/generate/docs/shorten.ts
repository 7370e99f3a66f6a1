const MAX_ITEMS = 4
const MAX_TEXT = 60

/** Figures that depend on the encoder's version, not on what the tool does: bytes, and what is computed from them. */
const UNSTEADY = /^size$|bytes|sizeKb|fileSize|originalSize|resultSize|ratio|saved|saving|percent|bitrate|durationMs/i

/**
 * A report as documentation shows it: long lists and texts are cut, fractions have four digits, and figures that differ
 * between machines are left out.
 */
export function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value
  if (typeof value === 'number') return Number.isInteger(value) ? value : Number(value.toPrecision(4))
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ITEMS).map(shortened)
    return value.length > MAX_ITEMS ? [...items, '…'] : items
  }
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      typeof item === 'number' && UNSTEADY.test(key) ? '…' : shortened(item),
    ]),
  )
}
