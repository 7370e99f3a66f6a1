/** MuPDF's output is read by qpdf and compared with the original pages. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openPdf, savePdf } from '../../../src/media/pdf/document.ts'
import { confirmPdf, readWithQpdf } from '../../../src/media/pdf/verify/second-reader.ts'
import pdfaConvert from '../../../tools/pdf/convert/pdfa-convert.ts'
import repairPdf from '../../../tools/pdf/optimize/repair-pdf.ts'
import cropPdf from '../../../tools/pdf/pages/crop-pdf.ts'
import { writePdf } from '../../helpers/bad-pdf.ts'
import { makeEncryptedPdf, makePdf, pageTexts } from '../../helpers/pdf.ts'
import { HELVETICA, line, rawPdf, stream } from '../../helpers/raw-pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

const PAGE = '/Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >>'

test('pages, fonts, pictures and encryption as read by qpdf', async () => {
  const plain = await readWithQpdf(await makePdf({ pages: 2, images: [4, 4] }), '')
  expect(plain).toMatchObject({ isEncrypted: false, unresolved: [] })
  expect(plain.pages.map((page) => [...page.values()].sort())).toEqual(Array(2).fill(['Image', 'Type1 Helvetica']))
  expect((await readWithQpdf(await makeEncryptedPdf('user', 'owner'), 'user')).isEncrypted).toBe(true)
})

test('a name in its own object is no difference', async () => {
  const source = rawPdf({
    1: '<< /Type /Catalog /Pages 2 0 R >>',
    2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    3: `<< ${PAGE} >>`,
    4: stream(line('One')),
    5: '<< /Type /Font /Subtype /Type1 /BaseFont 6 0 R >>',
    6: '/Helvetica',
  })
  const document = await openPdf(source)
  document.recordPages()
  expect(await savePdf(document, writePdf(folder, 'named.pdf', Buffer.from('')))).toEqual([])
  document.close()
})

test.each(['font', 'content'])('a saved page without its %s is a failure', async (what) => {
  const document = await openPdf(await makePdf({ pages: 2 }))
  document.recordPages()
  const page = document.pdf.findPage(1)
  if (what === 'font') page.put('Resources', document.pdf.newDictionary())
  else page.put('Contents', document.pdf.addStream('q Q', {}))
  const path = writePdf(folder, 'kept.pdf', Buffer.from('before'))
  await expect(savePdf(document, path)).rejects.toMatchObject({
    code: 'PROCESSING_FAILED',
    message: expect.stringContaining('page 2'),
  })
  expect(readFileSync(path, 'utf8')).toBe('before')
  document.close()
})

test('a saved page whose picture has no data is a failure', async () => {
  const source = rawPdf({
    1: '<< /Type /Catalog /Pages 2 0 R >>',
    2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    3: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Contents 4 0 R /Resources << /XObject << /A 5 0 R >> >> >>',
    4: stream('100 0 0 100 0 0 cm /A Do'),
    5: stream('x', '/Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace 6 0 R'),
    6: '/DeviceGray',
  })
  const document = await openPdf(source)
  document.recordPages()
  // MuPDF loses stream data whose dictionary is shared when the file is written (1.28.1).
  document.pdf.findPage(0).get('Resources', 'XObject', 'A').resolve()
  const path = writePdf(folder, 'kept.pdf', Buffer.from('before'))
  await expect(savePdf(document, path)).rejects.toMatchObject({
    message: expect.stringContaining('page 1: /XObject/A'),
  })
  document.close()
})

test('a saved page with different text is a failure, additional text is not', async () => {
  const document = await openPdf(await makePdf({ pages: 2 }))
  document.recordPages()
  const page = document.pdf.findPage(1)
  const content = page.get('Contents', 0)
  const font = page.get('Resources', 'Font')
  font.forEach((_one, name) => {
    content.writeStream(`${content.readStream().asString()} BT /${name} 12 Tf 20 20 Td (More) Tj ET`)
  })
  const path = writePdf(folder, 'kept.pdf', Buffer.from('before'))
  expect(await savePdf(document, path)).toEqual([])
  // The same font under the same name, in which every P is a bullet.
  font.forEach((one) => {
    const encoding = document.pdf.newDictionary()
    encoding.put('Differences', [80, document.pdf.newName('bullet')])
    one.put('Encoding', encoding)
  })
  await expect(savePdf(document, path)).rejects.toMatchObject({
    code: 'PROCESSING_FAILED',
    message: expect.stringContaining('text is missing on page'),
  })
  document.close()
})

test('ignores content hidden by a crop', async () => {
  const { paths } = await run(cropPdf, folder, [writePdf(folder, 'crop.pdf', await makePdf())], { margin: 90 })
  expect(await pageTexts(readFileSync(paths[0]!))).toEqual([''])
})

test('a PDF of another program needs pages, and the objects that they reference', async () => {
  await expect(confirmPdf(await makePdf())).resolves.toBeUndefined()
  const objects = {
    1: '<< /Type /Catalog /Pages 2 0 R >>',
    2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    3: `<< ${PAGE} >>`,
    4: stream(line('One')),
    5: HELVETICA,
  }
  const empty = { ...objects, 2: '<< /Type /Pages /Kids [] /Count 0 >>' }
  await expect(confirmPdf(rawPdf(empty))).rejects.toMatchObject({ message: expect.stringContaining('no pages') })
  const picture = { ...objects, 3: objects[3].replace('/Font', '/XObject << /A 6 0 R >> /Font'), 6: '<< /Length 9 >>' }
  await expect(confirmPdf(rawPdf(picture))).rejects.toMatchObject({ detail: 'page 1: /XObject/A' })
  await expect(confirmPdf(Buffer.from('%PDF-1.7\n'))).rejects.toMatchObject({ code: 'PROCESSING_FAILED' })
})

test('repair reports how many pages the damaged file declares', async () => {
  const source = rawPdf({
    1: '<< /Type /Catalog /Pages 2 0 R >>',
    2: '<< /Type /Pages /Kids [3 0 R 8 0 R 9 0 R] /Count 3 >>',
    3: `<< ${PAGE} >>`,
    4: stream(line('One')),
    5: HELVETICA,
  })
  const { warnings } = await run(repairPdf, folder, [writePdf(folder, 'gone.pdf', source)])
  expect(warnings).toEqual(['gone.pdf was damaged; 1 page of the 3 that it declares could be recovered'])
})

test('PDF/A has no script: not in the catalog, on a page or on an annotation', async () => {
  const script = '<< /S /JavaScript /JS (app.alert\\(1\\)) >>'
  const source = rawPdf({
    1: `<< /Type /Catalog /Pages 2 0 R /AA << /WC ${script} >> >>`,
    2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    3: `<< ${PAGE} /AA << /O 6 0 R >> /Annots [<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A ${script} >>] >>`,
    4: stream(line('One')),
    5: HELVETICA,
    6: script,
  })
  const { paths, warnings } = await run(pdfaConvert, folder, [writePdf(folder, 'scripts.pdf', source)])
  expect(warnings).toEqual(['JavaScript was removed: PDF/A forbids it'])
  const document = await openPdf(readFileSync(paths[0]!))
  const objects = Array.from({ length: document.pdf.countObjects() }, (_, number) =>
    number === 0 ? '' : document.pdf.newIndirect(number).resolve().toString(true),
  )
  document.close()
  expect(objects.join('\n')).not.toMatch(/JavaScript|\/JS/)
})

test('a circular page tree ends the second reading', async () => {
  const bytes = rawPdf({
    1: '<< /Type /Catalog /Pages 2 0 R >>',
    2: '<< /Type /Pages /Count 1 /Kids [3 0 R 2 0 R 2 0 R] /MediaBox [0 0 300 200] >>',
    3: '<< /Type /Page /Parent 2 0 R /Resources << >> >>',
  })
  await expect(readWithQpdf(Buffer.from(bytes), '')).rejects.toMatchObject({ code: 'PROCESSING_FAILED' })
})
