import { pdfTool } from '../../../src/tool/pdf-tool.ts'

export default pdfTool({
  id: 'linearize-pdf',
  summary: 'Reorder a PDF for fast web viewing',
  suffix: 'linearized',
  settings: {},
  engines: ['mupdf', 'qpdf'],
  examples: [{ title: 'the first page shows before the rest is loaded' }],
  edit(document) {
    document.target.linearize = true
    return document
  },
})
