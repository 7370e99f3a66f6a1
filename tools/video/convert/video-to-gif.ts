import { PRINTED_TIMES } from '../../../src/engines/ffmpeg/progress.ts'
import { checkStart } from '../../../src/media/av/checks.ts'
import { seconds } from '../../../src/media/av/range.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { integer, number } from '../../../src/tool/settings.ts'
import { atRate } from '../_shared/frame-rate.ts'
import { PICTURE_SETTINGS, pictureOf } from '../_shared/picture-settings.ts'

/** Default and maximum length of the GIF, seconds (catalogue). */
const DEFAULT_S = 5
const LONGEST_S = 60
/** Share of the work that is done once all frames are read for the palette; the rest is for writing. */
const WRITTEN_SHARE = 0.4

export default avTool({
  section: 'video',
  id: 'video-to-gif',
  summary: 'Turn part of a video into an animated GIF',
  suffix: 'gif',
  converts: true,
  async: true,
  settings: {
    fps: integer('frames per second', { default: 12, min: 1, max: 30 }),
    width: integer('width of the result; the height follows', {
      short: 'w',
      default: 480,
      min: 64,
      max: 1280,
      unit: 'px',
    }),
    startS: number('start time', { short: 's', default: 0, min: 0, unit: 's' }),
    durationS: number('length of the clip', { default: DEFAULT_S, exclusiveMin: 0, max: LONGEST_S, unit: 's' }),
    ...PICTURE_SETTINGS,
  },
  output: { kind: 'file', type: { is: 'gif' } },
  conversion: true,
  examples: [{ title: 'one second, small', settings: { width: 160, fps: 8, durationS: 1 } }],
  plan(source, { fps, width, startS, durationS, ...rest }, { warn }) {
    checkStart(source, startS)
    const restS = (source.info.durationS ?? 0) - startS
    // Only the default length was not requested by the user.
    if (durationS === DEFAULT_S && restS > DEFAULT_S + 1 / fps)
      warn(
        `the GIF shows ${DEFAULT_S} s of ${Number(restS.toFixed(2))} s: durationS sets another length, up to ${LONGEST_S} s`,
      )
    const lengthS = Math.min(durationS, (source.info.durationS ?? Number.POSITIVE_INFINITY) - startS)
    return {
      range: { startS, endS: startS + durationS, exact: true },
      // The height follows the displayed aspect ratio: GIF has only square pixels.
      // Older builds repeat the last frame up to the end of the video: cut again after `fps`.
      videoFilters: [
        PRINTED_TIMES,
        atRate(fps, lengthS),
        `trim=end=${seconds(Math.max(durationS, 1 / fps))}`,
        `scale=${width}:max(1\\,round(ow/dar)):flags=lanczos`,
        'setsar=1',
      ],
      // The palette is optimised for moving areas. Ordered dithering stays stable while nothing moves, which takes a
      // third less space than error diffusion and looks steadier; only the rectangle that changes is written.
      complexFilter: (input) =>
        `${input}split[colours][frames];[colours]palettegen=stats_mode=diff[palette];` +
        '[frames][palette]paletteuse=dither=bayer:bayer_scale=5:diff_mode=rectangle[v]',
      frames: { expected: Math.ceil(Math.min(durationS, lengthS) * fps), share: WRITTEN_SHARE },
      changes: ['size', 'frameRate', 'pixels'],
      ...pictureOf(rest),
      singleVideo: true,
      audio: 'drop',
      subtitles: 'drop',
      encode: { container: 'gif' },
      endsRun: true,
    }
  },
})
