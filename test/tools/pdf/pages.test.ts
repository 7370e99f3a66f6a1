/** extract-pages, remove-pages and organize-pdf, which are one operation with three names. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { runQpdf } from '../../../src/engines/qpdf.ts'
import type { Tool } from '../../../src/tool/contract.ts'
import extractPages from '../../../tools/pdf/pages/extract-pages.ts'
import organizePdf from '../../../tools/pdf/pages/organize-pdf.ts'
import removePages from '../../../tools/pdf/pages/remove-pages.ts'
import { writePdf } from '../../helpers/bad-pdf.ts'
import { complaints, makePdf, pageTexts } from '../../helpers/pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const source = async () =>
  writePdf(folder, 'six.pdf', await makePdf({ texts: ['1', '2', '3', '4', '5', '6'], title: 'Six' }))

const ROWS: Array<[Tool, string, Record<string, unknown>, string[]]> = [
  [extractPages, 'six_extracted.pdf', { range: '2-3,Z' }, ['2', '3', '6']],
  [extractPages, 'six_extracted.pdf', { range: 'z-4,1,1' }, ['6', '5', '4', '1', '1']],
  [extractPages, 'six_extracted.pdf', { range: 'r2,R6' }, ['5', '1']],
  [organizePdf, 'six_organized.pdf', { order: '3,1,2,5-z' }, ['3', '1', '2', '5', '6']],
  [removePages, 'six_removed.pdf', { pages: '5-3,4,z' }, ['1', '2']],
]

test.each(ROWS)('$0.id: $2', async (tool, name, settings, expected) => {
  const { paths, names, warnings } = await run(tool, folder, [await source()], settings)
  expect(names).toEqual([name])
  expect(warnings).toEqual([])
  const bytes = readFileSync(paths[0]!)
  expect(await pageTexts(bytes)).toEqual(expected)
  expect(await complaints(bytes)).toEqual([])
  // The text of removed pages is nowhere in the file.
  const plain = await runQpdf(['--qdf', '--object-streams=disable', 'a.pdf', 'b.pdf'], { 'a.pdf': bytes })
  const content = Buffer.from(plain.files.get('b.pdf')!).toString('latin1')
  for (const text of ['1', '2', '3', '4', '5', '6'])
    expect(content.includes(`(${text}) Tj`), text).toBe(expected.includes(text))
})

describe('refused', () => {
  test.each([
    [extractPages, { range: '7' }, 'TARGET_UNREACHABLE'],
    [extractPages, { range: '1-' }, 'INVALID_SETTINGS'],
    [extractPages, { range: '' }, 'INVALID_SETTINGS'],
    [extractPages, {}, 'INVALID_SETTINGS'],
    [organizePdf, { order: '1,,2' }, 'INVALID_SETTINGS'],
    [organizePdf, { order: '5-9' }, 'TARGET_UNREACHABLE'],
    [removePages, { pages: '1-z' }, 'TARGET_UNREACHABLE'],
    [removePages, { pages: '0' }, 'INVALID_SETTINGS'],
    [removePages, { pages: '8' }, 'TARGET_UNREACHABLE'],
  ] as const)('$0.id: $1', async (tool, settings, code) => {
    await expect(run(tool, folder, [await source()], settings)).rejects.toMatchObject({ code })
  })
})
