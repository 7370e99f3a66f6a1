import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { degrees, PDFDocument, rgb } from 'pdf-lib'
import { describe, expect, test } from 'vitest'
import { loadMupdf } from '../../../src/engines/mupdf.ts'
import { readingDpi } from '../../../tools/pdf/convert/ocr-pdf/read-page.ts'
import ocrPdf from '../../../tools/pdf/convert/ocr-pdf.ts'
import { readBars } from '../../helpers/ocr.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
readBars(folder)

/** Pages with a yellow bar, from 100 to 160 points across and 60 to 68 below the upper edge of the visible 288 x 144. */
async function scan(name: string, pages: number, look: { turned?: boolean; cropped?: boolean } = {}): Promise<string> {
  const document = await PDFDocument.create()
  for (let index = 0; index < pages; index += 1) {
    const page = document.addPage(look.cropped ? [400, 300] : look.turned ? [144, 288] : [288, 144])
    if (look.cropped) page.setCropBox(50, 20, 288, 144)
    if (look.turned) page.setRotation(degrees(90))
    const bar = look.turned
      ? { x: 60, y: 100, width: 8, height: 60 }
      : look.cropped
        ? { x: 150, y: 96, width: 60, height: 8 }
        : { x: 100, y: 76, width: 60, height: 8 }
    page.drawRectangle({ ...bar, color: rgb(1, 1, 0) })
  }
  const path = join(folder, name)
  writeFileSync(path, await document.save())
  return path
}

/** Where a text is found, in points of the page as displayed, and what the page looks like. */
async function look(path: string, text: string) {
  const mupdf = await loadMupdf()
  const document = mupdf.Document.openDocument(readFileSync(path), 'application/pdf')
  const page = document.loadPage(0)
  const found = page.search(text, '').flat()
  const pixmap = page.toPixmap(mupdf.Matrix.identity, mupdf.ColorSpace.DeviceRGB, false)
  return { found, pixels: Buffer.from(pixmap.getPixels()) }
}

test('pages become text under their headings', async () => {
  const path = await scan('three.pdf', 3)
  const { names, paths, report } = await run(ocrPdf, folder, [path], { pages: '3, 1' })
  expect(names).toEqual(['three_ocr.txt'])
  expect(readFileSync(paths[0]!, 'utf8')).toBe('--- Page 1 ---\n\na\n\n--- Page 3 ---\n\na\n')
  expect(report).toMatchObject({
    pages: 2,
    engine: 'paddleocr',
    actualQuality: 'balanced',
    degraded: false,
    warnings: [],
  })
})

test('JSON has the position of each line', async () => {
  const { names, paths } = await run(ocrPdf, folder, [await scan('one.pdf', 1)], { format: 'json' })
  expect(names).toEqual(['one_ocr.json'])
  const { pages } = JSON.parse(readFileSync(paths[0]!, 'utf8'))
  expect(pages).toEqual([
    {
      page: 1,
      width: 1200,
      height: 600,
      dpi: 300,
      text: 'a',
      blocks: [expect.objectContaining({ text: 'a', line: 0 })],
    },
  ])
  // The middle of the bar is 130 points from the left: 542 px.
  const { x, w } = pages[0].blocks[0].bbox
  expect(Math.abs(x + w / 2 - 542)).toBeLessThan(3)
})

describe.each([
  ['as it is', {}],
  ['turned', { turned: true }],
  ['cropped', { cropped: true }],
])('a page %s', (name, kind) => {
  test('gets its text where it was read, and looks as before', async () => {
    const path = await scan(`${name}.pdf`, 1, kind)
    const { names, paths } = await run(ocrPdf, folder, [path], { format: 'pdf' })
    expect(names).toEqual([`${name}_ocr.pdf`])
    const [before, after] = [await look(path, 'a'), await look(paths[0]!, 'a')]
    expect(before.found).toEqual([])
    expect(after.pixels.equals(before.pixels)).toBe(true)
    expect(after.found).toHaveLength(1)
    const [left, top, right] = after.found[0]!
    const bottom = after.found[0]![7]!
    expect(Math.abs((left! + right!) / 2 - 130)).toBeLessThan(2)
    expect(Math.abs((top! + bottom) / 2 - 64)).toBeLessThan(2)
    expect(right! - left!).toBeGreaterThan(58)
    expect(right! - left!).toBeLessThan(76)
    // A page with text gets no second text.
    const again = await run(ocrPdf, folder, paths, { format: 'pdf' })
    expect(again.warnings).toEqual(['Unchanged, since they have text already: pages 1'])
    expect((await look(again.paths[0]!, 'a')).found).toHaveLength(1)
  })
})

test('pages are named by plain numbers, at most 50 at once', async () => {
  const path = await scan('many.pdf', 51)
  for (const pages of ['', '0', '5-3', 'z', 'r1', '1,,2'])
    await expect(run(ocrPdf, folder, [path], { pages })).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
  await expect(run(ocrPdf, folder, [path], { pages: '52' })).rejects.toMatchObject({ code: 'TARGET_UNREACHABLE' })
  const all = { code: 'LIMIT_EXCEEDED', message: '51 pages of many.pdf are selected; the limit is 50' }
  await expect(run(ocrPdf, folder, [path])).rejects.toMatchObject(all)
})

test('draws large pages at a lower resolution, refuses too large ones', () => {
  expect(readingDpi(1, { width: 595, height: 842 })).toBe(300)
  // 30 inches: 6000 px at 199.9 dpi; a square of 20 inches: 25 megapixels at 249.9.
  expect(readingDpi(1, { width: 2160, height: 100 })).toBe(199)
  expect(readingDpi(1, { width: 1440, height: 1440 })).toBe(249)
  expect(() => readingDpi(7, { width: 7000, height: 100 })).toThrow('Page 7 is too large for OCR')
})
