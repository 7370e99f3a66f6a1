import { checkStart } from '../../src/media/av/checks.ts'
import { number } from '../../src/tool/settings.ts'
import { audioTool } from './_shared/audio-tool.ts'

export default audioTool({
  id: 'ringtone-maker',
  summary: 'Cut a ringtone of at most 30 seconds',
  suffix: 'ringtone',
  converts: true,
  settings: {
    startS: number('start time', { short: 's', default: 0, min: 0, unit: 's' }),
    durationS: number('length of the clip; shorter if the audio ends earlier', {
      default: 30,
      min: 1,
      max: 30,
      unit: 's',
    }),
  },
  output: { kind: 'file', type: { is: 'm4r' } },
  conversion: true,
  examples: [{ title: 'a second from the middle', inputs: ['tone.mp3'], settings: { startS: 0.5, durationS: 1 } }],
  plan(source, { startS, durationS }) {
    checkStart(source, startS)
    return {
      range: { startS, endS: startS + durationS, exact: true },
      video: 'drop',
      subtitles: 'drop',
      singleAudio: true,
      encode: { container: 'm4r', audio: ['-c:a', 'aac', '-b:a', '192k'] },
    }
  },
})
