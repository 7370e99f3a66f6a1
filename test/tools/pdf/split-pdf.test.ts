import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import splitPdf from '../../../tools/pdf/pages/split-pdf.ts'
import { badPdfs, writePdf } from '../../helpers/bad-pdf.ts'
import { complaints, makePdf, pageTexts } from '../../helpers/pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const source = async () => writePdf(folder, 'five.pdf', await makePdf({ texts: ['1', '2', '3', '4', '5'] }))

describe('range: one PDF', () => {
  test.each([
    ['2', ['2']],
    ['1-3,5', ['1', '2', '3', '5']],
    ['5-3', ['5', '4', '3']],
    ['z,r2,1,1', ['5', '4', '1', '1']],
    ['Z-R3', ['5', '4', '3']],
  ])('%s', async (range, expected) => {
    const { paths, names, set } = await run(splitPdf, folder, [await source()], { range })
    expect([names, set]).toEqual([['five_pages.pdf'], undefined])
    const bytes = readFileSync(paths[0]!)
    expect(await pageTexts(bytes)).toEqual(expected)
    expect(await complaints(bytes)).toEqual([])
  })

  test.each([
    [{}, 'INVALID_SETTINGS'],
    [{ range: '' }, 'INVALID_SETTINGS'],
    [{ range: '1 - 2' }, 'INVALID_SETTINGS'],
    [{ range: '1,,2' }, 'INVALID_SETTINGS'],
    [{ range: '1,'.repeat(101) }, 'INVALID_SETTINGS'],
    [{ range: '6' }, 'TARGET_UNREACHABLE'],
    [{ range: '0' }, 'INVALID_SETTINGS'],
    [{ range: '1-99999999999' }, 'TARGET_UNREACHABLE'],
  ])('refused: %j', async (settings, code) => {
    await expect(run(splitPdf, folder, [await source()], settings)).rejects.toMatchObject({ code })
  })
})

describe('every: a set of parts', () => {
  test.each([
    [1, [['1'], ['2'], ['3'], ['4'], ['5']]],
    [2, [['1', '2'], ['3', '4'], ['5']]],
    [5, [['1', '2', '3', '4', '5']]],
    [500, [['1', '2', '3', '4', '5']]],
  ])('%d pages each', async (everyN, expected) => {
    const { paths, names, set } = await run(splitPdf, folder, [await source()], { mode: 'every', everyN })
    expect(set).toBe('five_parts')
    expect(names).toEqual(expected.map((_, index) => `part-${index + 1}.pdf`))
    expect(await Promise.all(paths.map((path) => pageTexts(readFileSync(path))))).toEqual(expected)
  })

  test.each([{}, { everyN: 0 }, { everyN: 501 }, { everyN: 1.5 }])('refused: %j', async (settings) => {
    await expect(run(splitPdf, folder, [await source()], { mode: 'every', ...settings })).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
    })
  })
})

test('the set of a document with a very long name has room for .zip', async () => {
  const path = writePdf(folder, `${'日'.repeat(83)}.pdf`, await makePdf())
  const { set } = await run(splitPdf, folder, [path], { mode: 'every', everyN: 1 })
  expect(set).toBe(`${'日'.repeat(81)}_parts`)
  expect(Buffer.byteLength(`${set}.zip`)).toBeLessThanOrEqual(255)
})

test('invalid input is refused with its code', async () => {
  for (const { path, code } of await badPdfs(folder))
    await expect(run(splitPdf, folder, [path], { range: '1' }), path).rejects.toMatchObject({ code })
})

test.each([2, 3, 5])('part %d cannot be written: the job fails, and leaves nothing', async (number) => {
  const own = mkdtempSync(join(folder, 'full-'))
  const onOutput = (name: string): void => {
    const [staging] = readdirSync(own, { recursive: true, encoding: 'utf8' }).filter((path) => /\/\.\S+$/.test(path))
    if (name === `part-${number}.pdf`) mkdirSync(join(own, staging!, name))
  }
  const failure = run(splitPdf, own, [await source()], { mode: 'every', everyN: 1 }, { onOutput })
  await expect(failure).rejects.toMatchObject({ code: 'IS_A_FOLDER' })
  const [results] = readdirSync(own)
  expect(readdirSync(join(own, results!))).toEqual([])
})
