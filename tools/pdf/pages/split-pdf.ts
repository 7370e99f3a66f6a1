import { setName, suffixedName } from '../../../src/media/naming.ts'
import type { PdfHandle } from '../../../src/media/pdf/handle.ts'
import { MAX_RANGE_LENGTH, parsePageRange } from '../../../src/media/pdf/page/page-range.ts'
import { selectPages } from '../../../src/media/pdf/page/rearrange.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'
import { choice, integer, number, text } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import { type Part, partsBetweenBlanks, partsByBookmark, partsOfLength, partsOfSize } from './split-pdf/parts.ts'

/** Share of the work that finding the parts is, where it takes time. */
const FINDING_SHARE = 0.3

export default pdfTool({
  id: 'split-pdf',
  summary: 'Take a page range out, or cut by number of pages, bookmarks, size or blank pages',
  settings: {
    mode: choice(
      ['range', 'every', 'bookmarks', 'size', 'blank'],
      'one PDF of a range, or a set: equal parts, one per bookmark, of a size, or between blank pages',
      { default: 'range' },
    ),
    range: text('pages such as 1-5,8,10-z; z is the last, r2 the one before; order counts', {
      grammar: 'page-range',
      maxLength: MAX_RANGE_LENGTH,
      when: { mode: 'range' },
      example: '1-3,z',
    }),
    everyN: integer('pages in each part', {
      min: 1,
      max: 500,
      when: { mode: 'every' },
      label: 'Pages in each part',
      example: 2,
    }),
    bookmarkLevel: integer('levels of bookmarks that begin a part', {
      min: 1,
      max: 10,
      default: 1,
      when: { mode: 'bookmarks' },
    }),
    maxMb: number('largest size of a part; as many pages as fit', {
      exclusiveMin: 0,
      max: 10_000,
      unit: 'MB',
      when: { mode: 'size' },
      example: 10,
    }),
  },
  output: {
    kind: 'files',
    type: { is: 'pdf' },
    set: { when: { mode: ['every', 'bookmarks', 'size', 'blank'] }, name: '{stem}_parts' },
  },
  batch: true,
  timeoutS: 600,
  examples: [
    { title: 'the last page first', settings: { range: 'z,1' } },
    { title: 'single pages', settings: { mode: 'every', everyN: 1 } },
    { title: 'small enough for mail', settings: { mode: 'size', maxMb: 10 } },
  ],
  check({ mode, range, everyN, maxMb }) {
    if (mode === 'range' && !range)
      throw invalidSettings('Expected range for mode range, got nothing', 'For example: --range 1-3,z')
    if (mode === 'every' && everyN === undefined)
      throw invalidSettings('Expected everyN for mode every, got nothing', 'For example: --mode every --every-n 2')
    if (mode === 'size' && maxMb === undefined)
      throw invalidSettings('Expected maxMb for mode size, got nothing', 'For example: --mode size --max-mb 10')
  },
  async produce([document], { mode, range, everyN = 1, bookmarkLevel, maxMb = 0 }, { files: [file], progress, warn }) {
    if (mode === 'range') {
      const pages = parsePageRange(range ?? '', document.pageCount)
      async function* chosen() {
        yield { name: suffixedName(file, 'pages', 'pdf'), document: await selectPages(document, pages) }
      }
      return { documents: chosen() }
    }
    const set = setName(file, 'parts')
    const written = (done: number): void => progress(done / document.pageCount, 'writing parts')
    if (mode === 'size')
      return { documents: documentsOf(document, partsOfSize(document, maxMb * 1e6, warn), written), set }
    const finding = { progress: (part: number) => progress(part * FINDING_SHARE, 'finding blank pages'), warn }
    const parts =
      mode === 'every'
        ? partsOfLength(document, everyN)
        : mode === 'bookmarks'
          ? partsByBookmark(document, bookmarkLevel, warn)
          : await partsBetweenBlanks(document, finding)
    return { documents: documentsOf(document, parts, written), set }
  },
})

/** The documents of parts, one after the other. */
async function* documentsOf(
  document: PdfHandle,
  parts: Iterable<Part> | AsyncIterable<Part>,
  written: (pages: number) => void,
) {
  let done = 0
  for await (const part of parts) {
    yield { name: part.name, document: await selectPages(document, part.pages) }
    done += part.pages.length
    written(done)
  }
}
