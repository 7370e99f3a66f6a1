/** grayscale-pdf and pdfa-convert, which Ghostscript writes. */
import { readFileSync } from 'node:fs'
import { PDFDocument, PDFString, rgb } from 'pdf-lib'
import { expect, test } from 'vitest'
import { runQpdf } from '../../../src/engines/qpdf.ts'
import { openPdf } from '../../../src/media/pdf/document.ts'
import { renderPage } from '../../../src/media/pdf/render.ts'
import grayscalePdf from '../../../tools/pdf/grayscale-pdf.ts'
import pdfaConvert from '../../../tools/pdf/pdfa-convert.ts'
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

test('text, drawings and pictures are gray, and text is text', async () => {
  const { paths, names } = await run(grayscalePdf, folder, [writePdf(folder, 'a.pdf', await coloured())])
  expect(names).toEqual(['a_grayscale.pdf'])
  const bytes = readFileSync(paths[0]!)
  expect(await pageTexts(bytes)).toEqual(['Page 1'])
  expect(await complaints(bytes)).toEqual([])
  expect((await PDFDocument.load(bytes, { updateMetadata: false })).getTitle()).toBe('In colour')
  const document = await openPdf(bytes)
  const { data } = await renderPage(document, 1, { dpi: 72 })
  document.close()
  let colour = 0
  for (let at = 0; at < data.length; at += 3)
    colour = Math.max(colour, Math.abs(data[at]! - data[at + 1]!), Math.abs(data[at]! - data[at + 2]!))
  expect(colour).toBeLessThanOrEqual(2)
  expect(data.some((value) => value < 200)).toBe(true)
})

test('encryption is kept, and a form that becomes flat is told', async () => {
  const source = await makeEncryptedPdf('', 'owner', { formField: { name: 'who', value: 'Ada' } })
  const { paths, warnings } = await run(grayscalePdf, folder, [writePdf(folder, 'b.pdf', source)])
  const bytes = readFileSync(paths[0]!)
  expect((await runQpdf(['--is-encrypted', 'a.pdf'], { 'a.pdf': bytes })).exitCode).toBe(0)
  expect(warnings).toEqual(['The fields of the form became part of the pages'])
  expect((await pageTexts(bytes))[0]).toContain('Ada')
})

test('PDF/A has its marks, all fonts, no encryption and no script, and says what went', async () => {
  const document = await PDFDocument.load(await coloured())
  document.addJavaScript('hello', 'app.alert(1)')
  await document.attach(Buffer.from('x'), 'x.txt')
  document.catalog.set((await import('pdf-lib')).PDFName.of('Lang'), PDFString.of('en'))
  const { paths, names, report, warnings } = await run(pdfaConvert, folder, [
    writePdf(folder, 'c.pdf', await document.save()),
  ])
  expect(names).toEqual(['c_pdfa.pdf'])
  const changes = ['JavaScript is gone, which PDF/A forbids', '1 attached file is gone']
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
