import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openPdf } from '../../../src/media/pdf/document.ts'
import { renderPage } from '../../../src/media/pdf/page/render.ts'
import repairPdf from '../../../tools/pdf/optimize/repair-pdf.ts'
import { writePdf } from '../../helpers/bad-pdf.ts'
import { complaints, makePdf, pageTexts } from '../../helpers/pdf.ts'
import { rawPdf, stream } from '../../helpers/raw-pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const texts = (count: number) => Array.from({ length: count }, (_, index) => `Page ${index + 1}`)

type Damage = (text: string) => string

/** Everything not named here is unchanged. */
const DAMAGES: Record<string, Damage> = {
  'nothing is damaged': (text) => text,
  'the end is cut off': (text) => text.slice(0, text.lastIndexOf('startxref')),
  'the table is cut off, too': (text) => text.slice(0, text.lastIndexOf('\nxref') + 30),
  'startxref points elsewhere': (text) => text.replace(/startxref\n\d+/, 'startxref\n7'),
  'startxref points beyond the end': (text) => text.replace(/startxref\n\d+/, 'startxref\n99999999'),
  'startxref is no number': (text) => text.replace(/startxref\n\d+/, 'startxref\nabc'),
  'all offsets are wrong': (text) => text.replace(/\d{10} 00000 n/g, '0000000123 00000 n'),
  'all entries are free': (text) => text.replace(/ 00000 n/g, ' 65535 f'),
  'the table has too few entries': (text) => text.replace(/xref\n0 \d+/, 'xref\n0 2'),
  'the trailer is gone': (text) => text.replace('trailer', 'trialer'),
  'the trailer lacks its root': (text) => text.replace(/\/Root \d+ 0 R/, ''),
  'the trailer has another root': (text) => text.replace(/\/Root \d+ 0 R/, '/Root 99 0 R'),
  'bytes were added in front of the objects': (text) => text.replace(/\n1 0 obj/, '\n%junk junk junk\n1 0 obj'),
  'line ends were changed': (text) => text.replace(/endobj\n/g, 'endobj\r\n'),
  'the number of pages is wrong': (text) => text.replace('/Count 3', '/Count 9'),
  'the number of pages is negative': (text) => text.replace('/Count 3', '/Count -3'),
  'the list of pages is gone': (text) => text.replace(/\/Kids \[[^\]]*\]/, '/Kids null'),
  'the tree of pages is gone': (text) => text.replace(/\/Pages \d+ 0 R/, '/Pages 99 0 R'),
  'lengths of streams are wrong': (text) => text.replace(/\/Length \d+/g, '/Length 3'),
  'ends of objects are gone': (text) => text.replace(/endobj/g, ''),
}

test.each(Object.entries(DAMAGES))('%s: recovers all pages, valid', async (_name, damage) => {
  const source = Buffer.from(await makePdf({ pages: 3 })).toString('latin1')
  const damaged = damage(source)
  if (damage !== DAMAGES['nothing is damaged']) expect(damaged).not.toBe(source)
  const { paths, names } = await run(repairPdf, folder, [writePdf(folder, 'bad.pdf', Buffer.from(damaged, 'latin1'))])
  expect(names).toEqual(['bad_repaired.pdf'])
  const bytes = readFileSync(paths[0]!)
  expect((await pageTexts(bytes)).sort()).toEqual(texts(3))
  expect(await complaints(bytes)).toEqual([])
})

test('reports unrecoverable parts', async () => {
  const source = Buffer.from(await makePdf({ pages: 2 })).toString('latin1')
  const path = writePdf(
    folder,
    'half.pdf',
    Buffer.from(source.replace(/\/Contents \[ \d+ 0 R/, '/Contents [ 99 0 R'), 'latin1'),
  )
  const { warnings } = await run(repairPdf, folder, [path])
  expect(warnings).toContain('Content is missing on page 1')
})

test.each([
  ['the tree lacks pages', (text: string) => text.replace('/Count 3', '/Count 9')],
  [
    'the root of the tree is gone, and the start of the file says it',
    (text: string) =>
      text
        .replace(/\/Pages \d+ 0 R/, '/Pages 99 0 R')
        .replace('\n1 0 obj', '\n50 0 obj\n<< /Linearized 1 /N 9 >>\nendobj\n1 0 obj'),
  ],
])('%s: reports how many pages the file declares', async (_name, damage) => {
  const damaged = damage(Buffer.from(await makePdf({ pages: 3 })).toString('latin1'))
  const path = writePdf(folder, 'short.pdf', Buffer.from(damaged, 'latin1'))
  const { paths, warnings, report } = await run(repairPdf, folder, [path])
  expect(warnings).toContain('short.pdf was damaged; 3 pages of the 9 that it declares could be recovered')
  expect(report).toMatchObject({ pages: 3, declaredPages: 9, incompletePages: [] })
  expect(await pageTexts(readFileSync(paths[0]!))).toHaveLength(3)
})

test('recovering nothing is a failure', async () => {
  const source = Buffer.from(await makePdf()).toString('latin1')
  const path = writePdf(
    folder,
    'none.pdf',
    Buffer.from(source.replace(/\/Contents \[ \d+ 0 R/, '/Contents [ 99 0 R'), 'latin1'),
  )
  await expect(run(repairPdf, folder, [path])).rejects.toMatchObject({ code: 'PROCESSING_FAILED' })
})

test('a picture whose dictionary refers to other objects keeps its data', async () => {
  const samples = Array.from({ length: 400 }, (_, index) => String.fromCharCode((index * 37) % 256)).join('')
  const source = rawPdf({
    1: '<< /Type /Catalog /Pages 2 0 R >>',
    2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    3: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Contents 4 0 R /Resources << /XObject << /A 5 0 R >> >> >>',
    4: stream('100 0 0 100 0 0 cm /A Do'),
    5: stream(samples, '/Subtype /Image /Width 20 /Height 20 /BitsPerComponent 8 /ColorSpace 6 0 R'),
    6: '/DeviceGray',
  })
  const { paths } = await run(repairPdf, folder, [writePdf(folder, 'picture.pdf', source)])
  const [before, after] = [await openPdf(source), await openPdf(readFileSync(paths[0]!))]
  const [one, other] = [await renderPage(before, 1, { dpi: 72 }), await renderPage(after, 1, { dpi: 72 })]
  before.close()
  after.close()
  expect(new Set(one.data).size).toBeGreaterThan(100)
  expect(Buffer.compare(one.data, other.data)).toBe(0)
})
