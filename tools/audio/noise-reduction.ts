import { join } from 'node:path'
import { mainAudio } from '../../src/engines/ffmpeg/ffprobe.ts'
import { printableName } from '../../src/media/file.ts'
import { choice } from '../../src/tool/settings.ts'
import { audioTool } from './_shared/audio-tool.ts'
import { REENCODED, reencoded } from './_shared/encode/reencoded.ts'
import { writeCleaned } from './noise-reduction/cleaned.ts'
import { humFilters } from './noise-reduction/hum.ts'
import { noiseProfile } from './noise-reduction/profile.ts'

/** Noise reduction, dB (catalogue). */
const REDUCTION_DB = { light: 6, medium: 12, strong: 24 } as const

/** Assumed for a stream that does not specify it. */
const USUAL_RATE = 44_100

/** Shares of the work that are done before the result is encoded. */
const MEASURED_SHARE = 0.3
const CLEANED_SHARE = 0.8

export default audioTool({
  id: 'noise-reduction',
  summary: 'Reduce steady background noise and mains hum',
  suffix: 'denoised',
  settings: {
    strength: choice(['light', 'medium', 'strong'], 'strong removes the most noise, and some of the signal', {
      default: 'medium',
    }),
    mode: choice(['speech', 'music'], 'music keeps attacks and quiet notes, and removes less', { default: 'speech' }),
  },
  output: REENCODED,
  examples: [{ title: 'a hissing voice', inputs: ['tone.mp3'], settings: { strength: 'strong' } }],
  measures: () => true,
  async plan(source, { strength, mode }, { signal, warn, progress, scratch }) {
    const stream = mainAudio(source.info)
    const { sampleRate = USUAL_RATE, channels = 2 } = stream
    const plain = { source, stream, channels, signal }
    progress(0, 'measuring')
    const filters = await humFilters({ ...plain, filters: [] }, mode)
    const decoding = { ...plain, filters }
    const measured = await noiseProfile(decoding, sampleRate, mode)
    if (!measured) {
      warn(
        `${printableName(source.name)} has no passage that is quieter than the rest, so that its noise cannot be measured`,
      )
      return reencoded(source, filters)
    }
    const path = join(await scratch(), 'cleaned.w64')
    const moments = (source.info.durationS ?? 0) * sampleRate
    await writeCleaned({ ...decoding, warn }, sampleRate, {
      ...{ mode, path, reductionDb: REDUCTION_DB[strength] },
      noise: measured,
      onProgress: (read) => {
        const done = moments > 0 ? Math.min(1, read / moments) : 0
        progress(MEASURED_SHARE + done * (CLEANED_SHARE - MEASURED_SHARE), 'cleaning')
      },
    })
    const part = reencoded(source, [])
    return {
      ...part,
      audio: { path, padToVideo: false },
      // Ogg stores titles on the stream.
      encode: { ...part.encode, options: ['-map_metadata:s:a:0', `0:s:${stream.index}`] },
      progressFrom: CLEANED_SHARE,
    }
  },
})
