/** Colours in a default appearance string, for fills and strokes: `1 0 0 rg`, `0 1 1 0 K`. */
const COLOR_OPERATOR = /((?:[-+.\d]+\s+){3,4})(rg|RG|k|K)\b/g

/** Colours in the style of rich text (ISO 32000-1, 12.7.3.4): `#FF0000`, `#F00`, `rgb(255, 0, 0)`. */
const STYLE_COLOR = /#([0-9a-f]{6}|[0-9a-f]{3})\b|rgb\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*\)/gi

/** The luminance of gray, RGB or CMYK with components from 0 to 1 (ISO 32000-1, 10.3.3), rounded. */
export function grayOf(parts: readonly number[]): number {
  const [first = 0, second = 0, third = 0, black] = parts
  if (parts.length === 1) return first
  const weighted = 0.3 * first + 0.59 * second + 0.11 * third
  const gray = black === undefined ? weighted : 1 - Math.min(1, weighted + black)
  return Number(gray.toFixed(3))
}

/** A default appearance string (`DA`) with its colours replaced by gray. */
export function grayAppearance(text: string): string {
  return text.replace(COLOR_OPERATOR, (_whole, numbers: string, operator: string) => {
    const gray = grayOf(numbers.trim().split(/\s+/).map(Number))
    return `${gray} ${/[A-Z]/.test(operator) ? 'G' : 'g'}`
  })
}

/** Rich text (`RC`) or its default style (`DS`) with its colours replaced by gray. */
export function grayStyle(text: string): string {
  return text.replace(STYLE_COLOR, (_whole, hex: string | undefined, ...rgb: string[]) => {
    const parts = hex ? (hex.match(hex.length === 3 ? /./g : /../g) ?? []).map(fromHex) : rgb.slice(0, 3).map(Number)
    const gray = Math.round(255 * grayOf(parts.map((part) => part / 255)))
    return `#${gray.toString(16).padStart(2, '0').repeat(3)}`
  })
}

const fromHex = (digits: string): number => Number.parseInt(digits.length === 1 ? digits + digits : digits, 16)
