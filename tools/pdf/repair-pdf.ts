import { MediaprocError } from '../../src/errors.ts'
import { printableName } from '../../src/media/file.ts'
import { brokenPages } from '../../src/media/pdf/document.ts'
import { pdfTool } from '../../src/tool/pdf-tool.ts'

export default pdfTool({
  id: 'repair-pdf',
  summary: 'Rebuild the structure of a damaged PDF',
  suffix: 'repaired',
  settings: {},
  examples: [{ title: 'what is left of a file that was cut off' }],
  open: () => ({ repair: true }),
  produce([document], _settings, { files: [file], warn }) {
    const { pdf, pageCount } = document!
    const lost = [...brokenPages(pdf, pageCount)]
    const name = printableName(file!.name)
    if ([...brokenPages(pdf, pageCount, true)].length === pageCount)
      throw new MediaprocError('PROCESSING_FAILED', `${name} cannot be repaired: the content of all its pages is gone`)
    if (document!.wasRepaired)
      warn(`${name} was damaged; ${pageCount} ${pageCount === 1 ? 'page' : 'pages'} could be recovered`)
    if (lost.length > 0) warn(`Content is missing on ${lost.length === 1 ? 'page' : 'pages'} ${lost.join(', ')}`)
    async function* repaired() {
      yield { document: document! }
    }
    return { documents: repaired() }
  },
})
