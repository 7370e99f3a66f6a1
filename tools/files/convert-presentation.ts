import { oneFile, tool } from '../../src/tool/contract.ts'
import { choice } from '../../src/tool/settings.ts'
import { officeResult } from './_shared/office/result.ts'

export default tool({
  section: 'files',
  id: 'convert-presentation',
  summary: 'Convert between PPTX and ODP',
  input: oneFile('pptx', 'ppt', 'odp'),
  settings: {
    format: choice(['pptx', 'odp'], 'the format to write; animations may be lost', { required: true }),
  },
  output: { kind: 'file', type: { setting: 'format' } },
  conversion: true,
  engines: ['libreoffice'],
  timeoutS: 120,
  async: true,
  heavy: true,
  deterministic: false,
  batch: true,
  examples: [{ title: 'for PowerPoint', inputs: ['slides.odp'], settings: { format: 'pptx' } }],
  run: (job, { format }) => officeResult(job, 'convert-presentation', format),
})
