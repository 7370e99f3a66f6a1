import { loadMupdf, type Mupdf, type PDFDocument, withMupdfErrors } from '../../../engines/mupdf.ts'
import { MediaprocError } from '../../../errors.ts'
import { required } from '../../../lists.ts'
import type { PdfHandle } from '../handle.ts'
import { appendToPage } from '../page/page-content.ts'
import { separatePages } from '../page/page-tree.ts'
import { makeStampForms, type StampForm } from './stamp-form.ts'

/** Top, middle (no letter) and bottom; left, centre and right. */
export type StampPosition = 'tl' | 'tc' | 'tr' | 'l' | 'c' | 'r' | 'bl' | 'bc' | 'br'

export interface StampOptions {
  /** `%p` is replaced by the page number, `%P` by the number of pages; newlines start a new line. */
  text: string
  position: StampPosition
  /** In points. */
  fontSize: number
  /** From 0 (invisible) to 1; default 1. */
  opacity?: number
  /** Degrees counter-clockwise; default 0. */
  rotation?: number
  /** Distance between the page's edge and the text's (rotated) box at the outer positions, in points; default 0. */
  insetPt?: number
  /** Red, green, blue from 0 to 1; default mid-grey. */
  colour?: readonly [number, number, number]
}

/** Screen readers skip content that is not part of the text (ISO 32000-1, 14.8.2.2). */
const ARTIFACT = { begin: '/Artifact <</Type /Pagination /Subtype /Watermark>> BDC', end: 'EMC' }

/** Scaled text keeps this distance from the edges, points. */
const LEAST_INSET = 12

const MID_GRAY = [0.5, 0.5, 0.5] as const

/**
 * Draws text on top of the content of every page, within the displayed box (crop box, /Rotate, /UserUnit), upright as
 * displayed before `rotation`. Text covered by standard Helvetica is drawn with it; for anything else, fonts are
 * embedded (see `fontsFor`) and shaped; a character that no font has is ENGINE_UNAVAILABLE. The text can be searched
 * and copied, and is marked as an artifact, so that screen readers skip it. A text that is larger than a page is scaled
 * down on it.
 * @returns the numbers of the pages with scaled text
 */
export async function stampText(document: PdfHandle, options: StampOptions): Promise<number[]> {
  const mupdf = await loadMupdf()
  const { pdf, pageCount } = document
  const textOf = (page: number) => substitute(options.text, page, pageCount)
  const texts = new Set(Array.from({ length: pageCount }, (_, index) => textOf(index + 1)))
  if ([...texts].every((text) => text.trim() === '')) {
    throw new MediaprocError('INVALID_SETTINGS', 'The text to draw is blank')
  }
  return withMupdfErrors('PROCESSING_FAILED', 'The text could not be drawn on the pages', () => {
    const style = { fontSize: options.fontSize, colour: options.colour ?? MID_GRAY, align: alignment(options.position) }
    const forms = makeStampForms(mupdf, pdf, [...texts], style)
    return stampPages(mupdf, document, (page) => required(forms, textOf(page)), options)
  })
}

/** Where stamps are drawn, and how. */
export type StampPlace = Pick<StampOptions, 'position' | 'opacity' | 'rotation' | 'insetPt'>

/**
 * Draws a form on pages, by default on all, within `withMupdfErrors`.
 * @returns the numbers of the pages on which it was scaled down, because it is larger than they are
 */
export function stampPages(
  mupdf: Mupdf,
  document: PdfHandle,
  formOf: (page: number) => StampForm,
  place: StampPlace,
  pages: Iterable<number> = Array.from({ length: document.pageCount }, (_, index) => index + 1),
): number[] {
  const { pdf } = document
  const opacity = place.opacity ?? 1
  const state = opacity < 1 ? pdf.addObject({ Type: 'ExtGState', ca: opacity, CA: opacity }) : undefined
  separatePages(pdf)
  const scaled: number[] = []
  for (const page of pages) {
    const object = pdf.findPage(page - 1)
    const form = formOf(page)
    const { matrix, scale } = placement(mupdf, pdf, page, form, place)
    if (scale < 1) scaled.push(page)
    const name = appendToPage(pdf, object, { form: form.form, matrix, state, name: 'Stamp', mark: ARTIFACT })
    document.expect(`page ${page} has its stamp ${name}`, (saved) =>
      saved
        .findPage(page - 1)
        .get('Resources', 'XObject', name)
        .isStream(),
    )
  }
  return scaled
}

function substitute(text: string, page: number, pageCount: number): string {
  return text
    .replace(/%[pP]/g, (mark) => String(mark === '%p' ? page : pageCount))
    .replace(/\r\n?/g, '\n')
    .replace(/[\t\v\f\u0000-\u0009\u000e-\u001f\u007f]/g, ' ')
}

function alignment(position: StampPosition): 'left' | 'centre' | 'right' {
  return position.endsWith('l') ? 'left' : position.endsWith('r') ? 'right' : 'centre'
}

/** The matrix from form space to page space: rotate, move into the displayed box, then convert to page coordinates. */
function placement(
  mupdf: Mupdf,
  pdf: PDFDocument,
  page: number,
  stamp: StampForm,
  options: StampPlace,
): { matrix: number[]; scale: number } {
  const { Matrix } = mupdf
  const loaded = pdf.loadPage(page - 1)
  const [left, top, right, bottom] = loaded.getBounds()
  const toDisplay = loaded.getTransform()
  loaded.destroy()
  const { position, rotation = 0, insetPt = 0 } = options
  const turn = Matrix.rotate(rotation)
  const wholeWidth = Math.abs(stamp.width * turn[0]) + Math.abs(stamp.height * turn[1])
  const wholeHeight = Math.abs(stamp.width * turn[1]) + Math.abs(stamp.height * turn[0])
  const room = 2 * Math.max(insetPt, LEAST_INSET)
  // On a page that is smaller than its margins, nothing would be left.
  const fit = Math.min((right - left - room) / wholeWidth, (bottom - top - room) / wholeHeight)
  const scale = fit > 0 && fit < 1 ? fit : 1
  const [width, height] = [wholeWidth * scale, wholeHeight * scale]
  const align = alignment(position)
  const x =
    align === 'left' ? left + insetPt + width / 2 : align === 'right' ? right - insetPt - width / 2 : (left + right) / 2
  const y = position.startsWith('t')
    ? top + insetPt + height / 2
    : position.startsWith('b')
      ? bottom - insetPt - height / 2
      : (top + bottom) / 2
  // The display's y axis points down, the form's up.
  const steps = [
    Matrix.translate(-stamp.width / 2, -stamp.height / 2),
    turn,
    Matrix.scale(scale, -scale),
    Matrix.translate(x, y),
    Matrix.invert(toDisplay),
  ]
  return { matrix: steps.reduce((done, step) => Matrix.concat(done, step)), scale }
}
