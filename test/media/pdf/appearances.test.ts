/** Content that readers draw themselves, forms with NeedAppearances and annotations without an appearance, must not be lost. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openPdf } from '../../../src/media/pdf/document.ts'
import { renderPage } from '../../../src/media/pdf/page/render.ts'
import { itemsOf } from '../../../src/media/pdf/structure/trees.ts'
import type { Tool } from '../../../src/tool/contract.ts'
import flattenPdf from '../../../tools/pdf/convert/flatten-pdf.ts'
import grayscalePdf from '../../../tools/pdf/convert/grayscale-pdf.ts'
import pdfaConvert from '../../../tools/pdf/convert/pdfa-convert.ts'
import bookletPdf from '../../../tools/pdf/pages/booklet-pdf.ts'
import mergePdf from '../../../tools/pdf/pages/merge-pdf.ts'
import nupPdf from '../../../tools/pdf/pages/nup-pdf.ts'
import { writePdf } from '../../helpers/bad-pdf.ts'
import { complaints, pageTexts } from '../../helpers/pdf.ts'
import { HELVETICA, line, rawPdf, stream } from '../../helpers/raw-pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

const widget = (name: string, value: string, entries = ''): string =>
  `<< /Type /Annot /Subtype /Widget /FT /Tx /T (${name}) /V (${value}) /DA (/Helv 12 Tf 0 g) /Rect [20 60 180 80] /F 4 /P 3 0 R ${entries} >>`

/** A field with an outdated appearance that readers redraw; a hand-written highlight and line without an appearance. */
const FORM = rawPdf({
  1: '<< /Type /Catalog /Pages 2 0 R /AcroForm << /NeedAppearances true /Fields [6 0 R] /DA (/Helv 12 Tf 0 g) /DR << /Font << /Helv 5 0 R >> >> >> >>',
  2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
  3: `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> /Annots [6 0 R
    << /Type /Annot /Subtype /Highlight /F 4 /C [1 1 0] /Rect [20 100 100 120] /QuadPoints [20 120 100 120 20 100 100 100] >>
    << /Type /Annot /Subtype /Ink /F 4 /C [1 0 0] /Rect [200 20 280 60] /InkList [[200 20 280 60]] >>
  ] >>`,
  4: stream(line('Form')),
  5: HELVETICA,
  6: widget('who', 'Alice', '/AP << /N 7 0 R >>'),
  7: stream('', '/Type /XObject /Subtype /Form /BBox [0 0 160 20]'),
})

/** A field whose appearance differs from its value, in a form that readers do not redraw. */
const QUIET = rawPdf({
  1: '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [6 0 R] /DA (/Helv 12 Tf 0 g) /DR << /Font << /Helv 5 0 R >> >> >> >>',
  2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
  3: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> /Annots [6 0 R] >>',
  4: stream(line('Quiet')),
  5: HELVETICA,
  6: widget('amount', '1000', '/AP << /N 7 0 R >>'),
  7: stream(
    'BT /F1 12 Tf 2 4 Td (EUR 1.000) Tj ET',
    '/Type /XObject /Subtype /Form /BBox [0 0 160 20] /Resources << /Font << /F1 5 0 R >> >>',
  ),
})

/** Pixels that are yellow, and those that are red. */
async function inks(bytes: Uint8Array): Promise<{ yellow: number; red: number }> {
  const document = await openPdf(bytes)
  const { data } = await renderPage(document, 1, { dpi: 72 })
  document.close()
  const found = { yellow: 0, red: 0 }
  for (let at = 0; at < data.length; at += 3) {
    const [red, green, blue] = [data[at]!, data[at + 1]!, data[at + 2]!]
    if (red > 200 && green > 200 && blue < 120) found.yellow += 1
    if (red > 200 && green < 120 && blue < 120) found.red += 1
  }
  return found
}

async function made(tool: Tool, source: Uint8Array): Promise<Uint8Array> {
  const { paths } = await run(tool, folder, [writePdf(folder, 'form.pdf', source)])
  return readFileSync(paths[0]!)
}

test.each([flattenPdf, nupPdf, bookletPdf, pdfaConvert])('$id draws values and annotations', async (tool) => {
  const bytes = await made(tool, FORM)
  expect((await pageTexts(bytes)).join()).toContain('Alice')
  const { yellow, red } = await inks(bytes)
  expect(yellow).toBeGreaterThan(200)
  expect(red).toBeGreaterThan(5)
  expect(await complaints(bytes)).toEqual([])
})

test('grayscale draws them in gray, and removes colours from the annotations', async () => {
  const bytes = await made(grayscalePdf, FORM)
  expect((await pageTexts(bytes)).join()).toContain('Alice')
  expect(await inks(bytes)).toEqual({ yellow: 0, red: 0 })
  const document = await openPdf(bytes)
  const annotations = itemsOf(document.pdf.findPage(0).get('Annots'))
  expect(annotations.map((one) => one.get('C').toString())).toEqual(['[.89 .89 .89]', '[.3 .3 .3]'])
  expect(annotations.every((one) => one.get('AP', 'N').isStream())).toBe(true)
  document.close()
})

test('a merged form needs no redrawing, and the fields of the other source look unchanged', async () => {
  const inputs = [writePdf(folder, 'a.pdf', FORM), writePdf(folder, 'b.pdf', QUIET)]
  const { paths } = await run(mergePdf, folder, inputs)
  const bytes = readFileSync(paths[0]!)
  const document = await openPdf(bytes)
  expect(document.pdf.getTrailer().get('Root', 'AcroForm', 'NeedAppearances').asBoolean()).toBe(false)
  const appearances = [0, 1].map((page) => {
    const buffer = document.pdf.findPage(page).get('Annots', 0, 'AP', 'N').readStream()
    const text = buffer.asString()
    buffer.destroy()
    return text
  })
  document.close()
  expect(appearances[0]).toContain('Alice')
  expect(appearances[1]).toContain('EUR 1.000')
  expect(await complaints(bytes)).toEqual([])
})
