import { readFileSync } from 'node:fs'
import { PDFDocument, PDFName } from 'pdf-lib'
import { expect, test } from 'vitest'
import { loadMupdf } from '../../../src/engines/mupdf.ts'
import { openPdf } from '../../../src/media/pdf/document.ts'
import { renderPage } from '../../../src/media/pdf/page/render.ts'
import flattenPdf from '../../../tools/pdf/convert/flatten-pdf.ts'
import { writePdf } from '../../helpers/bad-pdf.ts'
import { complaints, makePdf, pageTexts } from '../../helpers/pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** A form on a rotated page, a note, a highlight, a hidden comment and a link. */
async function annotated(): Promise<Uint8Array> {
  const mupdf = await loadMupdf()
  const pdf = new mupdf.PDFDocument(
    await makePdf({ pages: 2, rotations: [90, 0], formField: { name: 'who', value: 'Ada' } }),
  )
  const page = pdf.loadPage(1)
  const text = page.createAnnotation('FreeText')
  text.setRect([20, 60, 150, 90])
  text.setContents('remark')
  text.update()
  const mark = page.createAnnotation('Square')
  mark.setRect([20, 120, 60, 160])
  mark.setColor([1, 0, 0])
  mark.update()
  const hidden = page.createAnnotation('FreeText')
  hidden.setRect([20, 200, 150, 230])
  hidden.setContents('unseen')
  hidden.setFlags(2)
  hidden.update()
  page.createLink([10, 10, 50, 50], 'https://example.com/')
  const bytes = pdf.saveToBuffer('').asUint8Array().slice()
  pdf.destroy()
  return bytes
}

async function looks(bytes: Uint8Array) {
  const document = await openPdf(bytes)
  const pages = [await renderPage(document, 1, { dpi: 72 }), await renderPage(document, 2, { dpi: 72 })]
  document.close()
  return pages
}

test('forms and annotations become content with the same look; keeps links', async () => {
  const source = await annotated()
  const { paths, names, warnings } = await run(flattenPdf, folder, [writePdf(folder, 'form.pdf', source)])
  expect(names).toEqual(['form_flattened.pdf'])
  expect(warnings).toEqual([])
  const bytes = readFileSync(paths[0]!)
  const [before, after] = [await looks(source), await looks(bytes)]
  for (const [index, page] of after.entries()) {
    const differing = page.data.filter((value, at) => Math.abs(value - before[index]!.data[at]!) > 40).length
    expect(differing).toBeLessThan(page.data.length / 1000)
  }
  const texts = await pageTexts(bytes)
  expect(texts[0]).toContain('Ada')
  expect(texts[1]).toContain('remark')
  expect(texts[1]).not.toContain('unseen')
  const document = await PDFDocument.load(bytes)
  expect(document.catalog.get(PDFName.of('AcroForm'))).toBeUndefined()
  expect(document.getPage(0).node.Annots()?.size() ?? 0).toBe(0)
  expect(document.getPage(1).node.Annots()?.size()).toBe(1)
  expect(await complaints(bytes)).toEqual([])
})

test('returns a document with neither', async () => {
  const { paths } = await run(flattenPdf, folder, [writePdf(folder, 'plain.pdf', await makePdf())])
  expect(await pageTexts(readFileSync(paths[0]!))).toEqual(['Page 1'])
})
