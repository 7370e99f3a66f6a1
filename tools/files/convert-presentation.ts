import { oneFile, tool } from '../../src/tool/contract.ts'
import { choice } from '../../src/tool/settings.ts'
import { OFFICE_WORK, officeResult } from './_shared/office/result.ts'

export default tool({
  ...OFFICE_WORK,
  id: 'convert-presentation',
  summary: 'Convert between PPTX and ODP',
  input: oneFile('pptx', 'ppt', 'odp'),
  settings: {
    format: choice(['pptx', 'odp'], 'output format; animations may be lost', { required: true }),
  },
  output: { kind: 'file', type: { setting: 'format' } },
  naming: { suffix: 'convert-presentation', converts: true },
  engines: ['libreoffice'],
  examples: [{ title: 'for PowerPoint', inputs: ['slides.odp'], settings: { format: 'pptx' } }],
  run: (job, { format }) => officeResult(job, 'convert-presentation', format),
})
