import type { Mupdf, PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import { required } from '../../../lists.ts'
import { layoutLines } from './stamp-layout.ts'

/** A form XObject that draws text, with its size in points. */
export interface StampForm {
  form: PDFObject
  width: number
  height: number
}

export interface StampStyle {
  /** In points. */
  fontSize: number
  /** Red, green, blue from 0 to 1. */
  colour: readonly [number, number, number]
  /** Alignment of lines of different length. */
  align: 'left' | 'centre' | 'right'
}

/** Ascent and descent of the line's box, in em: what Helvetica-like fonts need above and below the baseline. */
const ASCENT = 0.76
const DESCENT = 0.22
/** Distance between baselines, in em. */
const LEADING = 1.2

/** Formats a number for PDF: plain decimals. */
export function pdfNumber(value: number): string {
  return String(Number(value.toFixed(5)) + 0)
}

/** Creates form XObjects for all texts at once, in `target`, so that they share their fonts. */
export function makeStampForms(
  mupdf: Mupdf,
  target: PDFDocument,
  texts: string[],
  style: StampStyle,
): Map<string, StampForm> {
  const { fontSize, colour, align } = style
  const { lines, resources } = layoutLines(
    mupdf,
    target,
    texts.flatMap((text) => text.split('\n')),
    colour,
  )
  const forms = new Map<string, StampForm>()
  for (const text of texts) {
    const laid = text.split('\n').map((line) => required(lines, line))
    const width = Math.max(...laid.map((line) => line.width)) * fontSize
    const height = (ASCENT + DESCENT + LEADING * (laid.length - 1)) * fontSize
    const content = laid.map((line, index) => {
      const free = width - line.width * fontSize
      const left = align === 'left' ? 0 : align === 'right' ? free : free / 2
      const base = height - (ASCENT + LEADING * index) * fontSize
      const size = pdfNumber(fontSize)
      return `q ${size} 0 0 ${size} ${pdfNumber(left)} ${pdfNumber(base)} cm ${line.content} Q`
    })
    const dictionary = target.newDictionary()
    dictionary.put('Type', target.newName('XObject'))
    dictionary.put('Subtype', target.newName('Form'))
    // Some scripts extend above and below the space that Helvetica needs.
    dictionary.put('BBox', [-fontSize, -fontSize, width + fontSize, height + fontSize])
    // As a transparency group, overlapping glyphs do not show through each other.
    dictionary.put('Group', { Type: 'Group', S: 'Transparency' })
    dictionary.put('Resources', resources)
    const paint = `${colour.map(pdfNumber).join(' ')} rg`
    forms.set(text, { form: target.addStream([paint, ...content].join('\n'), dictionary), width, height })
  }
  return forms
}
