import { MediaprocError } from '../../src/errors.ts'
import { loudestMomentDb } from '../../src/media/av/measure/max-volume.ts'
import { printableName } from '../../src/media/file.ts'
import { number } from '../../src/tool/settings.ts'
import { audioTool } from './_shared/audio-tool.ts'
import { REENCODED, reencoded } from './_shared/encode/reencoded.ts'

/** The filter averages over windows of this length, seconds (ffmpeg's documentation of silenceremove). */
const WINDOW_S = 0.02

/** The measurement's share of the work. */
const MEASURED_SHARE = 0.4

export default audioTool({
  id: 'silence-removal',
  summary: 'Cut silent stretches out of an audio file',
  suffix: 'nosilence',
  settings: {
    thresholdDb: number('audio below this level counts as silence', { default: -50, min: -80, max: -20, unit: 'dB' }),
    minSilenceS: number('shorter pauses are kept', { default: 0.5, min: 0.1, max: 5, unit: 's' }),
  },
  output: REENCODED,
  examples: [{ title: 'remove pauses of a second or more', inputs: ['tone.mp3'], settings: { minSilenceS: 1 } }],
  measures: () => true,
  async plan(source, { thresholdDb, minSilenceS }, { signal, progress }) {
    const loudest = await loudestMomentDb(source, WINDOW_S, {
      signal,
      onProgress: (fraction) => progress(fraction * MEASURED_SHARE, 'measuring'),
    })
    if (loudest === undefined || loudest < thresholdDb)
      throw new MediaprocError(
        'INVALID_SETTINGS',
        `${printableName(source.name)} is completely silent at ${thresholdDb} dB; nothing would remain`,
        { hint: { shell: 'Give a lower --threshold-db.', http: 'Give a lower thresholdDb.' } },
      )
    const begin = `start_periods=1:start_threshold=${thresholdDb}dB:start_silence=0.1`
    const later = `stop_periods=-1:stop_threshold=${thresholdDb}dB:stop_duration=${minSilenceS}`
    // The remaining length is known only after writing: a following step must check it.
    return {
      ...reencoded(source, [`silenceremove=${begin}:${later}`]),
      changesDuration: (durationS) => durationS,
      changes: ['length'],
      endsRun: true,
      progressFrom: MEASURED_SHARE,
    }
  },
})
