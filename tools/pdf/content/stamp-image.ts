import { loadMupdf, type PDFDocument, type PDFObject, withMupdfErrors } from '../../../src/engines/mupdf.ts'
import { decodeImage } from '../../../src/media/image/decode/decode.ts'
import { framePicture } from '../../../src/media/pdf/image/picture.ts'
import { PictureObjects } from '../../../src/media/pdf/image/picture-objects.ts'
import { shownSize } from '../../../src/media/pdf/page/impose.ts'
import { MAX_RANGE_LENGTH, parsePageRange } from '../../../src/media/pdf/page/page-range.ts'
import { stampPages } from '../../../src/media/pdf/stamp/stamp.ts'
import { pdfNumber, type StampForm } from '../../../src/media/pdf/stamp/stamp-form.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'
import { choice, number, text } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'

export default pdfTool({
  id: 'stamp-image',
  summary: 'Draw a logo or another image on pages of a PDF',
  suffix: 'stamped',
  input: {
    files: 'one',
    min: 1,
    max: 1,
    accept: ['pdf'],
    secondary: { image: { required: true, what: 'the image; its transparency is kept', accept: ['image'] } },
  },
  settings: {
    position: choice(
      ['tl', 'tc', 'tr', 'l', 'c', 'r', 'bl', 'bc', 'br'],
      'top, middle or bottom; left, centre or right',
      { default: 'tr' },
    ),
    width: number('width of the image, of that of the displayed page', { default: 20, min: 1, max: 100, unit: '%' }),
    margin: number('distance from the edges of the page', { default: 24, min: 0, max: 500, unit: 'pt' }),
    opacity: number('opacity; 1 is opaque', { default: 1, min: 0.05, max: 1 }),
    rotation: number('counter-clockwise', { default: 0, min: -180, max: 180, unit: 'degrees' }),
    range: text('pages to stamp, such as 1-3,z', {
      default: '1-z',
      maxLength: MAX_RANGE_LENGTH,
      grammar: 'page-range',
    }),
  },
  engines: ['mupdf', 'sharp'],
  examples: [
    {
      title: 'a small logo at the bottom right of every page',
      secondary: { image: 'logo.svg' },
      settings: { position: 'br', width: 12 },
    },
    {
      title: 'a faint image across the first page',
      secondary: { image: 'logo.svg' },
      settings: { position: 'c', width: 60, opacity: 0.2, rotation: 30, range: '1' },
    },
  ],
  async edit(document, { range, width, margin, position, opacity, rotation }, { secondary, warn }) {
    const pages = new Set(parsePageRange(range, document.pageCount))
    const { image: file } = secondary
    if (!file) throw invalidSettings('Expected an image')
    const frame = await decodeImage(file, { firstPage: true, warn })
    const picture = await framePicture(frame)
    const mupdf = await loadMupdf()
    const scaled = withMupdfErrors('PROCESSING_FAILED', 'The image could not be drawn on the pages', () => {
      const image = new PictureObjects(document.pdf).add(picture)
      const forms = new Map<number, StampForm>()
      const formOf = (page: number): StampForm => {
        const points = (shownSize(document, page).width * width) / 100
        const known = forms.get(points)
        if (known) return known
        const form = wrapped(document.pdf, image, points, (points * frame.height) / frame.width)
        forms.set(points, form)
        return form
      }
      const place = { position, opacity, rotation, insetPt: position === 'c' ? 0 : margin }
      return stampPages(mupdf, document, formOf, place, pages)
    })
    if (scaled.length > 0)
      warn(
        `The image does not fit on ${scaled.length === 1 ? `page ${scaled[0]}` : `${scaled.length} pages`} with its margin, and is smaller there`,
      )
    return document
  },
})

/** A form that draws an image in points: all pages of a size share it. */
function wrapped(pdf: PDFDocument, image: PDFObject, width: number, height: number): StampForm {
  const content = `q ${pdfNumber(width)} 0 0 ${pdfNumber(height)} 0 0 cm /Image Do Q`
  const form = pdf.newDictionary()
  form.put('Type', pdf.newName('XObject'))
  form.put('Subtype', pdf.newName('Form'))
  form.put('BBox', [0, 0, width, height])
  // As a transparency group, its opacity is that of the whole.
  form.put('Group', { Type: 'Group', S: 'Transparency' })
  const resources = pdf.newDictionary()
  const objects = pdf.newDictionary()
  objects.put('Image', image)
  resources.put('XObject', objects)
  form.put('Resources', resources)
  return { form: pdf.addStream(content, form), width, height }
}
