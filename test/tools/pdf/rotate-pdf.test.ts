import { readFileSync } from 'node:fs'
import { PDFDocument } from 'pdf-lib'
import { expect, test } from 'vitest'
import rotatePdf from '../../../tools/pdf/pages/rotate-pdf.ts'
import { badPdfs, writePdf } from '../../helpers/bad-pdf.ts'
import { complaints, makePdf, pageTexts } from '../../helpers/pdf.ts'
import { endlessPdf } from '../../helpers/slow-pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const source = async () => writePdf(folder, 'turned.pdf', await makePdf({ pages: 4, rotations: [0, 90, 180, 270] }))

test.each([
  [{}, [90, 180, 270, 0]],
  [{ angle: 180 }, [180, 270, 0, 90]],
  [{ angle: 270, range: '1' }, [270, 90, 180, 270]],
  [{ angle: '90', range: '2-3,z,2,Z' }, [0, 180, 270, 0]],
  [{ range: '3-1' }, [90, 180, 270, 270]],
])('%j', async (settings, expected) => {
  const { paths, names } = await run(rotatePdf, folder, [await source()], settings)
  expect(names).toEqual(['turned_rotated.pdf'])
  const bytes = readFileSync(paths[0]!)
  expect((await PDFDocument.load(bytes)).getPages().map((page) => page.getRotation().angle)).toEqual(expected)
  expect(await pageTexts(bytes)).toEqual(['Page 1', 'Page 2', 'Page 3', 'Page 4'])
  expect(await complaints(bytes)).toEqual([])
})

test.each([
  [{ angle: 45 }, 'INVALID_SETTINGS'],
  [{ angle: 0 }, 'INVALID_SETTINGS'],
  [{ range: 'a' }, 'INVALID_SETTINGS'],
  [{ range: '5' }, 'TARGET_UNREACHABLE'],
])('refused: %j', async (settings, code) => {
  await expect(run(rotatePdf, folder, [await source()], settings)).rejects.toMatchObject({ code })
})

test('invalid input is refused with its code', async () => {
  for (const { path, code } of await badPdfs(folder))
    await expect(run(rotatePdf, folder, [path]), path).rejects.toMatchObject({ code })
})

test('a page whose drawings repeat each other millions of times is turned at once', async () => {
  const endless = await writePdf(folder, 'endless.pdf', endlessPdf())
  const { paths } = await run(rotatePdf, folder, [endless], { angle: 90 })
  expect((await PDFDocument.load(readFileSync(paths[0]!))).getPage(0).getRotation().angle).toBe(90)
}, 20_000)
