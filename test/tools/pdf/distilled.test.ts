/** grayscale-pdf and pdfa-convert, which use Ghostscript. */
import { readFileSync } from 'node:fs'
import { PDFDict, PDFDocument, PDFName, PDFString, rgb } from 'pdf-lib'
import { expect, test } from 'vitest'
import { runQpdf } from '../../../src/engines/qpdf.ts'
import { openPdf } from '../../../src/media/pdf/document.ts'
import { renderPage } from '../../../src/media/pdf/page/render.ts'
import grayscalePdf from '../../../tools/pdf/convert/grayscale-pdf.ts'
import pdfaConvert from '../../../tools/pdf/convert/pdfa-convert.ts'
import { writePdf } from '../../helpers/bad-pdf.ts'
import { complaints, makeEncryptedPdf, makePdf, pageTexts } from '../../helpers/pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

async function coloured(): Promise<Uint8Array> {
  const document = await PDFDocument.load(await makePdf({ images: [8, 8], title: 'In colour' }), {
    updateMetadata: false,
  })
  document.getPage(0).drawRectangle({ x: 20, y: 150, width: 50, height: 50, color: rgb(1, 0, 0) })
  return document.save()
}

const FORM = { Type: 'XObject', Subtype: 'Form', BBox: [0, 0, 50, 50] }

/** Maximum difference of the channels of a pixel of the first page; the page must not be empty. */
async function colourOf(bytes: Uint8Array): Promise<number> {
  const document = await openPdf(bytes)
  const { data } = await renderPage(document, 1, { dpi: 72 })
  document.close()
  expect(data.some((value) => value < 200)).toBe(true)
  let colour = 0
  for (let at = 0; at < data.length; at += 3)
    colour = Math.max(colour, Math.abs(data[at]! - data[at + 1]!), Math.abs(data[at]! - data[at + 2]!))
  return colour
}

test('text, drawings and pictures are gray, and text stays text', async () => {
  const { paths, names } = await run(grayscalePdf, folder, [writePdf(folder, 'a.pdf', await coloured())])
  expect(names).toEqual(['a_grayscale.pdf'])
  const bytes = readFileSync(paths[0]!)
  expect(await pageTexts(bytes)).toEqual(['Page 1'])
  expect(await complaints(bytes)).toEqual([])
  expect((await PDFDocument.load(bytes, { updateMetadata: false })).getTitle()).toBe('In colour')
  expect(await colourOf(bytes)).toBeLessThanOrEqual(2)
})

test('annotations and bookmarks are gray: borders, appearances, default appearances, rich text', async () => {
  const document = await PDFDocument.load(await makePdf({ outline: [{ title: 'One', page: 1 }] }))
  const { context } = document
  const red = (entries = {}) => context.register(context.stream('1 0 0 rg 0 0 50 50 re f', { ...FORM, ...entries }))
  const at = (x: number, y: number, entries: object) =>
    context.register(context.obj({ Type: 'Annot', F: 4, Rect: [x, y, x + 50, y + 50], ...entries } as never))
  const quads = [10, 60, 60, 60, 10, 10, 60, 10]
  const annotations = [
    at(10, 10, { Subtype: 'Highlight', C: [1, 1, 0], QuadPoints: quads }),
    at(70, 10, { Subtype: 'Ink', C: [0, 1, 1, 0], InkList: [[75, 15, 110, 50]] }),
    at(130, 10, { Subtype: 'Square', C: [0, 0, 1], IC: [0, 1, 0] }),
    at(10, 70, { Subtype: 'Stamp', AP: { N: red(), D: red(), R: red() } }),
    at(70, 70, {
      Subtype: 'Link',
      C: [1, 0, 0],
      Border: [0, 0, 6],
      Dest: [document.getPage(0).ref, PDFName.of('Fit')],
    }),
    at(130, 70, {
      Subtype: 'FreeText',
      Contents: PDFString.of('Hi'),
      DA: PDFString.of('/Helv 12 Tf 1 0 0 rg'),
      DS: PDFString.of('color:#FF0000'),
      RC: PDFString.of('<body style="color:rgb(0, 255, 0)"><p>Hi</p></body>'),
    }),
  ]
  document.getPage(0).node.set(PDFName.of('Annots'), context.obj(annotations))
  const bookmark = document.catalog.lookup(PDFName.of('Outlines'), PDFDict).lookup(PDFName.of('First'), PDFDict)
  bookmark.set(PDFName.of('C'), context.obj([1, 0, 0]))
  const { paths } = await run(grayscalePdf, folder, [writePdf(folder, 'd.pdf', await document.save())])
  const bytes = readFileSync(paths[0]!)
  expect(await complaints(bytes)).toEqual([])
  expect(await colourOf(bytes)).toBeLessThanOrEqual(2)
  const { files } = await runQpdf(['--qdf', '--object-streams=disable', 'a.pdf', 'b.pdf'], { 'a.pdf': bytes })
  const text = Buffer.from(files.get('b.pdf')!).toString('latin1')
  const colours = [...text.matchAll(/\/(?:C|IC) \[\s*([\d.\s]+)\]/g)].map(([, parts]) => parts!.trim().split(/\s+/))
  expect(colours).toHaveLength(6)
  for (const parts of colours) expect([parts.length, new Set(parts).size]).toEqual([3, 1])
  expect(text).toContain('/DA (/Helv 12 Tf 0.3 g)')
  expect(text).toContain('/DS (color:#4d4d4d)')
  expect(text).toContain('/RC (<body style="color:#969696">')
  expect(text).not.toMatch(/^[\d. ]+ (rg|RG|k|K)$/m)
})

test('keeps encryption, and reports a flattened form', async () => {
  const source = await makeEncryptedPdf('', 'owner', { formField: { name: 'who', value: 'Ada' } })
  const { paths, warnings } = await run(grayscalePdf, folder, [writePdf(folder, 'b.pdf', source)])
  const bytes = readFileSync(paths[0]!)
  expect((await runQpdf(['--is-encrypted', 'a.pdf'], { 'a.pdf': bytes })).exitCode).toBe(0)
  expect(warnings).toEqual(['The fields of the form became part of the pages'])
  expect((await pageTexts(bytes))[0]).toContain('Ada')
})

test('PDF/A has its marks, all fonts, no encryption and no script, and reports removals', async () => {
  const document = await PDFDocument.load(await coloured())
  document.addJavaScript('hello', 'app.alert(1)')
  await document.attach(Buffer.from('x'), 'x.txt')
  document.catalog.set((await import('pdf-lib')).PDFName.of('Lang'), PDFString.of('en'))
  const { paths, names, report, warnings } = await run(pdfaConvert, folder, [
    writePdf(folder, 'c.pdf', await document.save()),
  ])
  expect(names).toEqual(['c_pdfa.pdf'])
  const changes = ['JavaScript was removed: PDF/A forbids it', '1 attached file was removed']
  expect(report).toEqual({ changes, validated: false })
  expect(warnings).toEqual(changes)
  const bytes = readFileSync(paths[0]!)
  expect(await complaints(bytes)).toEqual([])
  expect(await pageTexts(bytes)).toEqual(['Page 1'])
  const plain = await runQpdf(['--qdf', '--object-streams=disable', 'a.pdf', 'b.pdf'], { 'a.pdf': bytes })
  const text = Buffer.from(plain.files.get('b.pdf')!).toString('latin1')
  expect(text).toMatch(/pdfaid:part(=['"]|>)2/)
  expect(text).toContain('/S /GTS_PDFA1')
  expect(text).toMatch(/\/FontFile3? /)
  expect(text).not.toMatch(/JavaScript|\/Encrypt/)
})
