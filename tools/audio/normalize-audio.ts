import { levelled } from '../../src/media/av/measure/levelled.ts'
import { avTool } from '../../src/tool/av-tool.ts'
import { REENCODED, reencoded } from './_shared/encode/reencoded.ts'

/** EBU R 128 with the catalogue's target for speech and music on the web. */
const TARGET = { integrated: -16, truePeak: -1.5 }
/** How far from the target nobody is told of it, LU. */
const TOLERANCE_LU = 0.5

export default avTool({
  section: 'audio',
  id: 'normalize-audio',
  summary: 'Normalise loudness to -16 LUFS after EBU R128',
  suffix: 'normalized',
  settings: {},
  output: REENCODED,
  examples: [{ title: 'an even loudness', inputs: ['tone.mp3'] }],
  measures: () => true,
  async plan(source, _settings, { signal, warn }) {
    const { filters, reached } = await levelled(source, TARGET, signal)
    if (!Number.isFinite(reached)) warn('the recording is silent, so its loudness stays as it is')
    else if (Math.abs(reached - TARGET.integrated) > TOLERANCE_LU)
      warn(`the loudness is ${reached.toFixed(1)} LUFS and not ${TARGET.integrated}: more would distort the peaks`)
    return reencoded(source, filters)
  },
})
