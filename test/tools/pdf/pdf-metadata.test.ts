import { readFileSync } from 'node:fs'
import { PDFDocument, PDFName } from 'pdf-lib'
import { expect, test } from 'vitest'
import { runQpdf } from '../../../src/engines/qpdf.ts'
import pdfMetadata from '../../../tools/pdf/content/pdf-metadata.ts'
import { writePdf } from '../../helpers/bad-pdf.ts'
import { complaints, makePdf } from '../../helpers/pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

const XMP = `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/" pdf:Keywords="old" pdf:Producer="kept"><dc:title><rdf:Alt><rdf:li xml:lang="x-default">Old title</rdf:li></rdf:Alt></dc:title><dc:creator><rdf:Seq><rdf:li>Old author</rdf:li></rdf:Seq></dc:creator></rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`

async function source(): Promise<string> {
  const document = await PDFDocument.load(await makePdf({ title: 'Old title' }), { updateMetadata: false })
  document.setAuthor('Old author')
  const stream = document.context.flateStream(XMP, { Type: 'Metadata', Subtype: 'XML' })
  document.catalog.set(PDFName.of('Metadata'), document.context.register(stream))
  return writePdf(folder, 'doc.pdf', await document.save())
}

test('without settings it only reports', async () => {
  const { names, report } = await run(pdfMetadata, folder, [await source()])
  expect(names).toEqual(['doc_metadata.pdf'])
  expect(report.metadata).toMatchObject({
    Title: 'Old title',
    title: 'Old title',
    author: 'Old author',
    subject: '',
    keywords: '',
  })
})

test('sets given values, removes empty ones, keeps the rest, also in XMP', async () => {
  const settings = { title: 'Größe & <Weite> 日本', author: '', keywords: 'a, b' }
  const { paths, report } = await run(pdfMetadata, folder, [await source()], settings)
  expect(report.metadata).toMatchObject({ Title: settings.title, Keywords: 'a, b', author: '' })
  const bytes = readFileSync(paths[0]!)
  const document = await PDFDocument.load(bytes, { updateMetadata: false })
  expect([document.getTitle(), document.getAuthor(), document.getKeywords()]).toEqual([
    settings.title,
    undefined,
    'a, b',
  ])
  expect(await complaints(bytes)).toEqual([])
  const plain = await runQpdf(['--qdf', '--object-streams=disable', 'a.pdf', 'b.pdf'], { 'a.pdf': bytes })
  const xmp = Buffer.from(plain.files.get('b.pdf')!).toString('utf8')
  expect(xmp).toContain('Größe &#38; &#60;Weite&#62; 日本')
  expect(xmp).toContain('<pdf:Keywords>a, b</pdf:Keywords>')
  expect(xmp).toContain('pdf:Producer="kept"')
  expect(xmp).not.toMatch(/Old (title|author)|Keywords="old"/)
})

test('refuses a text that is too long', async () => {
  await expect(run(pdfMetadata, folder, [await source()], { title: 'x'.repeat(501) })).rejects.toMatchObject({
    code: 'INVALID_SETTINGS',
  })
})

test('a document without information gets a title', async () => {
  const input = writePdf(folder, 'bare.pdf', await makePdf())
  const { paths, report } = await run(pdfMetadata, folder, [input], { title: 'T' })
  expect(report.metadata).toMatchObject({ Title: 'T' })
  expect((await PDFDocument.load(readFileSync(paths[0]!))).getTitle()).toBe('T')
})
