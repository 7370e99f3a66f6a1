import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { openPdf } from '../../../src/media/pdf/document.ts'
import { renderPage } from '../../../src/media/pdf/page/render.ts'
import watermarkPdf from '../../../tools/pdf/content/watermark-pdf.ts'
import { badPdfs, writePdf } from '../../helpers/bad-pdf.ts'
import { complaints, makePdf, pageTexts } from '../../helpers/pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const source = async (pages = 1) =>
  writePdf(folder, 'page.pdf', await makePdf({ texts: Array.from({ length: pages }, () => ' '), sizes: [[300, 400]] }))

async function stamped(settings: Record<string, unknown>, pages = 1): Promise<Buffer> {
  const { paths, names } = await run(watermarkPdf, folder, [await source(pages)], settings)
  expect(names).toEqual(['page_watermarked.pdf'])
  return readFileSync(paths[0]!)
}

/** The bounding box of non-white pixels on the first page, in points, and the darkest grey. */
async function inkOf(bytes: Uint8Array) {
  const document = await openPdf(bytes)
  const { width, data } = await renderPage(document, 1, { dpi: 72 })
  document.close()
  const box = { left: Infinity, top: Infinity, right: -1, bottom: -1, darkest: 255 }
  for (let at = 0; at < data.length; at += 3) {
    if (data[at]! > 245) continue
    const [x, y] = [(at / 3) % width, Math.floor(at / 3 / width)]
    box.left = Math.min(box.left, x)
    box.right = Math.max(box.right, x)
    box.top = Math.min(box.top, y)
    box.bottom = Math.max(box.bottom, y)
    box.darkest = Math.min(box.darkest, data[at]!)
  }
  return box
}

test('text larger than the page is scaled down, with a warning', async () => {
  const settings = { text: 'Confidential: for the members of the board only', fontSize: 72 }
  for (const rotation of [0, 45]) {
    const { paths, warnings } = await run(watermarkPdf, folder, [await source()], { ...settings, rotation })
    const { left, right, top, bottom } = await inkOf(readFileSync(paths[0]!))
    expect(Math.min(left, top, 300 - right, 400 - bottom)).toBeGreaterThan(9)
    expect(right - left).toBeGreaterThan(230)
    expect(warnings).toEqual(['The text is larger than page 1 at 72 pt, and is smaller there'])
  }
  const { warnings } = await run(watermarkPdf, folder, [await source()], { text: 'DRAFT' })
  expect(warnings).toEqual([])
})

describe('positions are 12 points from the edge', () => {
  const near = (value: number, expected: number) => expect(Math.abs(value - expected)).toBeLessThan(7)
  test.each(['tl', 'tc', 'tr', 'l', 'c', 'r', 'bl', 'bc', 'br'])('%s', async (position) => {
    const box = await inkOf(await stamped({ text: 'HELLO', position, fontSize: 20, rotation: 0, opacity: 1 }))
    const [across, down] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2]
    if (position.endsWith('l')) near(box.left, 12)
    else if (position.endsWith('r')) near(box.right, 288)
    else near(across, 150)
    if (position.startsWith('t')) near(box.top, 14)
    else if (position.startsWith('b')) near(box.bottom, 386)
    else near(down, 200)
  })
})

test('the size is literal, the rotation counter-clockwise, the opacity that of the ink', async () => {
  const small = await inkOf(await stamped({ text: 'HHHH', fontSize: 12, rotation: 0, opacity: 1 }))
  const large = await inkOf(await stamped({ text: 'HHHH', fontSize: 48, rotation: 0, opacity: 1 }))
  expect((large.right - large.left) / (small.right - small.left)).toBeCloseTo(4, 0)
  // Capitals of Helvetica are 0.72 of the size.
  expect(Math.abs(large.bottom - large.top - 34)).toBeLessThan(3)
  const upright = await inkOf(await stamped({ text: 'HHHH', fontSize: 48, rotation: 90, opacity: 1 }))
  expect(upright.bottom - upright.top).toBeGreaterThan(upright.right - upright.left)
  const faint = await inkOf(await stamped({ text: 'HHHH', fontSize: 48, rotation: 0, opacity: 0.1 }))
  expect(faint.darkest).toBeGreaterThan(200)
  expect(large.darkest).toBeLessThan(160)
})

test('%p, %P and literal signs, on every page', async () => {
  const bytes = await stamped({ text: '%p of %P, 100%', rotation: 0, fontSize: 12 }, 3)
  expect(await pageTexts(bytes)).toEqual(['1 of 3, 100%', '2 of 3, 100%', '3 of 3, 100%'])
  expect(await complaints(bytes)).toEqual([])
})

test('draws letters beyond Latin', async () => {
  const bytes = await stamped({ text: 'Привет, Ελλάδα', rotation: 0, fontSize: 20 })
  expect(await pageTexts(bytes)).toEqual(['Привет, Ελλάδα'])
})

test.each([
  {},
  { text: '  ' },
  { text: 'x'.repeat(201) },
  { text: 'x', fontSize: 5 },
  { text: 'x', opacity: 0 },
  { text: 'x', rotation: 181 },
  { text: 'x', position: 'm' },
])('refused: %j', async (settings) => {
  await expect(run(watermarkPdf, folder, [await source()], settings)).rejects.toMatchObject({
    code: 'INVALID_SETTINGS',
  })
})

test('invalid input is refused with its code', async () => {
  for (const { path, code } of await badPdfs(folder))
    await expect(run(watermarkPdf, folder, [path], { text: 'x' }), path).rejects.toMatchObject({ code })
})
