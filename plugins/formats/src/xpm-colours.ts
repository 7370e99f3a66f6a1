import names from 'color-name'
import { damaged, unsupported } from './reader.ts'

type Colour = readonly [red: number, green: number, blue: number, alpha: number]

const CLEAR: Colour = [0, 0, 0, 0]
/** Maximum length of the line of a colour, in characters. */
const MAX_LINE = 512

/** The names that mean another colour in X11 than in CSS. */
const X11: Readonly<Record<string, readonly [number, number, number]>> = {
  gray: [190, 190, 190],
  green: [0, 255, 0],
  maroon: [176, 48, 96],
  purple: [160, 32, 240],
}

/** Parses a colour: #rgb to #rrrrggggbbbb, none, a grey of 0 to 100, or a name of X11. */
function readColour(word: string): Colour {
  const name = word.toLowerCase().replaceAll(/\s/g, '').replace('grey', 'gray')
  if (name === 'none' || name === 'transparent') return CLEAR
  const [, hex = ''] = /^#([\da-f]+)$/.exec(name) ?? []
  if (hex !== '' && hex.length % 3 === 0 && hex.length <= 12) {
    const digits = hex.length / 3
    const part = (index: number): number => {
      const value = hex.slice(index * digits, (index + 1) * digits)
      return Number.parseInt(digits === 1 ? value + value : value.slice(0, 2), 16)
    }
    return [part(0), part(1), part(2), 255]
  }
  const [, share] = /^gray(\d{1,3})$/.exec(name) ?? []
  if (share !== undefined) {
    const level = Math.round((Math.min(100, Number(share)) * 255) / 100)
    return [level, level, level, 255]
  }
  const table: Readonly<Record<string, readonly number[]>> = { ...names, ...X11 }
  const [red, green, blue] = (Object.hasOwn(table, name) && table[name]) || []
  if (red === undefined || green === undefined || blue === undefined)
    throw unsupported(`The X pixmap names the colour ${JSON.stringify(word)}, which is not known`)
  return [red, green, blue, 255]
}

const known = new Map<string, Colour>()

/** The colour of a line: for colour screens if given, otherwise for grey ones, otherwise for black and white. */
export function colourOf(line: string): Colour {
  if (line.length > MAX_LINE) throw damaged('The X pixmap has a colour that is too long')
  const parts = new Map<string, string>()
  for (const [, kind = '', value = ''] of line.matchAll(/(?:^|\s)(c|g4|g|m|s)\s+(.+?)(?=\s+(?:c|g4|g|m|s)\s|\s*$)/g))
    parts.set(kind, value)
  const chosen = parts.get('c') ?? parts.get('g') ?? parts.get('g4') ?? parts.get('m')
  if (chosen === undefined) throw damaged('The X pixmap has a colour without a value')
  const colour = known.get(chosen) ?? readColour(chosen)
  if (known.size < 1000) known.set(chosen, colour)
  return colour
}
