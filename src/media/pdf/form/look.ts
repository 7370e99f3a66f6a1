import type { PDFObject } from '../../../engines/mupdf.ts'
import { withinTurn } from '../page/rotate.ts'
import { pdfNumber } from '../stamp/stamp-form.ts'
import { itemsOf } from '../structure/trees.ts'
import type { FormField } from './fields.ts'

/** Default width of a border, and least distance of the text from the edge, in points. */
const BORDER = 1
const PADDING = 2

/** How a box is drawn, from its dictionary (ISO 32000-1, 12.5.6.19 and 12.7.3.3). */
export interface LookOf {
  /** Size of the box as read, in points: sides are swapped for a box that is rotated by 90 degrees. */
  width: number
  height: number
  matrix: number[]
  /** Content of the background and the border. */
  background: string
  /** Width of the border. */
  border: number
  padding: number
  /** 0 is a size that fits. */
  fontSize: number
  /** A standard font of the style that the field asks for. */
  font: string
  /** Red, green and blue from 0 to 1. */
  colour: readonly [number, number, number]
  /** 0 left, 1 centred, 2 right. */
  align: number
}

export function lookOf(widget: PDFObject, field: FormField, boxWidth: number, boxHeight: number): LookOf {
  const turn = withinTurn(widget.get('MK', 'R').asNumber())
  const isSideways = turn === 90 || turn === 270
  const [width, height] = isSideways ? [boxHeight, boxWidth] : [boxWidth, boxHeight]
  const matrix = {
    90: [0, 1, -1, 0, boxWidth, 0],
    180: [-1, 0, 0, -1, boxWidth, boxHeight],
    270: [0, -1, 1, 0, 0, boxHeight],
  }[turn] ?? [1, 0, 0, 1, 0, 0]
  const given = widget.get('BS', 'W').isNumber() ? widget.get('BS', 'W').asNumber() : BORDER
  const line = operatorOf(widget.get('MK', 'BC'), 'stroke')
  const fill = operatorOf(widget.get('MK', 'BG'), 'fill')
  const border = line === '' ? 0 : Math.min(Math.max(given, 0), width / 4, height / 4)
  const half = pdfNumber(border / 2)
  const background = [
    fill && `q ${fill} 0 0 ${pdfNumber(width)} ${pdfNumber(height)} re f Q`,
    line &&
      border > 0 &&
      `q ${line} ${pdfNumber(border)} w ${half} ${half} ${pdfNumber(width - border)} ${pdfNumber(height - border)} re S Q`,
  ]
  const written = widget.get('DA').isString() ? widget.get('DA').asString() : field.appearance
  return {
    width,
    height,
    matrix,
    background: background.filter(Boolean).join('\n'),
    border,
    padding: Math.min(Math.max(PADDING, 2 * border), width / 4),
    ...textStyle(written),
    align: field.alignment === 1 || field.alignment === 2 ? field.alignment : 0,
  }
}

function operatorOf(colour: PDFObject, use: 'stroke' | 'fill'): string {
  const parts = itemsOf(colour).map((part) => pdfNumber(part.asNumber()))
  const operator = { 1: 'g', 3: 'rg', 4: 'k' }[parts.length]
  if (operator === undefined) return ''
  return [...parts, use === 'stroke' ? operator.toUpperCase() : operator].join(' ')
}

/** Number of operands of the operators of colours: grey, RGB and CMYK. */
const COLOURS = new Map([
  ['g', 1],
  ['rg', 3],
  ['k', 4],
])

/** Reads a default appearance such as `/Helv 12 Tf 0 0 1 rg`; of several fonts or colours, the last one is used. */
function textStyle(written: string): Pick<LookOf, 'fontSize' | 'font' | 'colour'> {
  const words = written.match(/\/[^\s/]*|[^\s/]+/g) ?? []
  let [name, size] = ['', 0]
  let parts = [0]
  for (const [index, word] of words.entries()) {
    if (word === 'Tf') [name, size] = [words[index - 2]?.slice(1) ?? '', Number(words[index - 1])]
    const count = COLOURS.get(word)
    if (count !== undefined && index >= count) parts = words.slice(index - count, index).map(Number)
  }
  const [first = 0, second = first, third = first, black] = parts.map((part) => Math.min(Math.max(part || 0, 0), 1))
  const ink = (value: number) => (black === undefined ? value : (1 - value) * (1 - black))
  return {
    fontSize: Math.min(Math.max(size || 0, 0), 400),
    font: standardFont(name),
    colour: [ink(first), ink(second), ink(third)],
  }
}

/** The standard font that resembles one of this name. */
function standardFont(name: string): string {
  const isBold = /bold|Bo$|BO$|HeBo|CoBo|TiBo/i.test(name)
  if (/^(cour|cob)|mono/i.test(name)) return isBold ? 'Courier-Bold' : 'Courier'
  if (/^(ti|tim)|serif|roman/i.test(name)) return isBold ? 'Times-Bold' : 'Times-Roman'
  return isBold ? 'Helvetica-Bold' : 'Helvetica'
}
