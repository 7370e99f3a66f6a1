import { readFileSync } from 'node:fs'
import { PDFDocument } from 'pdf-lib'
import { expect, test } from 'vitest'
import multiToolPdf from '../../../tools/pdf/pages/multi-tool-pdf.ts'
import { writePdf } from '../../helpers/bad-pdf.ts'
import { complaints, makePdf, pageTexts } from '../../helpers/pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const inputs = async () => [
  writePdf(folder, 'a.pdf', await makePdf({ texts: ['a1', 'a2'], title: 'A', outline: [{ title: 'x', page: 1 }] })),
  writePdf(folder, 'b.pdf', await makePdf({ texts: ['b1', 'b2', 'b3'], rotations: [90] })),
]

test('pages in the order of the plan, each copy rotated separately', async () => {
  const items = [
    { doc: 1, page: 3 },
    { doc: 0, page: 1, rot: 90 },
    { doc: 0, page: 1 },
    { doc: 1, page: 1, rot: 270 },
  ]
  const { paths, names } = await run(multiToolPdf, folder, await inputs(), { items, pageCounts: [2, 3] })
  expect(names).toEqual(['a_multi-tool.pdf'])
  const bytes = readFileSync(paths[0]!)
  expect(await pageTexts(bytes)).toEqual(['b3', 'a1', 'a1', 'b1'])
  expect(await complaints(bytes)).toEqual([])
  const document = await PDFDocument.load(bytes, { updateMetadata: false })
  expect(document.getPages().map((page) => page.getRotation().angle)).toEqual([90, 90, 0, 0])
  expect(document.getTitle()).toBeUndefined()
})

test.each([
  [{ items: [{ doc: 0, page: 3 }], pageCounts: [2, 3] }, 'INVALID_SETTINGS'],
  [{ items: [{ doc: 2, page: 1 }], pageCounts: [2, 3] }, 'INVALID_SETTINGS'],
  [{ items: [{ doc: 0, page: 1 }], pageCounts: [2] }, 'INVALID_SETTINGS'],
  [{ items: [{ doc: 0, page: 1, rot: 45 }], pageCounts: [2, 3] }, 'INVALID_SETTINGS'],
  [{ items: [], pageCounts: [2, 3] }, 'INVALID_SETTINGS'],
  [{ items: [{ doc: 0, page: 1 }], pageCounts: [5, 3] }, 'TARGET_UNREACHABLE'],
])('refused: %j', async (settings, code) => {
  await expect(run(multiToolPdf, folder, await inputs(), settings)).rejects.toMatchObject({ code })
})
