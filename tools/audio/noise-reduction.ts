import { avTool } from '../../src/tool/av-tool.ts'
import { choice } from '../../src/tool/settings.ts'
import { REENCODED, reencoded } from './_shared/encode/reencoded.ts'

/** By how much noise is taken down, dB (catalogue). */
const REDUCTION_DB = { light: 6, medium: 12, strong: 24 } as const

export default avTool({
  section: 'audio',
  id: 'noise-reduction',
  summary: 'Reduce steady background noise',
  suffix: 'denoised',
  settings: {
    strength: choice(['light', 'medium', 'strong'], 'strong takes most noise, and some of the sound', {
      default: 'medium',
    }),
  },
  output: REENCODED,
  examples: [{ title: 'a hissing recording', inputs: ['tone.mp3'], settings: { strength: 'strong' } }],
  plan: (source, { strength }) => reencoded(source, [`afftdn=nr=${REDUCTION_DB[strength]}:nf=-50`]),
})
