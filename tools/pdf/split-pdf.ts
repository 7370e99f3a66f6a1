import { setName, suffixedName } from '../../src/media/naming.ts'
import { openPdfFile, type PdfHandle, savePdf } from '../../src/media/pdf/document.ts'
import { MAX_RANGE_LENGTH, parsePageRange } from '../../src/media/pdf/page-range.ts'
import { selectPages } from '../../src/media/pdf/rearrange.ts'
import { oneFile, tool } from '../../src/tool/contract.ts'
import { choice, integer, text } from '../../src/tool/settings.ts'
import { invalidSettings } from '../../src/tool/validate.ts'

const MIME = 'application/pdf'

export default tool({
  section: 'pdf',
  id: 'split-pdf',
  summary: 'Take a page range out, or cut into chunks of N pages',
  input: oneFile('pdf'),
  settings: {
    mode: choice(['range', 'every'], 'one PDF of a range, or a set of equal parts', { default: 'range' }),
    range: text('range: pages such as 1-5,8,10-z; z is the last, r2 the one before; order counts', {
      maxLength: MAX_RANGE_LENGTH,
    }),
    everyN: integer('every: pages in each part', { min: 1, max: 500 }),
  },
  output: { kind: 'files', type: { is: 'pdf' } },
  engines: ['mupdf'],
  timeoutS: 60,
  batch: true,
  examples: [
    { title: 'the last page first', settings: { range: 'z,1' } },
    { title: 'single pages', settings: { mode: 'every', everyN: 1 } },
  ],
  check({ mode, range, everyN }) {
    if (mode === 'range' && !range)
      throw invalidSettings('Expected range for mode range, got nothing', 'For example: --range 1-3,z')
    if (mode === 'every' && everyN === undefined)
      throw invalidSettings('Expected everyN for mode every, got nothing', 'For example: --mode every --every-n 2')
  },
  async run(job, { mode, range, everyN }) {
    const file = job.inputs[0]!
    const document = await openPdfFile(file)
    const write = async (pages: number[], name: string): Promise<{ path: string; name: string; mime: string }> => {
      const part: PdfHandle = await selectPages(document, pages)
      try {
        const path = await job.output(name)
        await savePdf(part, path)
        return { path, name, mime: MIME }
      } finally {
        part.close()
      }
    }
    try {
      const count = document.pageCount
      if (mode === 'range')
        return { files: [await write(parsePageRange(range!, count), suffixedName(file, 'pages', 'pdf'))] }
      const files = []
      for (let first = 1; first <= count; first += everyN!) {
        const pages = Array.from({ length: Math.min(everyN!, count - first + 1) }, (_, index) => first + index)
        files.push(await write(pages, `part-${files.length + 1}.pdf`))
        job.progress(first / count, 'writing parts')
        job.signal.throwIfAborted()
      }
      return { files, set: setName(file, 'parts') }
    } finally {
      document.close()
    }
  },
})
