import { join } from 'node:path'
import { inputArguments, requireFilter, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { mainVideo } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { filterValue } from '../../../src/engines/ffmpeg/filter.ts'
import { CROP_TO_EVEN, videoCodecFor } from '../../../src/media/av/codecs.ts'
import { knownContainer } from '../../../src/media/av/containers.ts'
import { outputExtension } from '../../../src/media/av/filters/graph.ts'
import { isHdr } from '../../../src/media/av/picture/hdr.ts'
import { preparePicture } from '../../../src/media/av/picture/study.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { integer } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import { PICTURE_SETTINGS, pictureOf } from '../_shared/picture-settings.ts'

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
    ...PICTURE_SETTINGS,
  },
  examples: [{ title: 'a steadier video', settings: { smoothing: 30 } }],
  measures: () => true,
  async plan(source, { smoothing, ...rest }, { scratch, signal, progress, warn }) {
    await Promise.all(['vidstabdetect', 'vidstabtransform'].map(requireFilter))
    const motions = filterValue(join(await scratch(), 'motions.trf'))
    const codec = videoCodecFor(source.extension)
    const container = knownContainer(outputExtension(source, []))
    const isConverted = isHdr(mainVideo(source.info))
    if (isConverted && rest.hdr === 'keep')
      throw invalidSettings('HDR cannot be kept: the stabilizer has 8 bits', 'Leave hdr at auto to convert it to SDR.')
    if (isConverted && rest.hdr === 'auto') warn('HDR is converted to SDR: the stabilizer has 8 bits')
    const choice = isConverted ? { ...rest, hdr: 'sdr' as const } : rest
    const request = { choice, options: codec, container, filters: [EVEN, 'vidstabtransform'] }
    // The second pass reports what is decided.
    const { before } = await preparePicture(source, request, { signal, warn: () => {} })
    progress(FIRST_PASS.from, 'analysing')
    await runFfmpeg(
      [
        ...[...inputArguments(source.path), '-map', `0:${mainVideo(source.info).index}`],
        ...['-vf', [...before, EVEN, `vidstabdetect=result=${motions}`].join(','), '-f', 'null', '-'],
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
      ...pictureOf(choice),
      singleVideo: true,
      encode: { video: codec },
      // Half of the time has passed.
      progressFrom: FIRST_PASS.to,
    }
  },
})
