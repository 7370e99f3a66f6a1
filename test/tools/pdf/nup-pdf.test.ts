import { readFileSync } from 'node:fs'
import { PDFDict, PDFDocument, PDFName } from 'pdf-lib'
import { expect, test } from 'vitest'
import { loadMupdf } from '../../../src/engines/mupdf.ts'
import { openPdf } from '../../../src/media/pdf/document.ts'
import { renderPage } from '../../../src/media/pdf/page/render.ts'
import nupPdf from '../../../tools/pdf/pages/nup-pdf.ts'
import { writePdf } from '../../helpers/bad-pdf.ts'
import { complaints, makePdf, pageTexts } from '../../helpers/pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

async function nup(source: Uint8Array, perSheet: number): Promise<Buffer> {
  const { paths, names } = await run(nupPdf, folder, [writePdf(folder, 'doc.pdf', source)], { perSheet })
  expect(names).toEqual(['doc_nup.pdf'])
  const bytes = readFileSync(paths[0]!)
  expect(await complaints(bytes)).toEqual([])
  return bytes
}

test.each([
  [2, [200, 300], [1, 2]],
  [3, [200, 300], [1, 3]],
  [4, [200, 300], [2, 2]],
  [8, [200, 300], [2, 4]],
  [8, [300, 200], [4, 2]],
  [9, [200, 300], [3, 3]],
  [12, [200, 300], [3, 4]],
  [16, [200, 300], [4, 4]],
] as const)(
  '%i on a sheet of %j stand in %j columns and rows, left to right, then down',
  async (perSheet, size, grid) => {
    const pages = perSheet + 1
    const bytes = await nup(await makePdf({ pages, sizes: [[...size]] }), perSheet)
    const sheets = (await PDFDocument.load(bytes)).getPages()
    expect(sheets.map((sheet) => sheet.getSize())).toEqual([0, 1].map(() => ({ width: size[0], height: size[1] })))
    const mupdf = await loadMupdf()
    const pdf = new mupdf.PDFDocument(bytes)
    const [columns, rows] = grid
    const found = Array.from({ length: perSheet }, (_, index) => {
      const [quad] = pdf.loadPage(0).search(`Page ${index + 1}`, '')[0]!
      return [Math.floor(quad![0] / (size[0] / columns)), Math.floor(quad![1] / (size[1] / rows))]
    })
    pdf.destroy()
    expect(found).toEqual(
      Array.from({ length: perSheet }, (_, index) => [index % columns, Math.floor(index / columns)]),
    )
    expect((await pageTexts(bytes))[1]).toBe(`Page ${pages}`)
  },
)

test('rotated, cropped and annotated pages are displayed unchanged in their cells', async () => {
  // The second page is shown as large as its cell allows, upright as displayed: its field is under its text.
  const bytes = await nup(
    await makePdf({
      pages: 2,
      sizes: [[300, 200]],
      rotations: [0, 90],
      cropBoxes: [
        [0, 0, 300, 200],
        [0, 50, 300, 200],
      ],
      formField: { name: 'who', value: 'Ada' },
    }),
    2,
  )
  expect((await pageTexts(bytes))[0]).toContain('Ada')
  const document = await openPdf(bytes)
  const { width, data } = await renderPage(document, 1, { dpi: 72 })
  document.close()
  const dark = Array.from({ length: data.length / 3 }, (_, at) => at).filter((at) => data[at * 3]! < 100)
  // No part of the second page is to the left of the middle, and its text runs down the page as before.
  const right = dark.filter((at) => at % width > 155 && at % width < 297)
  expect(right.length).toBeGreaterThan(20)
})

test('links and bookmarks point to the position on the sheet', async () => {
  const mupdf = await loadMupdf()
  const source = new mupdf.PDFDocument(
    await makePdf({
      pages: 4,
      outline: [
        { title: 'A', page: 1 },
        { title: 'D', page: 4 },
      ],
    }),
  )
  source
    .loadPage(0)
    .createLink([20, 40, 60, 50], source.formatLinkURI({ type: 'XYZ', chapter: 0, page: 2, x: 20, y: 30 } as never))
  const bytes = await nup(source.saveToBuffer('').asUint8Array().slice(), 2)
  source.destroy()
  const pdf = new mupdf.PDFDocument(bytes)
  const [link] = pdf.loadPage(0).getLinks()
  // Upright pages of 200 x 300 are rotated into cells of 200 x 150.
  const [left, top, right, bottom] = link!.getBounds()
  expect(right - left).toBeLessThan(bottom - top)
  expect(bottom).toBeLessThan(150)
  // The top of a page is on the right: rotated back to be read, the upper cell is the left one.
  expect(left).toBeGreaterThan(100)
  expect(pdf.resolveLink(link!.getURI())).toBe(1)
  expect(pdf.loadOutline()!.map(({ title, page }) => [title, page])).toEqual([
    ['A', 0],
    ['D', 1],
  ])
  pdf.destroy()
})

test('tagged pages stay tagged', async () => {
  const tagged = await PDFDocument.load(await makePdf({ pages: 2 }))
  const { context, catalog } = tagged
  const root = context.register(context.obj({}))
  const elements = tagged.getPages().map((page, index) => {
    page.node.set(PDFName.of('StructParents'), context.obj(index))
    return context.register(context.obj({ Type: 'StructElem', S: 'P', P: root, Pg: page.ref, K: 0 }))
  })
  const nums = elements.flatMap((element, index) => [context.obj(index), context.obj([element])])
  context.assign(root, context.obj({ Type: 'StructTreeRoot', K: elements, ParentTree: { Nums: nums } }))
  catalog.set(PDFName.of('StructTreeRoot'), root)
  const after = await PDFDocument.load(await nup(await tagged.save(), 2))
  const kids = after.catalog.lookup(PDFName.of('StructTreeRoot'), PDFDict).lookup(PDFName.of('K'))
  const marks = (kids as never as { asArray(): never[] }).asArray().map((kid) => {
    const list = after.context.lookup(kid, PDFDict).lookup(PDFName.of('K')) as never as { lookup(at: number): PDFDict }
    return list.lookup(0)
  })
  for (const mark of marks) {
    expect(mark.get(PDFName.of('Pg'))).toBe(after.getPage(0).ref)
    expect(mark.lookup(PDFName.of('Stm'))).toBeDefined()
  }
  expect(marks).toHaveLength(2)
})
