import { mergePdfs } from '../../../src/media/pdf/page/merge.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'

export default pdfTool({
  id: 'merge-pdf',
  summary: 'Join several PDFs into one, in the order given',
  input: { files: 'many', min: 2, max: 20, accept: ['pdf'] },
  settings: {},
  output: { kind: 'file', type: { is: 'pdf' }, name: 'merged' },
  batch: false,
  examples: [{ title: 'two reports in one', inputs: ['report.pdf', 'invoice.pdf'] }],
  async produce(documents) {
    async function* merged() {
      yield { name: 'merged.pdf', document: await mergePdfs(documents) }
    }
    return { documents: merged() }
  },
})
