/** The area of the image reserved for the chart, px. */
export interface Area {
  left: number
  top: number
  width: number
  height: number
}

/** Used in order, then repeated (catalogue; the ten colours of Tableau). */
export const PALETTE = [
  ...['#4e79a7', '#f28e2b', '#e15759', '#76b7b2', '#59a14f'],
  ...['#edc948', '#b07aa1', '#ff9da7', '#9c755f', '#bab0ac'],
]
/** Darker shades for series after the first ten. */
const DARK = [
  ...['#1f3f66', '#a3540b', '#8a1f24', '#2b6f69', '#2c661f'],
  ...['#94770b', '#653b5c', '#c2286b', '#543526', '#55504d'],
]

/** The colour of a series, from 0. */
export const colorOf = (index: number): string => [...PALETTE, ...DARK][index % 20]!

export const INK = '#222222'
export const QUIET = '#666666'
export const GRID = '#e3e3e3'

/** Mean width of a Noto Sans letter as a share of the font size: accurate enough to shorten texts that do not fit. */
const LETTER = 0.56

const escaped = (text: string): string =>
  text
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')

/** Rounds numbers to a hundredth of a pixel. */
const plain = (value: string | number): string =>
  typeof value === 'number' ? String(Number(value.toFixed(2))) : escaped(value)

export function element(name: string, attributes: Readonly<Record<string, string | number>>): string {
  const all = Object.entries(attributes).map(([key, value]) => ` ${key}="${plain(value)}"`)
  return `<${name}${all.join('')}/>`
}

export interface TextLook {
  x: number
  y: number
  size: number
  anchor?: 'start' | 'middle' | 'end'
  bold?: boolean
  fill?: string
  /** Rotation around its anchor, degrees. */
  turn?: number
  /** Maximum width, px: longer texts end in an ellipsis. */
  room?: number
}

/** A text shortened to its maximum width and escaped. */
export function textElement(text: string, look: TextLook): string {
  const { x, y, size, anchor = 'start', bold = false, fill = INK, turn, room = Number.POSITIVE_INFINITY } = look
  const letters = Array.from(text)
  const most = Math.max(1, Math.floor(room / (size * LETTER)))
  const shown = letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : text
  const attributes = {
    ...{ x, y, fill, 'font-family': 'Noto Sans', 'font-size': size, 'text-anchor': anchor },
    ...(bold && { 'font-weight': 'bold' }),
    ...(turn !== undefined && { transform: `rotate(${turn} ${plain(x)} ${plain(y)})` }),
  }
  const all = Object.entries(attributes).map(([key, value]) => ` ${key}="${plain(value)}"`)
  return `<text${all.join('')}>${escaped(shown)}</text>`
}

/** Approximate width of a text, px. */
export const widthOf = (text: string, size: number): number => Array.from(text).length * size * LETTER

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 })

/** Formats a value as briefly as possible: 1250000 is 1.25M. */
export function shortNumber(value: number): string {
  if (value !== 0 && (Math.abs(value) < 0.01 || Math.abs(value) >= 1e15)) return value.toExponential(1)
  return Math.abs(value) < 10_000 ? String(Number(value.toFixed(2))) : COMPACT.format(value)
}
