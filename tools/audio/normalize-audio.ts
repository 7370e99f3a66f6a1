import { levelledOrWarn } from '../../src/media/av/measure/levelled.ts'
import { audioTool } from './_shared/audio-tool.ts'
import { REENCODED, reencoded } from './_shared/encode/reencoded.ts'

export default audioTool({
  id: 'normalize-audio',
  summary: 'Normalise loudness to -16 LUFS after EBU R128',
  suffix: 'normalized',
  settings: {},
  output: REENCODED,
  examples: [{ title: 'an even loudness', inputs: ['tone.mp3'] }],
  measures: () => true,
  async plan(source, _settings, context) {
    const { encode } = reencoded(source, [])
    const { filters, progressFrom } = await levelledOrWarn(source, encode?.audio ?? [], context)
    return { ...reencoded(source, filters), progressFrom, changes: ['level'] }
  },
})
