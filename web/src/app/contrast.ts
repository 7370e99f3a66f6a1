/** Colours of a brand, changed until text in them is readable. Contrast as in WCAG 2.2, success criterion 1.4.3. */

type Rgb = readonly [red: number, green: number, blue: number]

/** The least contrast of text. */
export const LEAST_CONTRAST = 4.5

const BLACK: Rgb = [0, 0, 0]
const WHITE: Rgb = [255, 255, 255]

function rgbOf(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}

const hexOf = (rgb: Rgb): string =>
  `#${rgb.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`

/** Relative luminance, from 0 to 1. */
function luminance(rgb: Rgb): number {
  const linear = (channel: number): number => {
    const value = channel / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  const [red, green, blue] = rgb
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

function contrastOf(one: Rgb, other: Rgb): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

/** Contrast of two colours as #rrggbb, from 1 to 21. */
export const contrast = (one: string, other: string): number => contrastOf(rgbOf(one), rgbOf(other))

const mix = ([r, g, b]: Rgb, [red, green, blue]: Rgb, share: number): Rgb => [
  r + (red - r) * share,
  g + (green - g) * share,
  b + (blue - b) * share,
]

export interface Ground {
  /** Colours behind text, as in tokens.css; the first is that of cards. */
  grounds: readonly string[]
  isDark: boolean
}

export const LIGHT: Ground = { grounds: ['#ffffff', '#fbfbfc', '#f3f4f6'], isDark: false }
export const DARK: Ground = { grounds: ['#16191f', '#0e1014', '#1d2129'], isDark: true }

export interface Scheme {
  accent: string
  hover: string
  soft: string
  on: string
}

/** A theme's colours for a brand colour (#rrggbb): the nearest with enough contrast, darker or lighter than the wanted one. */
export function schemeOf(wanted: string, { grounds, isDark }: Ground): Scheme {
  const color = rgbOf(wanted)
  const [card = WHITE, ...others] = grounds.map(rgbOf)
  const away = isDark ? WHITE : BLACK
  for (let share = 0; ; share += 0.01) {
    // Checked as it is sent: rounding may lose a little contrast.
    const accent = rgbOf(hexOf(mix(color, away, Math.min(1, share))))
    const soft = rgbOf(hexOf(mix(card, accent, isDark ? 0.14 : 0.08)))
    const isReadable = [card, ...others, soft].every((ground) => contrastOf(accent, ground) >= LEAST_CONTRAST)
    if (!isReadable && share < 1) continue
    const on = isDark ? mix(accent, BLACK, 0.88) : WHITE
    const hover = isDark ? mix(accent, WHITE, 0.2) : mix(accent, BLACK, 0.18)
    return { accent: hexOf(accent), hover: hexOf(hover), soft: hexOf(soft), on: hexOf(on) }
  }
}
