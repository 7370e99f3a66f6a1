/** PDFs with many kinds of damage: files that other readers open are processed with valid results; none causes an internal error. */
import { PDFDocument } from 'pdf-lib'
import { describe, expect, test } from 'vitest'
import { openPdf } from '../../../src/media/pdf/document.ts'
import { cropPages } from '../../../src/media/pdf/page/crop.ts'
import { flattenDocument } from '../../../src/media/pdf/page/flatten.ts'
import { rotatePages } from '../../../src/media/pdf/page/rotate.ts'
import { HARMFUL, HARMLESS } from '../../helpers/damage.ts'
import { complaints, makePdf, pageTexts } from '../../helpers/pdf.ts'

const whole = Buffer.from(
  await makePdf({
    ...{ pages: 3, formField: { name: 'who', value: 'Ada' }, images: [4, 4] },
    outline: [
      { title: 'A', page: 1 },
      { title: 'B', page: 2 },
    ],
  }),
).toString('latin1')

const damaged = (change: (text: string) => string): Buffer => {
  const text = change(whole)
  expect(text).not.toBe(whole)
  return Buffer.from(text, 'latin1')
}

describe.each(Object.entries(HARMLESS))('%s', (_kind, change) => {
  test('rotates, crops and flattens pages with valid results', async () => {
    const document = await openPdf(damaged(change))
    rotatePages(document, new Set([2]), 90)
    cropPages(document, 1)
    flattenDocument(document)
    const saved = await document.save()
    document.close()
    expect((await PDFDocument.load(saved)).getPages().map((page) => page.getRotation().angle)).toEqual([0, 90, 0])
    expect((await pageTexts(saved)).map((text) => text.split('\n')[0])).toEqual(['Page 1', 'Page 2', 'Page 3'])
    expect(await complaints(saved)).toEqual([])
  })
})

test.each(Object.entries(HARMFUL))('refuses %s, and names repair', async (_kind, change) => {
  await expect(openPdf(damaged(change))).rejects.toMatchObject({
    code: 'INVALID_FILE',
    message: expect.stringContaining('is damaged'),
  })
})

test('repairs a page with a missing font', async () => {
  const text = whole.replace(/\/Font <<[^>]*>>/g, '/Font << /F1 999 0 R >>')
  const document = await openPdf(Buffer.from(text, 'latin1'), { repair: true })
  expect(document.pageCount).toBe(3)
  document.close()
})
