import { openPdfFile, type PdfHandle, savePdf } from '../../src/media/pdf/document.ts'
import { mergePdfs } from '../../src/media/pdf/merge.ts'
import { tool } from '../../src/tool/contract.ts'

export default tool({
  section: 'pdf',
  id: 'merge-pdf',
  summary: 'Join several PDFs into one, in the order given',
  input: { files: 'many', min: 2, max: 20, accept: ['pdf'] },
  settings: {},
  output: { kind: 'file', type: { is: 'pdf' } },
  engines: ['mupdf'],
  timeoutS: 60,
  batch: false,
  examples: [{ title: 'two reports in one', inputs: ['report.pdf', 'invoice.pdf'] }],
  async run(job) {
    const documents: PdfHandle[] = []
    try {
      for (const file of job.inputs) {
        documents.push(await openPdfFile(file))
        job.progress(documents.length / (job.inputs.length * 2), 'reading')
        job.signal.throwIfAborted()
      }
      const merged = await mergePdfs(documents)
      try {
        const path = await job.output('merged.pdf')
        await savePdf(merged, path)
        return { files: [{ path, name: 'merged.pdf', mime: 'application/pdf' }] }
      } finally {
        merged.close()
      }
    } finally {
      for (const document of documents) document.close()
    }
  },
})
