import { requireFilter } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { audioStreams, mainVideo } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { MediaprocError } from '../../../src/errors.ts'
import { audioCodecFor, videoCodecFor } from '../../../src/media/av/codecs.ts'
import { silencesOf } from '../../../src/media/av/measure/silences.ts'
import { printableName } from '../../../src/media/file.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { number } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import { constantRate, toConstant } from '../_shared/frame-rate.ts'
import { PICTURE_SETTINGS, pictureOf } from '../_shared/picture-settings.ts'
import { audioFilters, videoFilters } from './silence-cut/filters.ts'
import { cutBefore, MAX_PAUSES, pausesOf } from './silence-cut/spans.ts'

/** The measurement's share of the work. */
const MEASURED_SHARE = 0.2
/** Sample rate of audio that does not declare one. */
const USUAL_SAMPLE_RATE = 48_000

export default avTool({
  section: 'video',
  id: 'silence-cut',
  summary: 'Cut the pauses out of a talk or screencast, in video and audio together',
  suffix: 'nosilence',
  settings: {
    thresholdDb: number('audio below this level counts as silence', { default: -40, min: -80, max: -20, unit: 'dB' }),
    minSilenceS: number('shorter pauses are kept', { default: 0.5, min: 0.1, max: 5, unit: 's' }),
    marginS: number('how much of a pause is kept next to the words', { default: 0.2, min: 0, max: 2, unit: 's' }),
    ...PICTURE_SETTINGS,
  },
  output: { kind: 'file+report', type: { same: true, or: ['mp4'], surely: ['mp4', 'mov', 'mkv', 'webm', 'avi'] } },
  examples: [{ title: 'pauses of a second or more', settings: { minSilenceS: 1 } }],
  async produce([source], { thresholdDb, minSilenceS, marginS, ...rest }, { signal, warn, progress }) {
    const { durationS } = source.info
    const [audio] = audioStreams(source.info)
    const name = printableName(source.name)
    if (!audio) throw new MediaprocError('INVALID_FILE', `${name} has no audio in which pauses could be found`)
    if (durationS === undefined) throw invalidSettings(`The length of ${name} is unknown`, 'Convert it first.')
    const silences = await silencesOf(source, { thresholdDb, minSilenceS }, signal, (fraction) =>
      progress(fraction * MEASURED_SHARE, 'measuring'),
    )
    const video = mainVideo(source.info)
    const { rate, isConstant } = await constantRate(source, signal)
    const periodS = 1 / rate
    // A converted video has its frames at multiples of the period.
    const firstS = isConstant ? (video.startS ?? 0) : 0
    const found = pausesOf(silences, durationS, marginS, { periodS, firstS })
    const pauses = longest(found, warn)
    const removedS = cutBefore(pauses, durationS)
    if (durationS - removedS < periodS)
      throw new MediaprocError(
        'INVALID_SETTINGS',
        `${name} is completely silent at ${thresholdDb} dB; nothing would remain`,
        {
          hint: { shell: 'Give a lower --threshold-db.', http: 'Give a lower thresholdDb.' },
        },
      )
    const report = {
      durationS: rounded(durationS),
      resultS: rounded(durationS - removedS),
      removedS: rounded(removedS),
      cuts: pauses.map(({ startS, endS }) => ({ startS: rounded(startS), endS: rounded(endS) })),
    }
    if (pauses.length === 0) {
      warn(`nothing is cut: no pause of ${minSilenceS} s is below ${thresholdDb} dB`, 'advice')
      return { media: { source, part: {} }, report }
    }
    // A picture that appears in a pause is also shown after it.
    if (!isConstant) await requireFilter('tpad')
    const converted = isConstant ? [] : await toConstant(rate, durationS, { fromZero: false })
    if (!isConstant)
      warn(`${name} has few frames or a variable rate: the result has ${rounded(rate)} frames per second`, 'advice')
    const part = {
      videoFilters: [...converted, ...videoFilters(pauses, durationS, periodS)],
      ...(!isConstant && { changes: ['frameRate'] as const }),
      audioFilters: audioFilters(pauses, durationS, audio.sampleRate ?? USUAL_SAMPLE_RATE),
      ...pictureOf(rest),
      encode: { video: videoCodecFor(source.extension), audio: audioCodecFor(source.extension) },
      changesDuration: (wholeS: number) => wholeS - removedS,
      mapsTime: (timeS: number) => timeS - cutBefore(pauses, timeS),
      progressFrom: MEASURED_SHARE,
    }
    return { media: { source, part }, report }
  },
})

/** Only the longest pauses, if there are too many for one command. */
function longest<Pause extends { startS: number; endS: number }>(
  pauses: readonly Pause[],
  warn: (message: string) => void,
): readonly Pause[] {
  if (pauses.length <= MAX_PAUSES) return pauses
  warn(`of ${pauses.length} pauses the longest ${MAX_PAUSES} are cut: run the tool again on the result for the others`)
  const sorted = [...pauses].sort((a, b) => b.endS - b.startS - (a.endS - a.startS))
  return sorted.slice(0, MAX_PAUSES).sort((a, b) => a.startS - b.startS)
}

const rounded = (value: number): number => Number(value.toFixed(3))
