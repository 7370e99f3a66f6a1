import { expect, test } from 'vitest'
import { openPdf } from '../../../src/media/pdf/document.ts'
import { pageSize, renderPage } from '../../../src/media/pdf/page/render.ts'
import { extractPageTexts, extractText } from '../../../src/media/pdf/structure/text.ts'
import { makePdf } from '../../helpers/pdf.ts'

const pixel = ({ width, data }: { width: number; data: Uint8Array }, x: number, y: number) => [
  ...data.subarray((y * width + x) * 3, (y * width + x) * 3 + 3),
]

test('a page has the size of its visible box, rotated, at any dpi', async () => {
  const document = await openPdf(
    await makePdf({ texts: [''], sizes: [[200, 300]], rotations: [90], cropBoxes: [[0, 0, 100, 200]] }),
  )
  expect(pageSize(document, 1)).toEqual({ width: 200, height: 100 })
  for (const [dpi, width, height] of [
    [72, 200, 100],
    [150, 417, 209],
    [36, 100, 50],
  ] as const) {
    const page = await renderPage(document, 1, { dpi })
    expect([page.width, page.height, page.channels, page.data.length]).toEqual([width, height, 3, width * height * 3])
  }
})

test('draws RGB on white paper, with annotations', async () => {
  const document = await openPdf(await makePdf({ texts: [''], sizes: [[100, 100]] }))
  document.pdf.findPage(0).put('Contents', document.pdf.addStream('1 0 0 rg 0 50 50 50 re f', {}))
  const annotation = document.pdf.loadPage(0).createAnnotation('Square')
  annotation.setRect([50, 50, 100, 100])
  annotation.setInteriorColor([0, 0, 1])
  annotation.update()
  const page = await renderPage(document, 1, { dpi: 72 })
  expect(pixel(page, 25, 25)).toEqual([255, 0, 0])
  expect(pixel(page, 75, 75)).toEqual([0, 0, 255])
  expect(pixel(page, 75, 25)).toEqual([255, 255, 255])
})

test('checks the limit on pixels before drawing', async () => {
  const document = await openPdf(await makePdf({ sizes: [[842, 1191]] }))
  await expect(renderPage(document, 1, { dpi: 2400 })).rejects.toMatchObject({
    code: 'LIMIT_EXCEEDED',
    message: 'Page 1 at 2400 dpi is 28067 x 39700 pixels (1114.3 megapixels), the limit is 100 megapixels',
  })
  await expect(renderPage(document, 1, { dpi: 72, maxPixels: 1_002_821 })).rejects.toMatchObject({
    code: 'LIMIT_EXCEEDED',
  })
  expect((await renderPage(document, 1, { dpi: 72, maxPixels: 1_002_822 })).width).toBe(842)
})

test('refuses a page of hostile size', async () => {
  const document = await openPdf(await makePdf({ texts: [''], sizes: [[1e9, 1e9]] }))
  await expect(renderPage(document, 1, { dpi: 72 })).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' })
})

test('texts of the pages, joined by one line break', async () => {
  const document = await openPdf(await makePdf({ texts: ['one', '', 'drei ß'] }))
  expect(extractPageTexts(document)).toEqual(['one', '', 'drei ß'])
  expect(extractText(document)).toBe('one\n\ndrei ß')
  expect(extractText(await openPdf(await makePdf({ texts: [''] })))).toBe('')
})
