import { levelledOrWarn, TARGET } from '../../src/media/av/measure/levelled.ts'
import { number } from '../../src/tool/settings.ts'
import { audioTool } from './_shared/audio-tool.ts'
import { REENCODED, reencoded } from './_shared/encode/reencoded.ts'

export default audioTool({
  id: 'normalize-audio',
  summary: 'Normalise loudness to -16 LUFS, or another target, after EBU R128',
  suffix: 'normalized',
  settings: {
    lufs: number('integrated loudness of the result', { default: TARGET.integrated, min: -36, max: -5, unit: 'LUFS' }),
    truePeakDb: number('highest true peak of the result, after encoding', {
      default: TARGET.truePeak,
      min: -9,
      max: 0,
      unit: 'dBTP',
    }),
  },
  output: REENCODED,
  examples: [
    { title: 'an even loudness', inputs: ['tone.mp3'] },
    { title: 'for broadcast in Europe', inputs: ['hum.wav'], settings: { lufs: -23, truePeakDb: -1 } },
  ],
  measures: () => true,
  async plan(source, { lufs, truePeakDb }, context) {
    const target = { integrated: lufs, truePeak: truePeakDb }
    const { encode } = reencoded(source, [])
    const { filters, progressFrom } = await levelledOrWarn(source, encode?.audio ?? [], target, context)
    return { ...reencoded(source, filters), progressFrom, changes: ['level'] }
  },
})
