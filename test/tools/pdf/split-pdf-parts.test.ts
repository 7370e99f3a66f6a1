/** split-pdf by bookmarks, size and blank pages; merge-pdf with a bookmark for each file. */
import { readFileSync, statSync } from 'node:fs'
import { PDFDocument, PDFName, type PDFRef } from 'pdf-lib'
import { describe, expect, test, vi } from 'vitest'
import { openPdf } from '../../../src/media/pdf/document.ts'
import { PdfHandle } from '../../../src/media/pdf/handle.ts'
import { ObjectImporter } from '../../../src/media/pdf/page/importer.ts'
import mergePdf from '../../../tools/pdf/pages/merge-pdf.ts'
import { partsOfSize } from '../../../tools/pdf/pages/split-pdf/parts.ts'
import splitPdf from '../../../tools/pdf/pages/split-pdf.ts'
import { writePdf } from '../../helpers/bad-pdf.ts'
import { complaints, makePdf, pageTexts } from '../../helpers/pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const textsOf = (paths: readonly string[]) => Promise.all(paths.map((path) => pageTexts(readFileSync(path))))

/** Titles and pages (from 1) of the bookmarks of a file, with those below. */
async function bookmarksOf(path: string): Promise<unknown> {
  const document = await openPdf(readFileSync(path))
  const shown = (items: ReturnType<typeof document.pdf.loadOutline>): unknown[] =>
    (items ?? []).map(({ title, page, down }) => [title, (page ?? -1) + 1, ...(down ? [shown(down)] : [])])
  try {
    return shown(document.pdf.loadOutline())
  } finally {
    document.close()
  }
}

describe('by bookmarks', () => {
  const split = async (outline: { title: string; page: number }[], settings: Record<string, unknown> = {}) => {
    const path = writePdf(folder, 'book.pdf', await makePdf({ texts: ['1', '2', '3', '4', '5'], outline }))
    return run(splitPdf, folder, [path], { mode: 'bookmarks', ...settings })
  }

  test('a part for each, named by it, and the pages before', async () => {
    const { names, paths, set, warnings } = await split([
      { title: 'One: the / start', page: 2 },
      { title: 'Zwei', page: 4 },
    ])
    expect([names, set, warnings]).toEqual([['1 front.pdf', '2 One the start.pdf', '3 Zwei.pdf'], 'book_parts', []])
    expect(await textsOf(paths)).toEqual([['1'], ['2', '3'], ['4', '5']])
    for (const path of paths) expect(await complaints(readFileSync(path))).toEqual([])
  })

  test('in any order, with a second bookmark on a page, and hostile titles', async () => {
    const { names, paths, warnings } = await split([
      { title: '../../etc', page: 3 },
      { title: 'A', page: 1 },
      { title: 'B', page: 1 },
      { title: '...', page: 5 },
    ])
    expect(names).toEqual(['1 A.pdf', '2 .. etc.pdf', '3.pdf'])
    expect(await textsOf(paths)).toEqual([['1', '2'], ['3', '4'], ['5']])
    expect(warnings).toEqual([expect.stringContaining('1 of 4 bookmarks')])
  })

  test('by levels', async () => {
    const one = writePdf(folder, 'one.pdf', await makePdf({ texts: ['1', '2'], outline: [{ title: 'b', page: 2 }] }))
    const two = writePdf(folder, 'two.pdf', await makePdf({ texts: ['3', '4'], outline: [{ title: 'd', page: 2 }] }))
    const merged = await run(mergePdf, folder, [one, two], { bookmarks: 'files' })
    const settings = { mode: 'bookmarks' }
    const first = await run(splitPdf, folder, [merged.paths[0]!], settings)
    expect([first.names, await textsOf(first.paths)]).toEqual([
      ['1 one.pdf', '2 two.pdf'],
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ])
    const second = await run(splitPdf, folder, [merged.paths[0]!], { ...settings, bookmarkLevel: 2 })
    expect(second.names).toEqual(['1 one.pdf', '2 b.pdf', '3 two.pdf', '4 d.pdf'])
  })

  test.each([
    ['in a loop', 3, true],
    ['30,000 levels deep', 30_000, false],
  ])('%s are an error', async (_what, count, isLoop) => {
    const document = await PDFDocument.create()
    const { context } = document
    const page = document.addPage()
    const [root, ...refs] = Array.from({ length: count + 1 }, () => context.nextRef()) as [PDFRef, ...PDFRef[]]
    for (const [index, ref] of refs.entries()) {
      const below = refs[index + 1]
      const next = isLoop && !below ? { Next: refs[0]! } : {}
      const links = below ? { First: below, Last: below } : next
      context.assign(ref, context.obj({ Parent: refs[index - 1] ?? root, Dest: [page.ref, 'Fit'], ...links }))
    }
    context.assign(root, context.obj({ Type: 'Outlines', First: refs[0]!, Last: refs[0]! }))
    document.catalog.set(PDFName.of('Outlines'), root)
    const path = writePdf(folder, 'bad-bookmarks.pdf', await document.save({ useObjectStreams: false }))
    await expect(run(splitPdf, folder, [path], { mode: 'bookmarks' })).rejects.toMatchObject({ code: 'INVALID_FILE' })
  })

  test('a part copies its own bookmarks only', async () => {
    const copies = vi.spyOn(ObjectImporter.prototype, 'copyDictionary')
    await split(Array.from({ length: 5 }, (_, page) => ({ title: `Part ${page}`, page: page + 1 })))
    const bookmarks = copies.mock.calls.filter(([, skipped]) => skipped?.includes('First'))
    copies.mockRestore()
    expect(bookmarks).toHaveLength(5)
  })

  test('without any is an error', async () => {
    await expect(split([])).rejects.toMatchObject({ code: 'TARGET_UNREACHABLE' })
  })
})

describe('by size', () => {
  const pictures = async () => writePdf(folder, 'pictures.pdf', await makePdf({ pages: 7, images: [100, 100] }))

  test.each([0.1, 0.07, 1])('at most %d MB, and no page more would fit', async (maxMb) => {
    const path = await pictures()
    const { paths, warnings } = await run(splitPdf, folder, [path], { mode: 'size', maxMb })
    expect(warnings).toEqual([])
    const sizes = paths.map((part) => statSync(part).size)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(maxMb * 1e6)
    expect((await textsOf(paths)).flat()).toEqual(Array.from({ length: 7 }, (_, page) => `Page ${page + 1}`))
    const perPage = statSync(path).size / 7
    for (const size of sizes.slice(0, -1)) expect(size + 1.05 * perPage).toBeGreaterThan(maxMb * 1e6)
  })

  test('sizes are estimated: a document of equal pages is saved a few times for each part', async () => {
    const document = await openPdf(
      readFileSync(writePdf(folder, 'equal.pdf', await makePdf({ pages: 40, images: [60, 60] }))),
    )
    const saves = vi.spyOn(PdfHandle.prototype, 'save')
    const parts: unknown[] = []
    for await (const part of partsOfSize(document, 150_000, () => {})) parts.push(part)
    const count = saves.mock.calls.length
    saves.mockRestore()
    document.close()
    expect(parts.length).toBeGreaterThan(2)
    expect(count).toBeLessThanOrEqual(3 * parts.length)
  })

  test('a page that is larger is a part, with a warning', async () => {
    const { names, warnings } = await run(splitPdf, folder, [await pictures()], { mode: 'size', maxMb: 0.01 })
    expect(names).toHaveLength(7)
    expect(warnings).toHaveLength(7)
    expect(warnings[0]).toMatch(/^Page 1 alone has 0\.03 MB/)
  })
})

describe('by blank pages', () => {
  test('leaves them out, at the ends and in rows', async () => {
    const path = writePdf(folder, 'scan.pdf', await makePdf({ texts: ['', '1', '2', '', '', '3', ''] }))
    const { names, paths } = await run(splitPdf, folder, [path], { mode: 'blank' })
    expect(names).toEqual(['part-1.pdf', 'part-2.pdf'])
    expect(await textsOf(paths)).toEqual([['1', '2'], ['3']])
  })

  test('a picture or a small number is not blank', async () => {
    const path = writePdf(folder, 'pictures.pdf', await makePdf({ texts: ['', '.'], images: [20, 20] }))
    const { names, warnings } = await run(splitPdf, folder, [path], { mode: 'blank' })
    expect([names, warnings]).toEqual([['part-1.pdf'], [expect.stringContaining('No page is blank')]])
  })

  test('only blank pages are an error', async () => {
    const path = writePdf(folder, 'blank.pdf', await makePdf({ texts: ['', ''] }))
    await expect(run(splitPdf, folder, [path], { mode: 'blank' })).rejects.toMatchObject({ code: 'TARGET_UNREACHABLE' })
  })
})

test('merge-pdf with a bookmark for each file, its own below', async () => {
  const one = writePdf(folder, 'Bericht Ä.pdf', await makePdf({ texts: ['1', '2'] }))
  const two = writePdf(folder, 'two.pdf', await makePdf({ texts: ['3', '4'], outline: [{ title: 'end', page: 2 }] }))
  const { paths } = await run(mergePdf, folder, [one, two], { bookmarks: 'files' })
  expect(await bookmarksOf(paths[0]!)).toEqual([
    ['Bericht Ä', 1],
    ['two', 3, [['end', 4]]],
  ])
  expect(await complaints(readFileSync(paths[0]!))).toEqual([])
  const plain = await run(mergePdf, folder, [one, two])
  expect(await bookmarksOf(plain.paths[0]!)).toEqual([['end', 4]])
})
