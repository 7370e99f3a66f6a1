import { readFileSync } from 'node:fs'
import { PDFDocument } from 'pdf-lib'
import { expect, test } from 'vitest'
import pdfToText from '../../../tools/pdf/convert/pdf-to-text.ts'
import { badPdfs, writePdf } from '../../helpers/bad-pdf.ts'
import { makePdf } from '../../helpers/pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

test('page texts joined by one line break, UTF-8, with their number of characters', async () => {
  const path = writePdf(folder, 'words.pdf', await makePdf({ texts: ['Grüße', 'second'] }))
  const { paths, names, report } = await run(pdfToText, folder, [path])
  expect(names).toEqual(['words.txt'])
  expect(readFileSync(paths[0]!, 'utf8')).toBe('Grüße\nsecond')
  expect(report).toEqual({ chars: 12 })
})

test('a document without text gives no empty file', async () => {
  const empty = await PDFDocument.create()
  empty.addPage()
  const path = writePdf(folder, 'scan.pdf', await empty.save())
  await expect(run(pdfToText, folder, [path])).rejects.toMatchObject({
    code: 'PROCESSING_FAILED',
    status: 422,
    hint: expect.stringContaining('ocr-pdf'),
  })
})

test('invalid input is refused with its code', async () => {
  for (const { path, code } of await badPdfs(folder))
    await expect(run(pdfToText, folder, [path]), path).rejects.toMatchObject({ code })
})

test('includes the words of a form, and does not call a blank page a picture', async () => {
  const form = writePdf(folder, 'form.pdf', await makePdf({ formField: { name: 'who', value: 'Ada' } }))
  const { paths } = await run(pdfToText, folder, [form])
  expect(readFileSync(paths[0]!, 'utf8')).toContain('Ada')
  const blank = writePdf(folder, 'blank.pdf', await makePdf({ texts: [' '] }))
  await expect(run(pdfToText, folder, [blank])).rejects.toThrow('its pages are blank or drawn')
  const scan = writePdf(folder, 'scan.pdf', await makePdf({ texts: [' '], images: [9, 9] }))
  await expect(run(pdfToText, folder, [scan])).rejects.toThrow('its pages are pictures')
})
