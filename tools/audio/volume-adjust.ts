import { mainAudio } from '../../src/engines/ffmpeg/ffprobe.ts'
import { mixdownFilters } from '../../src/media/av/filters/channels.ts'
import { maxVolumeDb } from '../../src/media/av/measure/max-volume.ts'
import { number } from '../../src/tool/settings.ts'
import { audioTool } from './_shared/audio-tool.ts'
import { REENCODED, reencoded } from './_shared/encode/reencoded.ts'

/** The measurement's share of the work. */
const MEASURED_SHARE = 0.4

export default audioTool({
  id: 'volume-adjust',
  summary: 'Raise or lower the volume by a fixed gain',
  suffix: 'volume',
  settings: {
    gainDb: number('above 0 louder, below 0 quieter', { default: 3, min: -30, max: 30, unit: 'dB' }),
  },
  output: REENCODED,
  examples: [{ title: 'half as loud', inputs: ['tone.mp3'], settings: { gainDb: -6 } }],
  // Only a positive gain can clip.
  measures: ({ gainDb }) => gainDb > 0,
  async plan(source, { gainDb }, { signal, warn, progress }) {
    const part = reencoded(source, [`volume=${gainDb}dB`])
    const mixdown = mixdownFilters(part.encode?.audio ?? [], mainAudio(source.info).channels)
    const isMeasured = gainDb > 0
    const onProgress = (fraction: number) => progress(fraction * MEASURED_SHARE, 'measuring')
    const loudest = isMeasured ? await maxVolumeDb(source, { signal, filters: mixdown, onProgress }) : undefined
    if (loudest !== undefined && loudest + gainDb > 0)
      warn(
        `the loudest passages clip: they are at ${loudest.toFixed(1)} dB, so that at most ${(-loudest).toFixed(1)} dB can be added without distortion`,
      )
    return { ...part, changes: ['level'], ...(isMeasured && { progressFrom: MEASURED_SHARE }) }
  },
})
