import { readFileSync } from 'node:fs'
import { PDFDocument } from 'pdf-lib'
import { describe, expect, test } from 'vitest'
import { bookletSheets } from '../../../tools/pdf/pages/booklet-pdf/sheets.ts'
import bookletPdf from '../../../tools/pdf/pages/booklet-pdf.ts'
import { writePdf } from '../../helpers/bad-pdf.ts'
import { complaints, makePdf, pageTexts } from '../../helpers/pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

describe.each([2, 4, 6, 8] as const)('%i pages on each side', (perSheet) => {
  const pages = 4 * perSheet
  const sheets = bookletSheets(pages, perSheet)

  test('contains every page once, and the page behind an odd page is the next', () => {
    expect(sheets).toHaveLength(4)
    expect(sheets.flatMap(({ cells }) => cells.map(({ page }) => page)).sort((one, other) => one! - other!)).toEqual(
      Array.from({ length: pages }, (_, index) => index + 1),
    )
    for (let sheet = 0; sheet < sheets.length; sheet += 2)
      sheets[sheet]!.cells.forEach(({ page, turn }, index) => {
        // Turned over the left edge, the other column is behind it; upside down stays so.
        const behind = sheets[sheet + 1]!.cells[index % 2 === 0 ? index + 1 : index - 1]!
        expect(behind.page).toBe(page! % 2 === 1 ? page! + 1 : page! - 1)
        expect((Number(behind.turn) + Number(turn)) % 360).toBe(0)
      })
  })
})

test('the order of two and four is the documented one', () => {
  const order = (pages: number, perSheet: 2 | 4) =>
    bookletSheets(pages, perSheet).map(({ cells }) => cells.map(({ page }) => page))
  expect(order(8, 2)).toEqual([
    [8, 1],
    [2, 7],
    [6, 3],
    [4, 5],
  ])
  expect(order(8, 4)).toEqual([
    [8, 1, 3, 6],
    [2, 7, 5, 4],
  ])
})

test('pages are large on A4, missing ones are blank', async () => {
  const source = writePdf(folder, 'five.pdf', await makePdf({ pages: 5, rotations: [0, 90, 0, 0, 0] }))
  const { paths, names } = await run(bookletPdf, folder, [source])
  expect(names).toEqual(['five_booklet.pdf'])
  const bytes = readFileSync(paths[0]!)
  expect(await complaints(bytes)).toEqual([])
  const sizes = (await PDFDocument.load(bytes)).getPages().map((page) => page.getSize())
  expect(sizes).toEqual(Array.from({ length: 4 }, () => ({ width: 841.89, height: 595.28 })))
  const texts = (await pageTexts(bytes)).map((text) => text.split(/\s*\n\s*/).sort())
  expect(texts).toEqual([['Page 1'], ['Page 2'], ['Page 3'], ['Page 4', 'Page 5']])
})
