/** Edits of documents with one wrong entry in the cross-reference table succeed, or the document is refused. */
import { PDFDocument } from 'pdf-lib'
import { expect, test } from 'vitest'
import { openPdf } from '../../../src/media/pdf/document.ts'
import { PdfHandle } from '../../../src/media/pdf/handle.ts'
import { rotatePages } from '../../../src/media/pdf/page/rotate.ts'
import { stampText } from '../../../src/media/pdf/stamp/stamp.ts'
import { complaints, makePdf, pageTexts } from '../../helpers/pdf.ts'

const PAGES = 4
const turned = Array.from({ length: PAGES }, () => 90)

/** A classic cross-reference table with 28 entries, and the offset of each. */
async function sample(): Promise<{ bytes: Buffer; entries: number[] }> {
  const outline = ['A', 'B', 'C', 'D', 'E', 'F'].map((title, index) => ({ title, page: (index % PAGES) + 1 }))
  const bytes = Buffer.from(
    await makePdf({ pages: PAGES, formField: { name: 'who', value: 'Ada' }, outline, images: [4, 4] }),
  )
  const table = Number(/startxref\s+(\d+)/.exec(bytes.toString('latin1'))![1])
  const entries = [
    ...bytes
      .toString('latin1')
      .slice(table)
      .matchAll(/\d{10} \d{5} n/g),
  ]
  return { bytes, entries: entries.map(({ index }) => table + index) }
}

function withWrongOffset(bytes: Buffer, entry: number, by: number): Buffer {
  const wrong = Buffer.from(bytes)
  const offset = Number(wrong.toString('latin1', entry, entry + 10)) + by
  wrong.write(String(offset).padStart(10, '0'), entry, 'latin1')
  return wrong
}

const { bytes, entries } = await sample()

test('the sample has 28 objects', () => expect(entries).toHaveLength(28))

test.each(entries.map((entry, index) => [index + 1, entry] as const))(
  'a wrong offset of object %i: rotates and stamps pages nevertheless',
  async (_object, entry) => {
    const document = await openPdf(withWrongOffset(bytes, entry, 7))
    rotatePages(document, new Set([1, 2, 3, 4]), 90)
    await stampText(document, { text: 'HELLO', position: 'c', fontSize: 20 })
    const saved = await document.save()
    document.close()
    expect((await PDFDocument.load(saved)).getPages().map((page) => page.getRotation().angle)).toEqual(turned)
    for (const [index, text] of (await pageTexts(saved)).entries()) {
      expect(text).toContain('HELLO')
      expect(text).toContain(`Page ${index + 1}`)
    }
    expect(await complaints(saved)).toEqual([])
  },
)

test('refuses a document that is repaired after opening, because its changes are lost', async () => {
  const { loadMupdf } = await import('../../../src/engines/mupdf.ts')
  const mupdf = await loadMupdf()
  // Without our checks, which would have read every object.
  const pdf = mupdf.PDFDocument.openDocument(withWrongOffset(bytes, entries[10]!, 7), 'application/pdf')
  const document = new PdfHandle(pdf as InstanceType<typeof mupdf.PDFDocument>)
  await expect(
    (async () => {
      rotatePages(document, new Set([1, 2, 3, 4]), 90)
      return document.save()
    })(),
  ).rejects.toMatchObject({ code: 'PROCESSING_FAILED', message: 'The PDF is damaged, and changes to it were lost' })
  document.close()
})

test('does not return a file without the expected content', async () => {
  const document = await openPdf(bytes)
  document.expect('page 1 is turned', () => false)
  await expect(document.save()).rejects.toThrow('does not match the request: not so: page 1 is turned')
  document.close()
})

test('a page object that occurs twice in the tree is two pages', async () => {
  const twice = await PDFDocument.load(await makePdf({ pages: 2 }))
  const [first] = twice.getPages()
  const kids = twice.catalog.Pages().Kids()
  kids.set(1, first!.ref)
  const document = await openPdf(await twice.save())
  rotatePages(document, new Set([1]), 90)
  await stampText(document, { text: '%p of %P', position: 'c', fontSize: 20 })
  const saved = await document.save()
  document.close()
  expect((await PDFDocument.load(saved)).getPages().map((page) => page.getRotation().angle)).toEqual([90, 0])
  const texts = await pageTexts(saved)
  expect(texts[0]).toContain('1 of 2')
  expect(texts[1]).toContain('2 of 2')
})
