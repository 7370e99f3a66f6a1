import { seconds } from '../../src/media/av/range.ts'
import { number } from '../../src/tool/settings.ts'
import { invalidSettings } from '../../src/tool/validate.ts'
import { audioTool } from './_shared/audio-tool.ts'
import { REENCODED, reencoded } from './_shared/encode/reencoded.ts'

export default audioTool({
  id: 'fade-audio',
  summary: 'Fade the beginning in and the end out',
  suffix: 'fade',
  settings: {
    fadeInS: number('length of the fade at the beginning; 0 for none', { default: 1, min: 0, max: 30, unit: 's' }),
    fadeOutS: number('length of the fade at the end; 0 for none', { default: 1, min: 0, max: 30, unit: 's' }),
  },
  output: REENCODED,
  examples: [{ title: 'a long fade at the end', inputs: ['tone.mp3'], settings: { fadeInS: 0, fadeOutS: 1.5 } }],
  check({ fadeInS, fadeOutS }) {
    if (fadeInS === 0 && fadeOutS === 0)
      throw invalidSettings('Expected fadeInS or fadeOutS to be greater than 0', 'For example: --fade-out-s 2')
  },
  plan(source, { fadeInS, fadeOutS }) {
    const { durationS } = source.info
    if (durationS === undefined && fadeOutS > 0)
      throw invalidSettings(
        'The length of the audio is unknown, so it cannot be faded out',
        'Convert it first, or give --fade-out-s 0.',
      )
    const length = durationS ?? Number.POSITIVE_INFINITY
    const [fadeIn, fadeOut] = [Math.min(fadeInS, length), Math.min(fadeOutS, length)]
    return reencoded(source, [
      ...(fadeIn > 0 ? [`afade=t=in:d=${seconds(fadeIn)}`] : []),
      ...(fadeOut > 0 ? [`afade=t=out:st=${seconds(length - fadeOut)}:d=${seconds(fadeOut)}`] : []),
    ])
  },
})
