import { MediaprocError } from '../../../src/errors.ts'
import { printableName } from '../../../src/media/file.ts'
import { brokenPages } from '../../../src/media/pdf/open/check-pages.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'

export default pdfTool({
  id: 'repair-pdf',
  summary: 'Rebuild the structure of a damaged PDF',
  suffix: 'repaired',
  settings: {},
  output: { kind: 'file+report', type: { is: 'pdf' } },
  examples: [{ title: 'recover a truncated file' }],
  open: () => ({ repair: true }),
  produce([document], _settings, { files: [file], warn }) {
    const { pdf, pageCount } = document
    const lost = [...brokenPages(pdf, pageCount)]
    const name = printableName(file.name)
    if ([...brokenPages(pdf, pageCount, true)].length === pageCount)
      throw new MediaprocError('PROCESSING_FAILED', `${name} cannot be repaired: the content of all its pages is lost`)
    const { declaredPages = 0, wasRepaired } = document
    if (wasRepaired || declaredPages > pageCount) {
      const pages = `${pageCount} ${pageCount === 1 ? 'page' : 'pages'}`
      const of = declaredPages > pageCount ? ` of the ${declaredPages} that it declares` : ''
      warn(`${name} was damaged; ${pages}${of} could be recovered`)
    }
    if (lost.length > 0) warn(`Content is missing on ${lost.length === 1 ? 'page' : 'pages'} ${lost.join(', ')}`)
    async function* repaired() {
      yield { document: document }
    }
    return {
      documents: repaired(),
      report: { pages: pageCount, declaredPages: declaredPages || pageCount, incompletePages: lost },
    }
  },
})
