import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openPdf } from '../../../src/media/pdf/document.ts'
import { renderPage } from '../../../src/media/pdf/page/render.ts'
import pdfPageNumbers from '../../../tools/pdf/content/pdf-page-numbers.ts'
import { writePdf } from '../../helpers/bad-pdf.ts'
import { complaints, makePdf, pageTexts } from '../../helpers/pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

test.each([
  ['bl', 'left', 'bottom'],
  ['bc', 'centre', 'bottom'],
  ['tr', 'right', 'top'],
])('%s: every page has its number in black, 18 points from the edge as displayed', async (position, across, down) => {
  const source = await makePdf({
    texts: [' ', ' '],
    rotations: [0, 90],
    sizes: [
      [300, 400],
      [400, 300],
    ],
  })
  const { paths, names } = await run(pdfPageNumbers, folder, [writePdf(folder, 'two.pdf', source)], {
    position,
    fontSize: 12,
  })
  expect(names).toEqual(['two_numbered.pdf'])
  const bytes = readFileSync(paths[0]!)
  expect(await pageTexts(bytes)).toEqual(['Page 1 of 2', 'Page 2 of 2'])
  expect(await complaints(bytes)).toEqual([])
  const document = await openPdf(bytes)
  for (const page of [1, 2]) {
    const { width, height, data } = await renderPage(document, page, { dpi: 72 })
    const dark = Array.from({ length: width * height }, (_, at) => at).filter((at) => data[at * 3]! < 128)
    const xs = dark.map((at) => at % width)
    const ys = dark.map((at) => Math.floor(at / width))
    const near = (value: number, expected: number) => expect(Math.abs(value - expected)).toBeLessThan(4)
    if (across === 'left') near(Math.min(...xs), 18)
    else if (across === 'right') near(Math.max(...xs), width - 18)
    else near((Math.min(...xs) + Math.max(...xs)) / 2, width / 2)
    if (down === 'top') near(Math.min(...ys), 20)
    else near(Math.max(...ys), height - 20)
  }
  document.close()
})
