import { join } from 'node:path'
import { inputArguments, requireFilter, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { mainVideo } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { filterValue } from '../../../src/engines/ffmpeg/filter.ts'
import { CROP_TO_EVEN, videoCodecFor } from '../../../src/media/av/codecs.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { integer } from '../../../src/tool/settings.ts'

/** Progress range of the first pass (catalogue). */
const FIRST_PASS = { from: 0.05, to: 0.5 }

/** The filter library writes out of bounds if a side is odd. */
const EVEN = CROP_TO_EVEN

export default avTool({
  section: 'video',
  id: 'stabilize-video',
  summary: 'Reduce camera shake in two passes',
  suffix: 'stabilized',
  async: true,
  // Each pass can take half an hour.
  timeoutS: 3600,
  settings: {
    smoothing: integer('number of frames before and after each one for smoothing', {
      default: 15,
      min: 5,
      max: 60,
      unit: 'frames',
    }),
  },
  examples: [{ title: 'a steadier video', settings: { smoothing: 30 } }],
  measures: () => true,
  async plan(source, { smoothing }, { scratch, signal, progress }) {
    await Promise.all(['vidstabdetect', 'vidstabtransform'].map(requireFilter))
    const motions = filterValue(join(await scratch(), 'motions.trf'))
    progress(FIRST_PASS.from, 'analysing')
    await runFfmpeg(
      [
        ...[...inputArguments(source.path), '-map', `0:${mainVideo(source.info).index}`],
        ...['-vf', `${EVEN},vidstabdetect=result=${motions}`, '-f', 'null', '-'],
      ],
      {
        signal,
        durationS: source.info.durationS,
        onProgress: (part) => progress(FIRST_PASS.from + part * (FIRST_PASS.to - FIRST_PASS.from), 'analysing'),
        what: 'Analysing the motion',
      },
    )
    return {
      videoFilters: [EVEN, `vidstabtransform=input=${motions}:smoothing=${smoothing}`],
      singleVideo: true,
      encode: { video: videoCodecFor(source.extension) },
      // Half of the time has passed.
      progressFrom: FIRST_PASS.to,
    }
  },
})
