import { abilities } from '../../src/engines/ffmpeg/ffmpeg.ts'
import { mainAudio } from '../../src/engines/ffmpeg/ffprobe.ts'
import { tempoFilters } from '../../src/media/av/filters/tempo.ts'
import { stretchedOnTime } from '../../src/media/av/latency-compensation.ts'
import { latenessOf } from '../../src/media/av/measure/lateness.ts'
import { integer } from '../../src/tool/settings.ts'
import { invalidSettings } from '../../src/tool/validate.ts'
import { audioTool } from './_shared/audio-tool.ts'
import { REENCODED, reencoded } from './_shared/encode/reencoded.ts'

/** Assumed for a stream that does not specify it; the resampler that follows corrects it. */
const USUAL_RATE = 44_100

export default audioTool({
  id: 'pitch-shift',
  summary: 'Shift the pitch by semitones, keeping the length',
  suffix: 'pitch',
  settings: {
    semitones: integer('above 0 higher, below 0 lower; 12 are an octave', { default: 3, min: -12, max: 12 }),
  },
  output: REENCODED,
  examples: [{ title: 'an octave lower', inputs: ['tone.mp3'], settings: { semitones: -12 } }],
  check({ semitones }) {
    if (semitones === 0) throw invalidSettings('Expected semitones other than 0: 0 changes nothing')
  },
  async plan(source, { semitones }, { signal }) {
    // Twelve equal steps to an octave (equal temperament).
    const ratio = 2 ** (semitones / 12)
    const { sampleRate = USUAL_RATE } = mainAudio(source.info)
    const { filters } = await abilities()
    const shifted = filters.has('rubberband')
      ? [`rubberband=pitch=${ratio.toFixed(6)}`]
      : [`asetrate=${Math.round(sampleRate * ratio)}`, `aresample=${sampleRate}`, ...tempoFilters(1 / ratio)]
    const { durationS } = source.info
    const latenessS = await latenessOf(shifted, sampleRate, 1, signal)
    return reencoded(source, stretchedOnTime(shifted, { sampleRate, latenessS, lengthS: durationS }))
  },
})
