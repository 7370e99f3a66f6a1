import { readFileSync } from 'node:fs'
import { PDFDocument } from 'pdf-lib'
import { expect, test } from 'vitest'
import mergePdf from '../../../tools/pdf/pages/merge-pdf.ts'
import { badPdfs, writePdf } from '../../helpers/bad-pdf.ts'
import { complaints, makePdf, pageTexts } from '../../helpers/pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

test('all pages in the given order, with boxes and rotations', async () => {
  const first = writePdf(
    folder,
    'a.pdf',
    await makePdf({
      texts: ['A1', 'A2'],
      sizes: [
        [200, 300],
        [400, 100],
      ],
    }),
  )
  const second = writePdf(
    folder,
    'b.pdf',
    await makePdf({ texts: ['B1'], rotations: [90], cropBoxes: [[10, 20, 110, 300]] }),
  )
  const { paths, names } = await run(mergePdf, folder, [second, first, second])
  expect(names).toEqual(['merged.pdf'])
  const bytes = readFileSync(paths[0]!)
  expect(await pageTexts(bytes)).toEqual(['B1', 'A1', 'A2', 'B1'])
  expect(await complaints(bytes)).toEqual([])
  const pages = (await PDFDocument.load(bytes)).getPages()
  expect(pages.map((page) => page.getRotation().angle)).toEqual([90, 0, 0, 90])
  expect(pages[0]!.getCropBox()).toEqual({ x: 10, y: 20, width: 100, height: 280 })
  expect(pages[2]!.getSize()).toEqual({ width: 400, height: 100 })
})

test('2 to 20 files', async () => {
  const one = writePdf(folder, 'one.pdf', await makePdf())
  const { paths } = await run(mergePdf, folder, Array(20).fill(one))
  expect(await pageTexts(readFileSync(paths[0]!))).toHaveLength(20)
  await expect(run(mergePdf, folder, [one])).rejects.toMatchObject({ code: 'TOO_FEW_FILES' })
  await expect(run(mergePdf, folder, Array(21).fill(one))).rejects.toMatchObject({ code: 'TOO_MANY_FILES' })
})

test('one invalid file refuses all, by its name', async () => {
  const one = writePdf(folder, 'one.pdf', await makePdf())
  for (const { path, code } of await badPdfs(folder))
    await expect(run(mergePdf, folder, [one, path]), path).rejects.toMatchObject({
      code,
      message: expect.stringContaining(path.split('/').at(-1)!),
    })
})
