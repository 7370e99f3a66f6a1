import { abilities } from '../../src/engines/ffmpeg/ffmpeg.ts'
import { mainAudio } from '../../src/engines/ffmpeg/ffprobe.ts'
import { seconds } from '../../src/media/av/range.ts'
import { choice } from '../../src/tool/settings.ts'
import { audioTool } from './_shared/audio-tool.ts'
import { REENCODED, reencoded } from './_shared/encode/reencoded.ts'
import { lagSamples } from './noise-reduction/lag.ts'

/** Noise reduction, dB (catalogue). */
const REDUCTION_DB = { light: 6, medium: 12, strong: 24 } as const

/** Builds before this year need a different figure for the same result. */
const RENEWED = 2020
const OLD_REDUCTION_DB = { ...REDUCTION_DB, strong: 30 }

/** Assumed for a stream that does not specify it. */
const USUAL_RATE = 44_100

/** Silence appended to flush the filter at the end, samples. */
const PAD_SAMPLES = 8192

export default audioTool({
  id: 'noise-reduction',
  summary: 'Reduce steady background noise',
  suffix: 'denoised',
  settings: {
    strength: choice(['light', 'medium', 'strong'], 'strong removes the most noise, and some of the signal', {
      default: 'medium',
    }),
  },
  output: REENCODED,
  examples: [{ title: 'a hissing voice', inputs: ['tone.mp3'], settings: { strength: 'strong' } }],
  async plan(source, { strength }, { signal }) {
    const { durationS } = source.info
    const { sampleRate = USUAL_RATE } = mainAudio(source.info)
    const { year = Number.POSITIVE_INFINITY } = await abilities()
    const reductionDb = (year < RENEWED ? OLD_REDUCTION_DB : REDUCTION_DB)[strength]
    const lag = await lagSamples(sampleRate, signal)
    const onTime = lag > 0 ? [`atrim=start_sample=${lag}`, 'asetpts=PTS-STARTPTS'] : []
    const filters = [`afftdn=nr=${reductionDb}:nf=-50`, ...onTime]
    if (durationS === undefined) return reencoded(source, filters)
    return reencoded(source, [`apad=pad_len=${PAD_SAMPLES}`, ...filters, `atrim=end=${seconds(durationS)}`])
  },
})
