import { tempoOnTime } from '../../src/media/av/filters/tempo.ts'
import { number } from '../../src/tool/settings.ts'
import { audioTool } from './_shared/audio-tool.ts'
import { REENCODED, reencoded } from './_shared/encode/reencoded.ts'

export default audioTool({
  id: 'audio-speed',
  summary: 'Change playback speed, keeping the pitch',
  suffix: 'speed',
  settings: {
    factor: number('2 is twice as fast, 0.5 half as fast', { default: 1.5, min: 0.25, max: 4 }),
  },
  output: REENCODED,
  examples: [{ title: 'a lecture, faster', inputs: ['tone.mp3'], settings: { factor: 1.25 } }],
  plan: async (source, { factor }, { signal }) => ({
    ...reencoded(source, await tempoOnTime(source, factor, signal)),
    changesDuration: (durationS) => durationS / factor,
    mapsTime: (timeS) => timeS / factor,
  }),
})
