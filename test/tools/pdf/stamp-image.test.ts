/** An image on pages: its place, size, transparency and direction, on turned, cropped and small pages. */
import { readFileSync } from 'node:fs'
import { degrees, PDFDocument } from 'pdf-lib'
import { expect, test } from 'vitest'
import { openPdf } from '../../../src/media/pdf/document.ts'
import { renderPage } from '../../../src/media/pdf/page/render.ts'
import stampImage from '../../../tools/pdf/content/stamp-image.ts'
import { writePdf } from '../../helpers/bad-pdf.ts'
import { complaints } from '../../helpers/pdf.ts'
import { fromSamples, put } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** Red on the left, blue on the right; 40 x 20 px, transparent in the lower half. */
async function logo(): Promise<string> {
  const data = new Uint8Array(40 * 20 * 4)
  for (let y = 0; y < 20; y++)
    for (let x = 0; x < 40; x++) data.set([x < 20 ? 255 : 0, 0, x < 20 ? 0 : 255, y < 10 ? 255 : 0], (y * 40 + x) * 4)
  return put(folder, 'logo.png', fromSamples({ data, width: 40, height: 20, channels: 4 }).png())
}

async function pages(name: string, ...add: ((document: PDFDocument) => void)[]): Promise<string> {
  const document = await PDFDocument.create()
  for (const one of add) one(document)
  return writePdf(folder, `${name}.pdf`, await document.save())
}

const plain = (document: PDFDocument): void => void document.addPage([400, 600])

async function stamped(name: string, source: string, settings: Record<string, unknown>) {
  const { paths, warnings } = await run(stampImage, folder, [source], settings, { secondary: { image: await logo() } })
  const bytes = readFileSync(paths[0]!)
  expect(await complaints(bytes)).toEqual([])
  const document = await openPdf(bytes)
  const images: Awaited<ReturnType<typeof renderPage>>[] = []
  for (let page = 1; page <= document.pageCount; page++) images.push(await renderPage(document, page, { dpi: 72 }))
  await document.close()
  const at = (page: number, x: number, y: number): number[] => {
    const { data, width } = images[page - 1]!
    return [...data.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)]
  }
  return { at, warnings, name }
}

const RED = [255, 0, 0]
const BLUE = [0, 0, 255]
const WHITE = [255, 255, 255]

test('at the top right, a fifth as wide as the page; transparent parts stay so', async () => {
  const { at, warnings } = await stamped('plain', await pages('plain', plain), {})
  expect(warnings).toEqual([])
  // 80 x 40 pt, 24 pt from the edges: from 296 to 376 and from 24 to 64.
  expect([at(1, 300, 30), at(1, 370, 30), at(1, 300, 60), at(1, 290, 30), at(1, 380, 30), at(1, 300, 20)]).toEqual([
    ...[RED, BLUE, WHITE, WHITE, WHITE, WHITE],
  ])
})

test('only on the given pages, fainter', async () => {
  const source = await pages('two', plain, plain)
  const { at } = await stamped('two', source, { range: '2', position: 'bl', width: 50, margin: 0, opacity: 0.5 })
  expect(at(1, 10, 510)).toEqual(WHITE)
  const [red, green, blue] = at(2, 10, 510)
  expect([red, Math.abs(green! - 127) < 3, Math.abs(blue! - 127) < 3]).toEqual([255, true, true])
})

test('turned counter-clockwise', async () => {
  const { at } = await stamped('turned', await pages('turned', plain), { position: 'c', width: 50, rotation: 90 })
  // 200 x 100 pt becomes 100 x 200: red is below, and what was above is at the left.
  expect([at(1, 170, 380), at(1, 170, 220), at(1, 230, 380)]).toEqual([RED, BLUE, WHITE])
})

test.each([90, 180, 270])('upright on a page that is displayed turned by %i degrees, and cropped', async (angle) => {
  const source = await pages(`rotated-${angle}`, (document) => {
    const page = document.addPage([400, 400])
    page.setRotation(degrees(angle))
    page.setCropBox(100, 100, 200, 200)
  })
  const { at } = await stamped(`rotated-${angle}`, source, { position: 'tl', width: 50, margin: 10 })
  expect([at(1, 15, 15), at(1, 105, 15), at(1, 15, 45)]).toEqual([RED, BLUE, WHITE])
})

test('smaller on a page on which it does not fit, with a warning', async () => {
  const source = await pages('small', (document) => void document.addPage([300, 60]))
  const { at, warnings } = await stamped('small', source, { width: 100, position: 'c' })
  expect(warnings).toEqual(['The image does not fit on page 1 with its margin, and is smaller there'])
  expect([at(1, 5, 30), at(1, 145, 20)]).toEqual([WHITE, RED])
})
