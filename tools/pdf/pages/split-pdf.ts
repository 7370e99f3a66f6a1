import { setName, suffixedName } from '../../../src/media/naming.ts'
import { MAX_RANGE_LENGTH, parsePageRange } from '../../../src/media/pdf/page/page-range.ts'
import { selectPages } from '../../../src/media/pdf/page/rearrange.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'
import { choice, integer, text } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'

export default pdfTool({
  id: 'split-pdf',
  summary: 'Take a page range out, or cut into chunks of N pages',
  settings: {
    mode: choice(['range', 'every'], 'one PDF of a range, or a set of equal parts', { default: 'range' }),
    range: text('pages such as 1-5,8,10-z; z is the last, r2 the one before; order counts', {
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
  },
  output: { kind: 'files', type: { is: 'pdf' }, set: { when: { mode: 'every' }, name: '{stem}_parts' } },
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
  async produce([document], { mode, range, everyN }, { files: [file], progress }) {
    const { pageCount } = document
    async function* chosen() {
      const pages = parsePageRange(range!, pageCount)
      yield { name: suffixedName(file, 'pages', 'pdf'), document: await selectPages(document, pages) }
    }
    if (mode === 'range') return { documents: chosen() }
    async function* parts() {
      for (let first = 1, part = 1; first <= pageCount; first += everyN!, part += 1) {
        const pages = Array.from({ length: Math.min(everyN!, pageCount - first + 1) }, (_, index) => first + index)
        yield { name: `part-${part}.pdf`, document: await selectPages(document, pages) }
        progress(first / pageCount, 'writing parts')
      }
    }
    return { documents: parts(), set: setName(file, 'parts') }
  },
})
