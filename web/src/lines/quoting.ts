/** Joins quoted words; a long line continues with a backslash. */
export function shellLines(parts: readonly string[]): string {
  const line = parts.join(' ')
  return line.length <= 100 ? line : parts.join(' \\\n  ')
}
