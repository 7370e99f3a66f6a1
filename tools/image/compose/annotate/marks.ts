import type { Size } from '../../../../src/media/image/frame.ts'
import type { Area } from '../../../../src/models/tiles.ts'
import { invalidSettings, nearest } from '../../../../src/tool/validate.ts'
import { parseColour } from '../../../../src/tool/values/colour.ts'

export interface Point {
  x: number
  y: number
}

/** What a mark sets for itself, instead of the settings for all. */
export interface Look {
  /** #rrggbb */
  color?: string
  /** Width of lines, px. */
  width?: number
  /** Font size, px. */
  size?: number
}

const SHAPES = ['box', 'ellipse', 'highlight', 'spotlight', 'blur', 'pixelate', 'cover'] as const
const LINES = ['arrow', 'line'] as const
const KINDS = [...LINES, ...SHAPES, 'number', 'text'] as const

type Kind = (typeof KINDS)[number]
type Shape = (typeof SHAPES)[number]

export type Mark = Look &
  (
    | { kind: (typeof LINES)[number]; from: Point; to: Point }
    | { kind: Shape; area: Area }
    | { kind: 'number'; at: Point }
    | { kind: 'text'; at: Point; text: string }
  )

/** How each kind is written. */
const FORMS: Readonly<Record<Kind, string>> = {
  arrow: 'arrow X Y TO-X TO-Y',
  line: 'line X Y TO-X TO-Y',
  box: 'box X Y WIDTH HEIGHT',
  ellipse: 'ellipse X Y WIDTH HEIGHT',
  highlight: 'highlight X Y WIDTH HEIGHT',
  spotlight: 'spotlight X Y WIDTH HEIGHT',
  blur: 'blur X Y WIDTH HEIGHT',
  pixelate: 'pixelate X Y WIDTH HEIGHT',
  cover: 'cover X Y WIDTH HEIGHT',
  number: 'number X Y',
  text: 'text X Y WORDS',
}

const isKind = (word: string): word is Kind => Object.hasOwn(FORMS, word)
const isOneOf = <T extends string>(words: readonly T[], word: string): word is T => words.some((one) => one === word)

/** An option of a mark, `color=red`; undefined for another word. @throws MediaprocError INVALID_SETTINGS */
function optionOf(word: string, fault: (what: string, hint?: string) => Error): Look | undefined {
  const [, name, value = ''] = /^(color|width|size)=(.+)$/s.exec(word) ?? []
  if (name === undefined) return undefined
  if (name === 'color') {
    const color = parseColour(value)
    if (color === undefined || color.length > 7) throw fault(`${value} is not a colour`, 'For example: color=#e11d48')
    return { color }
  }
  const pixels = Number(value)
  if (!(pixels >= 1 && pixels <= 1000)) throw fault(`${word}: a number from 1 to 1000 is expected`)
  return name === 'width' ? { width: pixels } : { size: pixels }
}

/**
 * Reads a mark, written as its kind, its coordinates in px or percent of the image, options and, for text, the words.
 * @param index its place in the list, for messages
 * @throws MediaprocError INVALID_SETTINGS
 */
export function readMark(written: string, index: number, image: Size): Mark {
  const [kind = '', ...rest] = written
    .trim()
    .split(/(?<=\s)(?=\S)/)
    .map((word, at) => (at === 0 ? word.trim() : word))
  const fault = (what: string, hint?: string): Error => invalidSettings(`marks.${index}: ${what}`, hint)
  if (!isKind(kind)) {
    const meant = nearest(kind, KINDS)
    throw fault(
      `"${kind}" is not a kind of mark`,
      meant ? `Did you mean ${meant}?` : `Known kinds: ${KINDS.join(', ')}`,
    )
  }
  const count = kind === 'number' || kind === 'text' ? 2 : 4
  const [x = 0, y = 0, third = 0, fourth = 0] = Array.from({ length: count }, (_, at) => {
    const word = rest.shift()?.trim() ?? ''
    const [, number, percent] = /^(-?(?:\d+\.?\d*|\.\d+))(%?)(?:px)?$/.exec(word) ?? []
    if (number === undefined)
      throw fault(
        word === '' ? `${count} numbers are expected` : `${word} is not a number`,
        `Write it as: ${FORMS[kind]}`,
      )
    return percent ? (Number(number) * (at % 2 === 0 ? image.width : image.height)) / 100 : Number(number)
  })
  let look: Look = {}
  for (;;) {
    const option = optionOf(rest[0]?.trim() ?? '', fault)
    if (!option) break
    look = { ...look, ...option }
    rest.shift()
  }
  const words = rest.join('').trim()
  if (kind === 'text') {
    if (words === '') throw fault('the words are missing', `Write it as: ${FORMS.text}`)
    return { ...look, kind, at: { x, y }, text: words }
  }
  if (words !== '') throw fault(`"${words}" is not expected after the mark`, `Write it as: ${FORMS[kind]}`)
  if (kind === 'number') return { ...look, kind, at: { x, y } }
  if (isOneOf(LINES, kind)) {
    if (x === third && y === fourth) throw fault('both ends are the same point')
    return { ...look, kind, from: { x, y }, to: { x: third, y: fourth } }
  }
  if (third <= 0 || fourth <= 0) throw fault('width and height must be greater than 0')
  return { ...look, kind, area: { left: x, top: y, width: third, height: fourth } }
}
