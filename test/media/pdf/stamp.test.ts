import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { openPdf } from '../../../src/media/pdf/document.ts'
import type { PdfHandle } from '../../../src/media/pdf/handle.ts'
import { type RenderedPage, renderPage } from '../../../src/media/pdf/page/render.ts'
import { type StampOptions, stampText } from '../../../src/media/pdf/stamp/stamp.ts'
import { extractPageTexts } from '../../../src/media/pdf/structure/text.ts'
import { complaints, hasPdftotext, type MakePdfOptions, makePdf } from '../../helpers/pdf.ts'

/** One pixel to the point. */
const DPI = 72

/** Stamps a generated document, saves it, checks it and opens the result. */
async function stamped(pdf: MakePdfOptions | Uint8Array, ...stamps: StampOptions[]): Promise<PdfHandle> {
  const document = await openPdf(pdf instanceof Uint8Array ? pdf : await makePdf(pdf))
  for (const stamp of stamps) await stampText(document, stamp)
  const bytes = await document.save()
  document.close()
  expect(await complaints(bytes)).toEqual([])
  return openPdf(bytes)
}

/** The bounding box of all non-white pixels, in pixels from the top left, and the darkest value. */
function ink({ width, height, data }: RenderedPage) {
  const box = { left: width, top: height, right: 0, bottom: 0, darkest: 255, pixels: 0 }
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const value = data[(y * width + x) * 3]!
      if (value > 250) continue
      box.left = Math.min(box.left, x)
      box.right = Math.max(box.right, x + 1)
      box.top = Math.min(box.top, y)
      box.bottom = Math.max(box.bottom, y + 1)
      box.darkest = Math.min(box.darkest, value)
      box.pixels++
    }
  }
  return box
}

const inkOf = async (document: PdfHandle, page = 1, dpi = DPI) => ink(await renderPage(document, page, { dpi }))

describe('position of the text', () => {
  const positions = ['tl', 'tc', 'tr', 'l', 'c', 'r', 'bl', 'bc', 'br'] as const

  test.each(positions)('%s', async (position) => {
    const document = await stamped(
      { texts: [''], sizes: [[200, 300]] },
      { text: 'HHHH', position, fontSize: 20, insetPt: 10 },
    )
    const box = await inkOf(document)
    // Helvetica's H is 0.722 em wide with about 0.08 em of space at its sides, and 0.72 em high.
    expect(box.right - box.left).toBeGreaterThan(53)
    expect(box.right - box.left).toBeLessThan(59)
    const middle = { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 }
    if (position.endsWith('l')) expect(box.left).toBeCloseTo(11, -0.5)
    else if (position.endsWith('r')) expect(box.right).toBeCloseTo(189, -0.5)
    else expect(Math.abs(middle.x - 100)).toBeLessThan(1.5)
    if (position.startsWith('t')) expect(Math.abs(box.top - 11)).toBeLessThan(2)
    else if (position.startsWith('b')) expect(Math.abs(box.bottom - (290 - 0.22 * 20))).toBeLessThan(2)
    else expect(Math.abs(middle.y - 145)).toBeLessThan(8)
  })

  test.each([0, 90, 180, 270])('upright in the visible box of a page with /Rotate %d', async (rotation) => {
    const turned = rotation % 180 !== 0
    const options = { texts: [''], sizes: [[400, 500] as [number, number]], rotations: [rotation] }
    const cropBoxes: Array<[number, number, number, number]> = [[50, 100, 350, 300]]
    const document = await stamped(
      { ...options, cropBoxes },
      { text: 'HHHH', position: 'tl', fontSize: 20, insetPt: 10 },
    )
    const page = await renderPage(document, 1, { dpi: DPI })
    expect([page.width, page.height]).toEqual(turned ? [200, 300] : [300, 200])
    const box = ink(page)
    expect(Math.abs(box.left - 11)).toBeLessThan(2)
    expect(Math.abs(box.top - 11)).toBeLessThan(2)
    expect(box.right - box.left).toBeGreaterThan(53)
    expect(box.bottom - box.top).toBeLessThan(17)
  })

  test('rotation turns counter-clockwise around the centre of the text', async () => {
    const document = await stamped({ texts: [''] }, { text: 'L', position: 'c', fontSize: 100, rotation: 90 })
    const page = await renderPage(document, 1, { dpi: DPI })
    const box = ink(page)
    expect(box.right - box.left).toBeGreaterThan(65)
    // The foot of the L, at the right end of its base line, is now at the right above.
    const column = (x: number) => {
      let count = 0
      for (let y = 0; y < page.height; y++) if (page.data[(y * page.width + x) * 3]! < 200) count++
      return count
    }
    expect(column(box.right - 4)).toBeGreaterThan(40)
    expect(column(box.left + 4)).toBeLessThan(15)
  })

  test('the rotated box stays within the inset', async () => {
    const document = await stamped(
      { texts: [''] },
      { text: 'HHHH', position: 'br', fontSize: 30, rotation: 45, insetPt: 10 },
    )
    const box = await inkOf(document)
    expect(box.right).toBeLessThanOrEqual(190)
    expect(box.bottom).toBeLessThanOrEqual(290)
    expect(box.right).toBeGreaterThan(180)
  })

  test('text on a page with another unit has the requested size in points', async () => {
    const document = await openPdf(await makePdf({ texts: [''], sizes: [[100, 100]] }))
    document.pdf.findPage(0).put('UserUnit', 3)
    await stampText(document, { text: 'HHHH', position: 'tl', fontSize: 20, insetPt: 10 })
    const page = await renderPage(document, 1, { dpi: DPI })
    expect([page.width, page.height]).toEqual([300, 300])
    const box = ink(page)
    expect(box.right - box.left).toBeLessThan(59)
    expect(Math.abs(box.left - 11)).toBeLessThan(2)
  })
})

describe('drawing', () => {
  test('mid-gray by default; colour and opacity on request', async () => {
    const big = { text: 'H', position: 'c', fontSize: 200 } as const
    expect(Math.abs((await inkOf(await stamped({ texts: [''] }, big))).darkest - 127.5)).toBeLessThan(1)
    expect((await inkOf(await stamped({ texts: [''] }, { ...big, colour: [0, 0, 0] }))).darkest).toBe(0)
    const pale = await inkOf(await stamped({ texts: [''] }, { ...big, colour: [0, 0, 0], opacity: 0.3 }))
    expect(Math.abs(pale.darkest - 255 * 0.7)).toBeLessThan(3)
  })

  test('numbers of the page and of the pages; other percent signs unchanged', async () => {
    const document = await stamped({ texts: ['', '', ''] }, { text: '%p/%P 100% %d', position: 'bc', fontSize: 10 })
    expect(extractPageTexts(document)).toEqual(['1/3 100% %d', '2/3 100% %d', '3/3 100% %d'])
  })

  test('several lines, aligned as the position is', async () => {
    const document = await stamped(
      { texts: [''] },
      { text: 'long line\r\nx', position: 'tr', fontSize: 20, insetPt: 0 },
    )
    expect(extractPageTexts(document)[0]!.split('\n').filter(Boolean)).toEqual(['long line', 'x'])
    const box = await inkOf(document)
    expect(box.bottom - box.top).toBeGreaterThan(30)
  })

  test('is above the content, independent of its graphics state', async () => {
    for (const content of [
      'q 0.1 0 0 0.1 500 500 cm q',
      '1 0 0 rg 0 0 200 300 re f Q Q 0.5 0 0 0.5 90 90 cm',
      '(q Q \\) q) Tj',
      '',
    ]) {
      const document = await openPdf(await makePdf({ texts: [''] }))
      document.pdf.findPage(0).put('Contents', document.pdf.addStream(content, {}))
      await stampText(document, { text: 'HHHH', position: 'tl', fontSize: 20, insetPt: 10, colour: [0, 0, 0] })
      const { width, data } = await renderPage(document, 1, { dpi: DPI })
      let left = width
      for (let index = 0; index < data.length; index += 3) {
        if (data[index]! < 90 && data[index + 1]! < 90) left = Math.min(left, (index / 3) % width)
      }
      expect(Math.abs(left - 11), content).toBeLessThan(2)
    }
  })

  test('ignores an extra Q, as viewers do, without ending our own q', async () => {
    const content = '0.5 0 0 0.5 0 0 cm Q 1 0 0 rg 0 0 200 300 re f'
    const document = await openPdf(await makePdf({ texts: [''] }))
    document.pdf.findPage(0).put('Contents', document.pdf.addStream(content, {}))
    await stampText(document, { text: 'x', position: 'tr', fontSize: 6, colour: [0, 0, 1] })
    const { data } = await renderPage(document, 1, { dpi: DPI })
    const red = data.filter((value, index) => index % 3 === 0 && value === 255 && data[index + 1] === 0).length
    expect(red).toBe(100 * 150)
  })

  test('keeps shared page resources separate', async () => {
    const document = await openPdf(await makePdf({ texts: ['a', 'b'] }))
    const shared = document.pdf.addObject(document.pdf.findPage(0).get('Resources').resolve())
    for (const page of [0, 1]) document.pdf.findPage(page).put('Resources', shared)
    await stampText(document, { text: 'No %p', position: 'bc', fontSize: 10 })
    await stampText(document, { text: 'twice', position: 'tc', fontSize: 10 })
    expect(shared.toString()).not.toContain('Stamp')
    const texts = extractPageTexts(document)
    expect(texts.map((text) => text.split('\n').filter(Boolean).sort())).toEqual([
      ['No 1', 'a', 'twice'],
      ['No 2', 'b', 'twice'],
    ])
  })

  test('an invisible line does not affect the others', async () => {
    const document = await stamped({ texts: [''] }, { text: '\u200b\n\nseen', position: 'c', fontSize: 20 })
    expect(extractPageTexts(document)[0]!.trim()).toBe('seen')
  })

  test('refuses blank text', async () => {
    const document = await openPdf(await makePdf())
    await expect(stampText(document, { text: ' \n ', position: 'c', fontSize: 10 })).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
    })
  })
})

describe('scripts', () => {
  test.each([
    ['Western', 'Größe – 10 € œuvre'],
    ['Polish', 'Zażółć gęślą jaźń'],
    ['Cyrillic', 'Привет, мир'],
    ['Greek', 'Καλημέρα κόσμε'],
    ['Vietnamese', 'Tiếng Việt'],
    ['Chinese', '机密文件'],
    ['Japanese', 'ひらがな漢字カナ'],
    ['Korean', '대외비 문서'],
    ['symbols', '✓ done → next'],
  ])('%s is drawn and readable', async (_name, text) => {
    const document = await stamped({ texts: [''] }, { text, position: 'c', fontSize: 12 })
    expect(extractPageTexts(document)).toEqual([text])
    expect((await inkOf(document, 1, 144)).pixels).toBeGreaterThan(100)
  })

  test("Poppler reads it, too: the text's span has the font, not only a drawing with one", async () => {
    const text = '機密 Привет'
    const document = await stamped({ texts: [''] }, { text, position: 'c', fontSize: 12 })
    const streams = Array.from({ length: document.pdf.countObjects() - 1 }, (_, index) =>
      document.pdf.newIndirect(index + 1),
    )
      .filter((object) => object.isStream())
      .map((stream) => stream.readStream().asString())
    expect(streams.filter((content) => /ActualText.*BDC.*Tf.*EMC/s.test(content))).toHaveLength(1)
    const bytes = await document.save()
    document.close()
    if (hasPdftotext())
      expect(execFileSync('pdftotext', ['-', '-'], { input: bytes, encoding: 'utf8' }).trim()).toBe(text)
  })

  test.each([
    ['Arabic', 'سلام'],
    ['Hindi', 'हिन्दी'],
  ])('%s is shaped: the word is narrower than its single letters', async (_name, text) => {
    const whole = await inkOf(
      await stamped({ texts: [''], sizes: [[800, 200]] }, { text, position: 'c', fontSize: 60 }),
    )
    const letters = [...text].join('\u200c ')
    const apart = await inkOf(
      await stamped({ texts: [''], sizes: [[800, 200]] }, { text: letters, position: 'c', fontSize: 60 }),
    )
    expect(whole.pixels).toBeGreaterThan(500)
    expect(whole.right - whole.left).toBeLessThan(0.75 * (apart.right - apart.left))
  })

  test('Arabic runs from the right: its first letter is there', async () => {
    // Alef is a plain stroke, drawn bold and joined to nothing.
    const page = await renderPage(await stamped({ texts: [''] }, { text: 'اسس', position: 'c', fontSize: 60 }), 1, {
      dpi: DPI,
    })
    const box = ink(page)
    const heightAt = (from: number, to: number) => {
      let top = page.height
      for (let y = 0; y < page.height; y++) {
        for (let x = from; x < to; x++) if (page.data[(y * page.width + x) * 3]! < 200) top = Math.min(top, y)
      }
      return top
    }
    expect(heightAt(box.right - 8, box.right)).toBe(box.top)
    expect(heightAt(box.left, box.left + 20)).toBeGreaterThan(box.top + 10)
  })

  test('embeds fonts once as subsets', async () => {
    const source = await makePdf({ texts: Array.from({ length: 20 }, () => '') })
    const document = await stamped(source, { text: '机密 %p', position: 'c', fontSize: 12 })
    const bytes = await document.save()
    expect(bytes.length - source.length).toBeLessThan(20_000)
    expect(extractPageTexts(document)[19]).toBe('机密 20')
  })

  test('names a character that no font has', async () => {
    const document = await openPdf(await makePdf())
    await expect(stampText(document, { text: 'x \u{16A9C}', position: 'c', fontSize: 12 })).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: expect.stringContaining('U+16A9C'),
    })
  })
})
