import { mkdtempSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { runJob } from '../../../src/job/run.ts'
import { openMediaFile } from '../../../src/media/file.ts'
import { runnable } from '../../../src/pipeline/run/run-alone.ts'
import pdfToImage from '../../../tools/pdf/convert/pdf-to-image.ts'
import { badPdfs, writePdf } from '../../helpers/bad-pdf.ts'
import { makePdf } from '../../helpers/pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const source = async (pages = 3) =>
  writePdf(
    folder,
    'pages.pdf',
    await makePdf({
      pages,
      sizes: [
        [200, 300],
        [300, 200],
      ],
      rotations: [0, 0, 90],
    }),
  )

test('every page at 150 dpi as PNG, one set and a report', async () => {
  const { paths, names, set, report } = await run(pdfToImage, folder, [await source()])
  expect([names, set]).toEqual([['page-1.png', 'page-2.png', 'page-3.png'], 'pages_pages'])
  const sizes = await Promise.all(paths.map(async (path) => sharp(path).metadata()))
  expect(sizes.map(({ width, height, format, density }) => [width, height, format, density])).toEqual([
    [417, 625, 'png', 150],
    [625, 417, 'png', 150],
    [625, 417, 'png', 150],
  ])
  expect(report).toMatchObject({ pageCount: 3, selectedPages: [1, 2, 3], format: 'png' })
  expect((report.pages as { page: number; size: number }[])[2]).toEqual({ page: 3, size: expect.any(Number) })
})

describe('formats', () => {
  test.each([
    ['png', 'png'],
    ['jpg', 'jpeg'],
    ['jpeg', 'jpeg'],
    ['webp', 'webp'],
    ['avif', 'heif'],
    ['tiff', 'tiff'],
    ['gif', 'gif'],
  ])('%s', async (format, expected) => {
    const settings = { format, dpi: 72.5, quality: 80.5, pages: '1' }
    const { paths, names, set } = await run(pdfToImage, folder, [await source()], settings)
    expect([names, set]).toEqual([[`pages_page-1.${format === 'jpeg' ? 'jpg' : format}`], undefined])
    expect(await sharp(paths[0]!).metadata()).toMatchObject({ format: expected, width: 202, height: 303 })
    // White paper, with the dark words near the top.
    const { channels } = await sharp(paths[0]!).stats()
    expect(channels[0]!.max).toBeGreaterThan(250)
    expect(channels[0]!.min).toBeLessThan(120)
  })
})

test('quality has an effect', async () => {
  const sizes = []
  for (const quality of [10, 95]) {
    const { report } = await run(pdfToImage, folder, [await source()], { format: 'jpg', pages: '1', quality })
    sizes.push((report.pages as { size: number }[])[0]!.size)
  }
  expect(sizes[0]).toBeLessThan(sizes[1]!)
})

test('grey and black and white', async () => {
  const greys = async (colorMode: string) => {
    const { paths } = await run(pdfToImage, folder, [await source()], { colorMode, pages: '1' })
    const data = await sharp(paths[0]!).raw().toBuffer()
    const { channels } = await sharp(paths[0]!).metadata()
    return { values: new Set(data), channels }
  }
  const grey = await greys('grayscale')
  expect(grey.values.size).toBeGreaterThan(10)
  expect(grey.channels).toBe(1)
  expect((await greys('bw')).values).toEqual(new Set([0, 255]))
})

describe('pages', () => {
  test.each([
    ['', [1, 2, 3]],
    ['ALL', [1, 2, 3]],
    ['3, 1 - 2,1', [1, 2, 3]],
    ['2-z', [2, 3]],
    ['r1', [3]],
  ])('%j', async (pages, expected) => {
    const { report } = await run(pdfToImage, folder, [await source()], { pages, dpi: 36 })
    expect(report.selectedPages).toEqual(expected)
  })

  test.each([
    { pages: '0' },
    { pages: '2-1' },
    { pages: '1,,2' },
    { pages: '1.5' },
    { dpi: 35 },
    { dpi: 2401 },
    { quality: 0 },
    { format: 'bmp' },
  ])('refused: %j', async (settings) => {
    await expect(run(pdfToImage, folder, [await source()], settings)).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
    })
  })

  test('a missing page', async () => {
    await expect(run(pdfToImage, folder, [await source()], { pages: '4' })).rejects.toMatchObject({
      ...{ code: 'TARGET_UNREACHABLE', status: 400, exit: 1 },
    })
  })
})

test('refuses more than 100 megapixels before drawing', async () => {
  const large = writePdf(folder, 'a3.pdf', await makePdf({ sizes: [[842, 1191]] }))
  await expect(run(pdfToImage, folder, [large], { dpi: 2400 })).rejects.toMatchObject({
    code: 'LIMIT_EXCEEDED',
    message: expect.stringContaining('the limit is 100 megapixels'),
  })
})

test('skips bytes before the header', async () => {
  const late = writePdf(folder, 'late.pdf', Buffer.concat([Buffer.alloc(500, '\n'), await makePdf()]))
  expect((await run(pdfToImage, folder, [late], { dpi: 36 })).names).toEqual(['late_page-1.png'])
})

describe('actions', () => {
  test('info: pages and their sizes in points, as displayed', async () => {
    const { report, paths } = await run(pdfToImage, folder, [await source()], {}, { action: 'info' })
    expect(paths).toEqual([])
    expect(report).toEqual({
      pageCount: 3,
      pages: [
        { page: 1, width: 200, height: 300 },
        { page: 2, width: 300, height: 200 },
        { page: 3, width: 300, height: 200 },
      ],
    })
  })

  test('preview: at most 300 px wide, never enlarged; one page on request', async () => {
    const wide = writePdf(
      folder,
      'wide.pdf',
      await makePdf({
        pages: 2,
        sizes: [
          [600, 400],
          [100, 50],
        ],
      }),
    )
    const { report } = await run(pdfToImage, folder, [wide], {}, { action: 'preview' })
    const thumbnails = report.thumbnails as { page: number; dataUrl: string; width: number; height: number }[]
    expect(thumbnails.map(({ page, width, height }) => [page, width, height])).toEqual([
      [1, 300, 200],
      [2, 100, 50],
    ])
    const [head, data] = thumbnails[0]!.dataUrl.split(',')
    expect(head).toBe('data:image/jpeg;base64')
    expect(await sharp(Buffer.from(data!, 'base64')).metadata()).toMatchObject({ format: 'jpeg', width: 300 })
    const one = await run(pdfToImage, folder, [wide], { page: 2 }, { action: 'preview' })
    expect(one.report).toMatchObject({ pageCount: 2, thumbnails: [{ page: 2 }] })
    const large = await run(pdfToImage, folder, [wide], { pages: '1', width: 1200 }, { action: 'preview' })
    expect(large.report).toMatchObject({ pageCount: 2, thumbnails: [{ page: 1, width: 1200, height: 800 }] })
    // A tiny page is rendered at 300 dpi at most.
    const tiny = await run(pdfToImage, folder, [wide], { pages: '2', width: 1200 }, { action: 'preview' })
    expect(tiny.report).toMatchObject({ thumbnails: [{ page: 2, width: 417, height: 209 }] })
    await expect(run(pdfToImage, folder, [wide], { page: 3 }, { action: 'preview' })).rejects.toMatchObject({
      code: 'TARGET_UNREACHABLE',
    })
  })
})

test('an abort and the time limit leave nothing', async () => {
  const input = await openMediaFile(await source(60))
  const settings = { format: 'png', dpi: 300, quality: 85, colorMode: 'color', pages: 'all' }
  const stop = new AbortController()
  for (const [options, code] of [
    [{ signal: stop.signal, onProgress: () => stop.abort() }, 'CANCELED'],
    [{ timeoutS: 0.3 }, 'TIMEOUT'],
  ] as const) {
    const destination = mkdtempSync(join(folder, 'stopped-'))
    const job = runJob(
      { tool: runnable(pdfToImage), inputs: [input], settings, destination, ...options },
      async () => 'done',
    )
    await expect(job).rejects.toMatchObject({ code })
    expect(readdirSync(destination)).toEqual([])
  }
})

test('invalid input is refused with its code', async () => {
  for (const { path, code } of await badPdfs(folder))
    for (const action of [undefined, 'info', 'preview'])
      await expect(run(pdfToImage, folder, [path], {}, action ? { action } : {}), path).rejects.toMatchObject({ code })
})
