const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** `1234567` bytes are `1.2 MB`. */
export function sizeText(bytes: number): string {
  let [value, unit] = [bytes, 0]
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000
    unit += 1
  }
  const digits = unit > 0 && value < 9.95 ? 1 : 0
  return `${value.toFixed(digits)} ${UNITS[unit]}`
}

/** How much smaller or larger a result is: `−42 %`; undefined without a meaningful comparison. */
export function changeText(before: number, after: number): string | undefined {
  if (before <= 0) return undefined
  const percent = Math.round((after / before - 1) * 100)
  return `${percent > 0 ? '+' : percent < 0 ? '−' : '±'}${Math.abs(percent)} %`
}
