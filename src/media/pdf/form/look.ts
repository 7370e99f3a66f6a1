import type { PDFObject } from '../../../engines/mupdf.ts'
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
  const turn = (((widget.get('MK', 'R').asNumber() % 360) + 360) % 360) as number
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

/** Reads a default appearance such as `/Helv 12 Tf 0 0 1 rg`. */
function textStyle(written: string): Pick<LookOf, 'fontSize' | 'font' | 'colour'> {
  const [, name = '', size = '0'] = /\/(\S+)\s+(-?[\d.]+)\s+Tf/.exec(written) ?? []
  const numbers = (count: number, operator: string): number[] | undefined => {
    const match = new RegExp(`((?:[\\d.]+\\s+){${count}})${operator}(?:\\s|$)`).exec(written)
    return match?.[1]?.trim().split(/\s+/).map(Number)
  }
  const [grey, rgb, cmyk] = [numbers(1, 'g'), numbers(3, 'rg'), numbers(4, 'k')]
  const [c = 0, m = 0, y = 0, k = 0] = cmyk ?? []
  const [red = 0, green = 0, blue = 0] =
    rgb ??
    (cmyk
      ? [c, m, y].map((ink) => (1 - Math.min(1, ink)) * (1 - Math.min(1, k)))
      : [grey?.[0] ?? 0, grey?.[0] ?? 0, grey?.[0] ?? 0])
  return {
    fontSize: Math.min(Math.max(Number(size) || 0, 0), 400),
    font: standardFont(name),
    colour: [red, green, blue],
  }
}

/** The standard font that resembles one of this name. */
function standardFont(name: string): string {
  const isBold = /bold|Bo$|BO$|HeBo|CoBo|TiBo/i.test(name)
  if (/^(cour|cob)|mono/i.test(name)) return isBold ? 'Courier-Bold' : 'Courier'
  if (/^(ti|tim)|serif|roman/i.test(name)) return isBold ? 'Times-Bold' : 'Times-Roman'
  return isBold ? 'Helvetica-Bold' : 'Helvetica'
}
