/** Large documents are written to disk stream by stream: the result equals MuPDF's in-memory output. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { withMupdfErrors } from '../../../src/engines/mupdf.ts'
import { runQpdf } from '../../../src/engines/qpdf.ts'
import { openPdf } from '../../../src/media/pdf/document.ts'
import type { PdfHandle } from '../../../src/media/pdf/handle.ts'
import { assemblePages } from '../../../src/media/pdf/page/assemble.ts'
import { renderPage } from '../../../src/media/pdf/page/render.ts'
import { complaints, makeEncryptedPdf, makePdf, pageTexts } from '../../helpers/pdf.ts'
import { HELVETICA, line, rawPdf, stream } from '../../helpers/raw-pdf.ts'
import { temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const PATH = join(folder, 'saved.pdf')

/** Opens a document, changes it and writes it to disk. */
async function saved(source: Uint8Array, change: (document: PdfHandle) => void = () => {}, password = '') {
  const document = await openPdf(source, password === '' ? {} : { password })
  document.recordPages()
  change(document)
  await document.saveTo(PATH)
  const { warnings } = document
  document.close()
  expect(warnings).toEqual([])
  expect(existsSync(`${PATH}.plain`)).toBe(false)
  return readFileSync(PATH)
}

async function plainOf(bytes: Uint8Array): Promise<string> {
  const args = ['--qdf', '--object-streams=disable', '--decode-level=all', 'a.pdf', 'b.pdf']
  const { files } = await runQpdf(args, { 'a.pdf': bytes })
  return Buffer.from(files.get('b.pdf')!).toString('latin1')
}

const full = () =>
  makePdf({
    pages: 3,
    texts: ['First', 'Second', 'Third'],
    images: [8, 8],
    title: 'Größe (12 0 R) 日本',
    outline: [{ title: 'A chapter', page: 2 }],
    formField: { name: 'who', value: 'Ada' },
  })

test('text, pixels, title, bookmarks and fields equal those of the source', async () => {
  const source = await full()
  const bytes = await saved(source, ({ pdf }) => pdf.findPage(0).put('Rotate', 90))
  expect(await complaints(bytes)).toEqual([])
  expect(await pageTexts(bytes)).toEqual(await pageTexts(source))
  const [before, after] = [await openPdf(source), await openPdf(bytes)]
  const one = await renderPage(before, 2, { dpi: 72 })
  const other = await renderPage(after, 2, { dpi: 72 })
  expect(Buffer.compare(one.data, other.data)).toBe(0)
  expect(after.pdf.findPage(0).get('Rotate').asNumber()).toBe(90)
  expect(after.pdf.getMetaData('info:Title')).toBe('Größe (12 0 R) 日本')
  expect(after.pdf.loadOutline()?.map(({ title }) => title)).toEqual(['A chapter'])
  expect(
    after.pdf
      .loadPage(0)
      .getWidgets()
      .map((widget) => widget.getValue()),
  ).toEqual(['Ada'])
  before.close()
  after.close()
})

const PAGE =
  '/Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> /XObject << /A 6 0 R /B 7 0 R >> >>'
const FORM = '/Type /XObject /Subtype /Form /BBox [0 0 9 9]'

const odd = rawPdf({
  1: '<< /Type /Catalog /Pages 2 0 R /Gone 99 0 R /Text (see 5 0 R \\) \\(and << /Length 7) >>',
  2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
  3: `<< ${PAGE} >>`,
  4: `<< /Length 9 0 R /Nested << /Length 3 >> >>\nstream\n${line('One')}\nendstream`,
  5: HELVETICA,
  6: stream('0 0 9 9 re f', FORM),
  7: stream('0 0 9 9 re f', FORM),
  8: stream('(nobody refers to this)'),
  9: String(line('One').length),
})

test('keeps strings that look like objects, drops unused objects, compresses streams', async () => {
  const bytes = await saved(odd)
  expect(await complaints(bytes)).toEqual([])
  expect(bytes.toString('latin1')).not.toContain('Tj ET')
  const plain = await plainOf(bytes)
  expect(plain).not.toContain('nobody refers')
  expect(plain.match(/0 0 9 9 re f/g)).toHaveLength(2)
  expect(plain).toContain('/Length 3')
  const document = await openPdf(bytes)
  const root = document.pdf.getTrailer().get('Root')
  expect(root.get('Text').asString()).toBe('see 5 0 R ) (and << /Length 7')
  expect(root.get('Gone').isNull()).toBe(true)
  document.close()
})

test('compress writes equal streams once', async () => {
  const bytes = await saved(odd, ({ target }) => {
    target.compress = true
  })
  expect((await plainOf(bytes)).match(/0 0 9 9 re f/g)).toHaveLength(1)
})

test('more objects than one object stream can contain', async () => {
  const bytes = await saved(await full(), ({ pdf }) => {
    const list = pdf.newArray()
    for (let number = 0; number < 450; number++) list.push(pdf.addObject({ Number: number }))
    pdf.getTrailer().get('Root').put('Many', list)
  })
  expect(await complaints(bytes)).toEqual([])
  const document = await openPdf(bytes)
  const many = document.pdf.getTrailer().get('Root', 'Many')
  expect(Array.from({ length: many.length }, (_, index) => many.get(index, 'Number').asNumber())).toEqual(
    Array.from({ length: 450 }, (_, index) => index),
  )
  document.close()
})

test.each([false, true])('an encrypted document keeps its passwords (ordered for the web: %s)', async (linearize) => {
  const source = await makeEncryptedPdf('user', 'owner')
  const bytes = await saved(source, ({ target }) => Object.assign(target, { linearize }), 'user')
  expect(await complaints(bytes, 'user')).toEqual([])
  expect(await pageTexts(bytes, 'owner')).toEqual(await pageTexts(source, 'owner'))
  await expect(openPdf(bytes, { password: 'other' })).rejects.toMatchObject({ code: 'WRONG_PASSWORD' })
  expect(bytes.subarray(0, 1024).includes('/Linearized')).toBe(linearize)
})

test('adds encryption with its permissions, and removes it', async () => {
  const source = await full()
  const bytes = await saved(source, ({ target }) => {
    target.encryption = { userPassword: 'open', ownerPassword: 'all', permissions: -3904 }
  })
  expect(await complaints(bytes, 'open')).toEqual([])
  expect(await pageTexts(bytes, 'open')).toEqual(await pageTexts(source))
  const document = await openPdf(bytes, { password: 'all' })
  expect(document.pdf.getTrailer().get('Encrypt', 'P').asNumber()).toBe(-3904)
  document.close()
  const plain = await saved(
    bytes,
    ({ target }) => {
      target.encryption = 'none'
    },
    'open',
  )
  expect(await pageTexts(plain)).toEqual(await pageTexts(source))
})

test('a page that lost its content is a failure', async () => {
  const document = await openPdf(await full())
  document.recordPages()
  document.pdf.findPage(1).put('Contents', document.pdf.addStream('q Q', {}))
  await expect(document.saveTo(PATH)).rejects.toMatchObject({ message: expect.stringContaining('page 2') })
  document.close()
})

test('a library out of memory is a limit, not a damaged file', () => {
  const fail = () =>
    withMupdfErrors('INVALID_FILE', 'The file is damaged', () => {
      throw new Error('malloc (4060809 bytes) failed')
    })
  expect(fail).toThrow(expect.objectContaining({ code: 'LIMIT_EXCEEDED' }))
})

test('refuses pages that do not fit in free memory before copying them', async () => {
  const document = await openPdf(await makePdf({ images: [2400, 2400] }))
  const available = vi.spyOn(process, 'availableMemory').mockReturnValue(100 * 1024 * 1024)
  await expect(assemblePages([{ document, pages: [1] }])).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' })
  available.mockRestore()
  const copy = await assemblePages([{ document, pages: [1] }])
  expect(copy.pageCount).toBe(1)
  copy.close()
  document.close()
})
