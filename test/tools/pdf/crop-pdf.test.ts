import { readFileSync } from 'node:fs'
import { degrees, PDFDocument, PDFName } from 'pdf-lib'
import { expect, test } from 'vitest'
import cropPdf from '../../../tools/pdf/pages/crop-pdf.ts'
import { writePdf } from '../../helpers/bad-pdf.ts'
import { complaints, makePdf, pageTexts } from '../../helpers/pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

async function cropped(source: Uint8Array, margin: number) {
  const { paths, names } = await run(cropPdf, folder, [writePdf(folder, 'page.pdf', source)], { margin })
  expect(names).toEqual(['page_cropped.pdf'])
  const bytes = readFileSync(paths[0]!)
  expect(await complaints(bytes)).toEqual([])
  return { bytes, pages: (await PDFDocument.load(bytes)).getPages() }
}

test('crops the visible box, also on rotated and cropped pages; keeps the text in the file', async () => {
  const source = await makePdf({
    pages: 3,
    rotations: [0, 90, 0],
    cropBoxes: [
      [0, 0, 200, 300],
      [0, 0, 200, 300],
      [10, 20, 150, 900],
    ],
  })
  const { bytes, pages } = await cropped(source, 30)
  expect(pages.map((page) => page.getCropBox())).toEqual([
    { x: 30, y: 30, width: 140, height: 240 },
    { x: 30, y: 30, width: 140, height: 240 },
    // Outside the media box nothing is shown.
    { x: 40, y: 50, width: 80, height: 220 },
  ])
  expect(pages.map((page) => page.getMediaBox().width)).toEqual([200, 200, 200])
  expect(pages.map((page) => page.getRotation())).toEqual([degrees(0), degrees(90), degrees(0)])
  expect(await pageTexts(bytes)).toHaveLength(3)
})

test('the margin is in points as displayed', async () => {
  const source = await PDFDocument.load(await makePdf())
  source.getPage(0).node.set(PDFName.of('UserUnit'), source.context.obj(2))
  const { pages } = await cropped(await source.save(), 30)
  expect(pages[0]!.getCropBox()).toEqual({ x: 15, y: 15, width: 170, height: 270 })
})

test('no margin keeps the pages', async () => {
  const { pages } = await cropped(await makePdf({ cropBoxes: [[10, 20, 150, 250]] }), 0)
  expect(pages[0]!.getCropBox()).toEqual({ x: 10, y: 20, width: 140, height: 230 })
})

test('refuses a margin that leaves nothing of a page', async () => {
  const path = writePdf(
    folder,
    'small.pdf',
    await makePdf({
      pages: 2,
      sizes: [
        [200, 300],
        [80, 300],
      ],
    }),
  )
  await expect(run(cropPdf, folder, [path], { margin: 40 })).rejects.toMatchObject({
    code: 'TARGET_UNREACHABLE',
    message: 'A margin of 40 points leaves nothing of page 2, which is 80 x 300 points',
  })
})
