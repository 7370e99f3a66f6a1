import { PDFDocument, rgb, StandardFonts } from 'pdf-lib'
import { describe, expect, test } from 'vitest'
import { openPdf } from '../../../src/media/pdf/document.ts'
import { mergeEqualObjects } from '../../../src/media/pdf/write/merge-equal.ts'
import { complaints, makePdf, noisePng, pageTexts } from '../../helpers/pdf.ts'

/** A letterhead as a document of its own, so that each page of `letters` gets another copy of its font and picture. */
async function letterhead(colour: number): Promise<Uint8Array> {
  const made = await PDFDocument.create({ updateMetadata: false })
  const page = made.addPage([200, 300])
  page.drawImage(await made.embedPng(noisePng(60, 60)), { x: 10, y: 240, width: 40, height: 40 })
  page.drawText('Company', {
    x: 60,
    y: 260,
    font: await made.embedFont(StandardFonts.TimesRoman),
    color: rgb(colour, 0, 0),
  })
  return made.save({ useObjectStreams: false })
}

async function letters(colours: number[]): Promise<Uint8Array> {
  const made = await PDFDocument.create({ updateMetadata: false })
  const font = await made.embedFont(StandardFonts.Helvetica)
  for (const [index, colour] of colours.entries()) {
    const [form] = await made.embedPdf(await PDFDocument.load(await letterhead(colour)), [0])
    const page = made.addPage([200, 300])
    page.drawPage(form!)
    page.drawText(`Letter ${index + 1}`, { x: 20, y: 100, font })
  }
  return made.save({ useObjectStreams: false })
}

/** Numbers of distinct forms and images that the pages refer to. */
async function counts(bytes: Uint8Array): Promise<{ forms: number; images: number }> {
  const document = await openPdf(bytes)
  const forms = new Set<number>()
  const images = new Set<number>()
  for (let page = 0; page < document.pageCount; page++)
    document.pdf
      .findPage(page)
      .get('Resources', 'XObject')
      .forEach((form) => {
        forms.add(form.asIndirect())
        form.get('Resources', 'XObject').forEach((image) => void images.add(image.asIndirect()))
      })
  document.close()
  return { forms: forms.size, images: images.size }
}

async function merged(bytes: Uint8Array): Promise<{ count: number; result: Uint8Array }> {
  const document = await openPdf(bytes)
  const count = mergeEqualObjects(document.pdf)
  const result = await document.save()
  document.close()
  return { count, result }
}

describe('equal objects', () => {
  test('forms that use equal images and fonts become one; different ones stay, and share their image', async () => {
    const before = await letters([0, 0, 1, 0])
    expect(await counts(before)).toEqual({ forms: 4, images: 4 })
    const { count, result } = await merged(before)
    expect(await counts(result)).toEqual({ forms: 2, images: 1 })
    expect(count).toBeGreaterThan(6)
    expect(result.length).toBeLessThan(before.length / 3)
    expect(await pageTexts(result)).toEqual(await pageTexts(before))
    expect(await complaints(result)).toEqual([])
  })

  test('equal pages, fields and bookmarks are not merged', async () => {
    const outline = [
      { title: 'same', page: 1 },
      { title: 'same', page: 1 },
    ]
    const before = await makePdf({ texts: ['same', 'same'], outline, formField: { name: 'a', value: 'b' } })
    const { result } = await merged(before)
    const document = await openPdf(result)
    const [one, other] = [0, 1].map((page) => document.pdf.findPage(page).asIndirect())
    expect(one).not.toBe(other)
    expect(document.pdf.loadOutline()).toHaveLength(2)
    expect(document.pdf.loadPage(0).getWidgets()).toHaveLength(1)
    document.close()
    expect(await complaints(result)).toEqual([])
  })
})
