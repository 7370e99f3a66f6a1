import { expect, test } from 'vitest'
import { loadMupdf, type PDFObject } from '../../../src/engines/mupdf.ts'
import { readMarkedContent } from '../../../src/media/pdf/redact/marked-content.ts'
import { rawPdf, stream } from '../../helpers/raw-pdf.ts'

const mupdf = await loadMupdf()

/** What is read of a page that can draw the form /F. */
function read(content: string, form: string) {
  const pdf = new mupdf.PDFDocument()
  const drawing = pdf.addStream(form, { Type: 'XObject', Subtype: 'Form', BBox: [0, 0, 10, 10] })
  pdf.insertPage(-1, pdf.addPage([0, 0, 300, 200], 0, { XObject: { F: drawing } }, content))
  return readMarkedContent(pdf.findPage(0)).sequences
}

test('drawings of a page with many open sequences are listed once', () => {
  const count = 50_000
  const sequences = read(`${'/P BMC '.repeat(count)}${'0 0 1 1 re f '.repeat(count)}`, '')
  expect(sequences).toHaveLength(count)
  expect(sequences.reduce((sum, { drawn }) => sum + drawn.length, 0)).toBe(count)
})

test('a sequence has what forms in it draw, without nested sequences', () => {
  const [outer, inner, last] = read(
    '/P BMC f /F Do S EMC /P BMC /F Do EMC',
    '(abc) Tj /Q <</MCID 7>> BDC B (de) Tj EMC b',
  )
  expect(outer).toMatchObject({ text: 3, drawn: ['f', 'b', 'S'], outer: undefined })
  expect(inner).toMatchObject({ text: 2, drawn: ['B'], ids: [7], outer })
  expect(last).toMatchObject({ text: 3, drawn: ['b'] })
})

test('a form that is drawn many times is decoded once', () => {
  const sequences = read('/P BMC /F Do EMC '.repeat(5000), '(text) Tj '.repeat(100_000))
  expect(sequences.at(-1)).toMatchObject({ text: 400_000 })
})

test.each([
  ['operators', '/F Do '.repeat(1000), 'f '.repeat(100_000)],
  ['sequences', '/P BMC EMC '.repeat(100_001), ''],
  ['drawings of a stream', '/I Do '.repeat(1_000_001), ''],
])('too many %s are refused', (_what, content, form) => {
  expect(() => read(content, form)).toThrow(expect.objectContaining({ code: 'LIMIT_EXCEEDED' }))
})

test('forms inside each other: too many are refused, and a form in itself is not drawn', () => {
  expect(read('/P BMC /F Do EMC', '(abc) Tj /F Do')[0]).toMatchObject({ text: 3 })
  const pdf = new mupdf.PDFDocument()
  const form = (content: string, inner?: PDFObject) =>
    pdf.addStream(content, { Type: 'XObject', Subtype: 'Form', ...(inner && { Resources: { XObject: { F: inner } } }) })
  let outer = form('(abc) Tj')
  for (let depth = 0; depth < 25; depth++) outer = form('/F Do', outer)
  pdf.insertPage(-1, pdf.addPage([0, 0, 300, 200], 0, { XObject: { F: outer } }, '/F Do'))
  expect(() => readMarkedContent(pdf.findPage(0))).toThrow(expect.objectContaining({ code: 'LIMIT_EXCEEDED' }))
})

test('names that the library reads as equal refer to all their resources, and are listed once', () => {
  const source = rawPdf({
    1: '<< /Type /Catalog /Pages 2 0 R >>',
    2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    3: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources 5 0 R >>',
    4: stream('/P /k#E9 BDC EMC '.repeat(50_000)),
    5: `<< /Properties << ${Array.from({ length: 5000 }, (_, key) => `/n${key} << >>`).join(' ')} /k#E8 << /MCID 1 >> /k#E9 << /MCID 2 >> >> >>`,
  })
  const { sequences } = readMarkedContent(
    mupdf.PDFDocument.openDocument(source, 'application/pdf').asPDF()!.findPage(0),
  )
  expect(sequences).toHaveLength(50_000)
  expect(sequences.at(-1)?.ids).toEqual([1, 2])
})
