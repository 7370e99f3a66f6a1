/** Colours as forms write them. */

const HEX = /^#([0-9a-f]{6})([0-9a-f]{2})?$/i
const SHORT = /^#([0-9a-f])([0-9a-f])([0-9a-f])([0-9a-f])?$/i

/** The parts of a hexadecimal colour; undefined for names and functions. */
export function partsOf(text: string): { hex: string; alpha: number } | undefined {
  const short = SHORT.exec(text)
  const long = short
    ? `#${short
        .slice(1)
        .map((digit) => (digit ?? '').repeat(2))
        .join('')}`
    : text
  const match = HEX.exec(long)
  if (!match) return undefined
  const alpha = match[2] === undefined ? 1 : Number.parseInt(match[2], 16) / 255
  return { hex: `#${match[1]?.toLowerCase()}`, alpha }
}

/** `#rrggbb`, with an alpha only if it is not opaque. @param alpha from 0 to 1 */
export function colorText(hex: string, alpha: number): string {
  if (alpha >= 1) return hex
  const digits = Math.round(Math.max(0, alpha) * 255).toString(16)
  return `${hex}${digits.padStart(2, '0')}`
}
