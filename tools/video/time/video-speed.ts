import { audioStreams, mainVideo } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { audioCodecFor, videoCodecFor } from '../../../src/media/av/codecs.ts'
import { FROM_THE_START } from '../../../src/media/av/filters/channels.ts'
import { tempoOnTime } from '../../../src/media/av/filters/tempo.ts'
import { seconds } from '../../../src/media/av/range.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { boolean, number } from '../../../src/tool/settings.ts'
import { atRate } from '../_shared/frame-rate.ts'
import { PICTURE_SETTINGS, pictureOf } from '../_shared/picture-settings.ts'

/** Default sample rate of audio that does not declare one (catalogue). */
const USUAL_RATE = 48_000

export default avTool({
  section: 'video',
  id: 'video-speed',
  summary: 'Play a video faster or slower',
  suffix: 'speed',
  settings: {
    factor: number('2 is twice as fast, 0.5 half as fast', { default: 2, min: 0.25, max: 4 }),
    keepPitch: boolean('keep the pitch of the audio; otherwise it rises with the speed, as on tape', { default: true }),
    ...PICTURE_SETTINGS,
  },
  examples: [
    { title: 'twice as fast', settings: { factor: 2 } },
    { title: 'slow motion, as on tape', settings: { factor: 0.5, keepPitch: false } },
  ],
  async plan(source, { factor, keepPitch, ...rest }, { signal }) {
    const { frameRate } = mainVideo(source.info)
    const { sampleRate = USUAL_RATE } = audioStreams(source.info)[0] ?? {}
    const audioFilters = keepPitch
      ? // Sound that begins later than the picture, or has gaps, gets silence there: the filters know no times.
        [FROM_THE_START, ...(await tempoOnTime(source, factor, signal))]
      : [`asetrate=${Math.round(sampleRate * factor)}`, `aresample=${sampleRate}`]
    const lengthS = source.info.durationS && source.info.durationS / factor
    // Older builds drop the duration of the last frame, or repeat it to the old end of the video: repeat it
    // explicitly, after the rate, and trim.
    const last =
      frameRate && factor < 1 ? [`tpad=stop_mode=clone:stop_duration=${seconds(1 / frameRate / factor)}`] : []
    // At least one frame stays.
    const end = lengthS && frameRate ? [`trim=end=${seconds(Math.max(lengthS, 1 / frameRate))}`] : []
    return {
      // The rate stays: frames are dropped or repeated.
      videoFilters: [`setpts=PTS/${factor}`, ...(frameRate ? [atRate(frameRate, lengthS), ...last, ...end] : [])],
      audioFilters,
      ...pictureOf(rest),
      encode: { video: videoCodecFor(source.extension), audio: audioCodecFor(source.extension) },
      changesDuration: (durationS) => durationS / factor,
      mapsTime: (timeS) => timeS / factor,
    }
  },
})
