import { abilities } from '../../src/engines/ffmpeg/ffmpeg.ts'
import { seconds } from '../../src/media/av/range.ts'
import { avTool } from '../../src/tool/av-tool.ts'
import { choice } from '../../src/tool/settings.ts'
import { REENCODED, reencoded } from './_shared/encode/reencoded.ts'

/** By how much noise is taken down, dB (catalogue). */
const REDUCTION_DB = { light: 6, medium: 12, strong: 24 } as const

/** The year since which all builds give the last samples of the filter. */
const FLUSHED_SINCE = 2020

/** What older builds must be asked for to reach the same. */
const OLD_REDUCTION_DB = { ...REDUCTION_DB, strong: 30 }

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
  async plan(source, { strength }) {
    const { durationS } = source.info
    const { year = Number.POSITIVE_INFINITY } = await abilities()
    const filter = (reductionDb: number): string => `afftdn=nr=${reductionDb}:nf=-50`
    if (year >= FLUSHED_SINCE || durationS === undefined) return reencoded(source, [filter(REDUCTION_DB[strength])])
    // Older builds keep what is still in the filter at the end: silence pushes it out.
    const old = filter(OLD_REDUCTION_DB[strength])
    return reencoded(source, ['apad=pad_len=8192', old, `atrim=end=${seconds(durationS)}`])
  },
})
