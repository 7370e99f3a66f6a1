import { stemOf } from '../../../src/media/file.ts'
import { mergePdfs } from '../../../src/media/pdf/page/merge.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'
import { choice } from '../../../src/tool/settings.ts'

export default pdfTool({
  id: 'merge-pdf',
  summary: 'Join several PDFs into one, in the order given',
  input: { files: 'many', min: 2, max: 20, accept: ['pdf'] },
  settings: {
    bookmarks: choice(['keep', 'files'], 'keep those of the files, or also one for each file, by its name', {
      default: 'keep',
    }),
  },
  output: { kind: 'file', type: { is: 'pdf' }, name: 'merged' },
  batch: false,
  examples: [
    { title: 'two reports in one', inputs: ['report.pdf', 'invoice.pdf'] },
    { title: 'with a bookmark for each', inputs: ['report.pdf', 'invoice.pdf'], settings: { bookmarks: 'files' } },
  ],
  async produce(documents, { bookmarks }, { files }) {
    const titles = bookmarks === 'files' ? files.map(({ name }) => stemOf(name)) : undefined
    async function* merged() {
      yield { name: 'merged.pdf', document: await mergePdfs(documents, titles) }
    }
    return { documents: merged() }
  },
})
