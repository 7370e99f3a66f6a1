import { readFileSync, statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { openPdf } from '../../../src/media/pdf/document.ts'
import compressPdf from '../../../tools/pdf/compress-pdf.ts'
import { badPdfs, writePdf } from '../../helpers/bad-pdf.ts'
import { complaints, makeEncryptedPdf, makePdf, pageTexts } from '../../helpers/pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
let made: Promise<string> | undefined
/** About 1 MB: two pages, each with noise that only a lossy encoder makes smaller. */
const source = () => {
  made ??= makePdf({ pages: 2, images: [400, 400] }).then((bytes) => writePdf(folder, 'heavy.pdf', bytes))
  return made
}

async function compress(settings: Record<string, unknown>) {
  const { paths, names, report } = await run(compressPdf, folder, [await source()], settings)
  expect(names).toEqual(['heavy_compressed.pdf'])
  const bytes = readFileSync(paths[0]!)
  expect(await pageTexts(bytes)).toEqual(['Page 1', 'Page 2'])
  expect(await complaints(bytes)).toEqual([])
  return { size: bytes.length, report }
}

describe('by quality', () => {
  test('less is smaller, and 75 is the default', async () => {
    const original = statSync(await source()).size
    const sizes = []
    for (const quality of [100, 75, 40, 1]) sizes.push((await compress({ quality })).size)
    expect(sizes[0]).toBeLessThan(original)
    expect([...sizes].sort((one, other) => other - one)).toEqual(sizes)
    expect(sizes[3]).toBeLessThan(original / 20)
    const { size, report } = await compress({})
    expect(size).toBe(sizes[1])
    expect(report).toEqual({})
  })

  test('names of old', async () => {
    expect((await compress({ preset: 'screen' })).size).toBe((await compress({ quality: 25 })).size)
  })
})

describe('by size', () => {
  test('at most so many kB, and not much less', async () => {
    const { size, report } = await compress({ mode: 'targetSize', targetSizeKb: 150 })
    expect(size).toBeLessThanOrEqual(150_000)
    expect(size).toBeGreaterThan(90_000)
    expect(report).toEqual({ targetKb: 150, targetMet: true })
  })

  test('a size that cannot be reached is no error', async () => {
    const { size, report } = await compress({ mode: 'targetSize', targetSizeKb: 0.5 })
    expect(report).toEqual({ targetKb: 0.5, targetMet: false })
    expect(size).toBeLessThan(30_000)
  })

  test('a size that it has already', async () => {
    const { size, report } = await compress({ mode: 'targetSize', targetSizeKb: 5000 })
    expect(report).toMatchObject({ targetKb: 5000, targetMet: true })
    expect(size).toBeLessThanOrEqual(statSync(await source()).size)
  })
})

test('a document that cannot be made smaller comes back as it is', async () => {
  const { paths: once } = await run(compressPdf, folder, [writePdf(folder, 'small.pdf', await makePdf())])
  const small = writePdf(folder, 'least.pdf', readFileSync(once[0]!))
  const { paths, report } = await run(compressPdf, folder, [small], { quality: 100 })
  expect(report).toEqual({ kept: true })
  expect(readFileSync(paths[0]!)).toEqual(readFileSync(small))
})

test('a person is told when form fields are lost, and only then', async () => {
  const formField = { name: 'town', value: 'Ulm' }
  const heavy = writePdf(folder, 'form.pdf', await makePdf({ images: [300, 300], formField }))
  const { warnings, paths } = await run(compressPdf, folder, [heavy], { quality: 20 })
  expect(warnings).toEqual([expect.stringContaining('Form fields became plain print')])
  expect(await pageTexts(readFileSync(paths[0]!))).toEqual([expect.stringContaining('Ulm')])
  expect((await run(compressPdf, folder, [await source()], { quality: 20 })).warnings).toEqual([])
})

test('restrictions of the owner are not lost', async () => {
  const bytes = await makeEncryptedPdf('', 'owner', { images: [300, 300] })
  const { paths } = await run(compressPdf, folder, [writePdf(folder, 'owned.pdf', bytes)], { quality: 20 })
  const result = readFileSync(paths[0]!)
  expect(result.length).toBeLessThan(bytes.length / 5)
  const document = await openPdf(result)
  expect(document.isEncrypted).toBe(true)
  document.close()
  expect(await pageTexts(result)).toEqual(['Page 1'])
})

test.each([
  { mode: 'targetSize' },
  { mode: 'targetSize', targetSizeKb: 0 },
  { quality: 0 },
  { quality: 101 },
  { mode: 'x' },
])('refused: %j', async (settings) => {
  await expect(run(compressPdf, folder, [await source()], settings)).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
})

test('bad input is refused with its code', async () => {
  for (const { path, code } of await badPdfs(folder))
    await expect(run(compressPdf, folder, [path]), path).rejects.toMatchObject({ code })
})
