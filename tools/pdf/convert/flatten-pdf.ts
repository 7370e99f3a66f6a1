import { flattenDocument } from '../../../src/media/pdf/page/flatten.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'

export default pdfTool({
  id: 'flatten-pdf',
  summary: 'Bake form fields and annotations into the page',
  suffix: 'flattened',
  settings: {},
  timeoutS: 120,
  examples: [{ title: 'a form that cannot be edited any more' }],
  edit(document, _settings, { warn }) {
    const lost = flattenDocument(document)
    if (lost > 0)
      warn(
        `${lost} ${lost === 1 ? 'file or sound attached' : 'files or sounds attached'} to annotations were removed with them`,
      )
    return document
  },
})
