import { COLOUR_NAMES } from './colour-names.ts'

/** The longest text that is parsed as a colour, in characters. */
const MAX_LENGTH = 80

/** A CSS number or percentage, such as `12`, `.5` or `50%`. */
const NUMBER = /^[+-]?(?:\d{1,12}(?:\.\d{0,12})?|\.\d{1,12})%?$/

const clamp = (value: number, highest: number): number => Math.min(highest, Math.max(0, value))

/** A number, or a percentage of `whole`; undefined for anything else. */
function amount(word: string, whole: number): number | undefined {
  if (!NUMBER.test(word)) return undefined
  const value = Number.parseFloat(word)
  return word.endsWith('%') ? (value / 100) * whole : value
}

/** Degrees per unit of an angle (CSS Values 4, section 6.1). */
const DEGREES: Readonly<Record<string, number>> = { deg: 1, grad: 0.9, rad: 180 / Math.PI, turn: 360 }

function degrees(word: string): number | undefined {
  const unit = /(?:deg|grad|rad|turn)$/.exec(word)?.[0]
  const value = amount(unit ? word.slice(0, -unit.length) : word, Number.NaN)
  return value === undefined || Number.isNaN(value) ? undefined : value * (unit ? DEGREES[unit]! : 1)
}

/** CSS Color 4, section 7: converts hue in degrees, saturation and lightness from 0 to 1 into RGB from 0 to 255. */
function hslToRgb(hue: number, saturation: number, lightness: number): number[] {
  const turn = ((hue % 360) + 360) % 360
  const reach = saturation * Math.min(lightness, 1 - lightness)
  return [0, 8, 4].map((offset) => {
    const place = (offset + turn / 30) % 12
    return (lightness - reach * Math.max(-1, Math.min(place - 3, 9 - place, 1))) * 255
  })
}

/**
 * Splits the arguments: three and an optional alpha, separated by commas, or by spaces with the alpha after a slash.
 */
function partsOf(inside: string): string[] | undefined {
  if (inside.includes(',')) {
    const parts = inside.split(',').map((part) => part.trim())
    return parts.length === 3 || parts.length === 4 ? parts : undefined
  }
  const [colour = '', alpha, ...more] = inside.split('/')
  const parts = colour.trim().split(/\s+/)
  if (more.length > 0 || parts.length !== 3) return undefined
  return alpha === undefined ? parts : [...parts, alpha.trim()]
}

function fromFunction(word: string): [number, number, number, number] | undefined {
  const [, name, inside] = /^(rgb|hsl)a?\(([^()]*)\)$/.exec(word) ?? []
  const parts = inside === undefined ? undefined : partsOf(inside.trim())
  if (!parts) return undefined
  const [first, second, third, last] = parts as [string, string, string, string?]
  const alpha = last === undefined ? 1 : amount(last, 1)
  // Saturation and lightness are percentages with or without the sign.
  const [a, b, c] =
    name === 'rgb'
      ? [amount(first, 255), amount(second, 255), amount(third, 255)]
      : [degrees(first), amount(second, 100), amount(third, 100)]
  if (a === undefined || b === undefined || c === undefined || alpha === undefined) return undefined
  const [red, green, blue] = name === 'rgb' ? [a, b, c] : hslToRgb(a, clamp(b, 100) / 100, clamp(c, 100) / 100)
  return [clamp(red!, 255), clamp(green!, 255), clamp(blue!, 255), clamp(alpha, 1) * 255]
}

const hexadecimal = (values: readonly number[]): string =>
  `#${values.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`

/**
 * Parses a CSS colour (CSS Color Module Level 4): `red`, `#f00`, `#f00c`, `#ff0000`, `#ff0000cc`,
 * `rgb(255, 0, 0)`, `rgb(100% 0 0 / 50%)`, `hsl(120deg 100% 25%)`, `transparent`. Case-insensitive.
 * @returns lower-case #rrggbb, or #rrggbbaa if the text has an alpha; undefined if it is not a colour
 */
export function parseColour(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const word = text.toLowerCase()
  if (/^#(?:[0-9a-f]{6}|[0-9a-f]{8})$/.test(word)) return word
  if (/^#[0-9a-f]{3,4}$/.test(word)) return `#${[...word.slice(1)].map((digit) => digit + digit).join('')}`
  if (word === 'transparent') return '#00000000'
  const named = COLOUR_NAMES.get(word)
  if (named) return named
  const parts = fromFunction(word)
  return parts && hexadecimal(parts[3] === 255 ? parts.slice(0, 3) : parts)
}
