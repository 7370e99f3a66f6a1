/** The area of the image reserved for the chart, px. */
export interface Area {
  left: number
  top: number
  width: number
  height: number
  colours: Colours
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

export interface Colours {
  ground: string
  /** Titles and names. */
  ink: string
  /** Numbers and axes. */
  quiet: string
  grid: string
}

export const THEMES = {
  light: { ground: '#ffffff', ink: '#222222', quiet: '#666666', grid: '#e3e3e3' },
  dark: { ground: '#16181d', ink: '#f0f2f5', quiet: '#a8b0ba', grid: '#2f343d' },
} as const satisfies Record<string, Colours>

/** Widths of Noto Sans letters as shares of the font size: accurate enough to shorten texts that do not fit. */
const WIDTHS: readonly (readonly [RegExp, number])[] = [
  [/[iljI.,:;'|!]/, 0.28],
  [/\p{M}/u, 0],
  [/[ ()[\]ftr-]/, 0.36],
  [/[mwMW@%\u2026]/, 0.9],
  [/[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]/u, 1],
  [/\p{Lu}/u, 0.66],
]
const OTHER = 0.57

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
  fill: string
  /** Rotation around its anchor, degrees. */
  turn?: number
  /** Maximum width, px: longer texts end in an ellipsis. */
  room?: number
}

/** A text shortened to its maximum width and escaped. */
export function textElement(text: string, look: TextLook): string {
  const { x, y, size, anchor = 'start', bold = false, fill, turn, room = Number.POSITIVE_INFINITY } = look
  const shown = shortened(text, size, room)
  const attributes = {
    ...{ x, y, fill, 'font-family': 'Noto Sans', 'font-size': size, 'text-anchor': anchor },
    ...(bold && { 'font-weight': 'bold' }),
    ...(turn !== undefined && { transform: `rotate(${turn} ${plain(x)} ${plain(y)})` }),
  }
  const all = Object.entries(attributes).map(([key, value]) => ` ${key}="${plain(value)}"`)
  return `<text${all.join('')}>${escaped(shown)}</text>`
}

/** Approximate width of a text, px. */
export const widthOf = (text: string, size: number): number =>
  Array.from(text).reduce((sum, letter) => sum + (WIDTHS.find(([some]) => some.test(letter))?.[1] ?? OTHER), 0) * size

function shortened(text: string, size: number, room: number): string {
  if (widthOf(text, size) <= room) return text
  const letters = Array.from(text)
  while (letters.length > 1 && widthOf(`${letters.join('')}…`, size) > room) letters.pop()
  return `${letters.join('').trimEnd()}…`
}

/** A text on at most this number of lines, broken between words; the last line has the rest, which can be too wide. */
export function wrapped(text: string, size: number, room: number, mostLines: number): string[] {
  const lines: string[] = []
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const last = lines.at(-1)
    const isFull = lines.length === mostLines
    if (last !== undefined && (isFull || widthOf(`${last} ${word}`, size) <= room))
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.length > 0 ? lines : [text]
}

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 })

/** Formats a value as briefly as possible: 1250000 is 1.25M. */
export function shortNumber(value: number): string {
  if (value !== 0 && (Math.abs(value) < 1e-4 || Math.abs(value) >= 1e15)) return value.toExponential(1)
  if (value !== 0 && Math.abs(value) < 0.01) return String(Number(value.toPrecision(2)))
  return Math.abs(value) < 10_000 ? String(Number(value.toFixed(2))) : COMPACT.format(value)
}
