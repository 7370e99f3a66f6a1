import { oneFile, tool } from '../../src/tool/contract.ts'
import { OFFICE_WORK, officeResult } from './_shared/office/result.ts'

export default tool({
  ...OFFICE_WORK,
  id: 'powerpoint-to-pdf',
  summary: 'Print a presentation to PDF, one slide per page',
  input: oneFile('pptx', 'ppt', 'odp'),
  settings: {},
  output: { kind: 'file', type: { is: 'pdf' } },
  naming: { suffix: 'powerpoint-to-pdf', converts: true },
  engines: ['libreoffice', 'mupdf'],
  examples: [{ title: 'slides to hand out', inputs: ['slides.odp'] }],
  run: (job) => officeResult(job, 'powerpoint-to-pdf', 'pdf'),
})
