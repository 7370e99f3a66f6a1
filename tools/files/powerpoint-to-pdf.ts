import { oneFile, tool } from '../../src/tool/contract.ts'
import { officeResult } from './_shared/office/result.ts'

export default tool({
  section: 'files',
  id: 'powerpoint-to-pdf',
  summary: 'Print a presentation to PDF, one slide per page',
  input: oneFile('pptx', 'ppt', 'odp'),
  settings: {},
  output: { kind: 'file', type: { is: 'pdf' } },
  conversion: true,
  engines: ['libreoffice', 'mupdf'],
  timeoutS: 120,
  async: true,
  heavy: true,
  deterministic: false,
  batch: true,
  examples: [{ title: 'slides to hand out', inputs: ['slides.odp'] }],
  run: (job) => officeResult(job, 'powerpoint-to-pdf', 'pdf'),
})
