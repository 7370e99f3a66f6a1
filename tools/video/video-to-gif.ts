import { checkStart } from '../../src/media/av/checks.ts'
import { seconds } from '../../src/media/av/range.ts'
import { avTool } from '../../src/tool/av-tool.ts'
import { integer, number } from '../../src/tool/settings.ts'
import { atRate } from './_shared/frame-rate.ts'

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
    startS: number('where it begins', { short: 's', default: 0, min: 0, unit: 's' }),
    durationS: number('how long it is', { default: 5, exclusiveMin: 0, max: 60, unit: 's' }),
  },
  output: { kind: 'file', type: { is: 'gif' } },
  conversion: true,
  examples: [{ title: 'one second, small', settings: { width: 160, fps: 8, durationS: 1 } }],
  plan(source, { fps, width, startS, durationS }) {
    checkStart(source, startS)
    const lengthS = Math.min(durationS, (source.info.durationS ?? Number.POSITIVE_INFINITY) - startS)
    return {
      range: { startS, endS: startS + durationS, exact: true },
      // The height by the shape as shown: GIF has square pixels only.
      // Older builds repeat the last frame up to where the video ends: cut once more behind `fps`.
      videoFilters: [
        atRate(fps, lengthS),
        `trim=end=${seconds(Math.max(durationS, 1 / fps))}`,
        `scale=${width}:max(1\\,round(ow/dar)):flags=lanczos`,
        'setsar=1',
      ],
      // The colours are chosen for what moves. Dots in a fixed order stay where they are while nothing moves, which takes a
      // third less than diffused errors and looks steadier; only the rectangle that changes is written.
      complexFilter: (input) =>
        `${input}split[colours][frames];[colours]palettegen=stats_mode=diff[palette];` +
        '[frames][palette]paletteuse=dither=bayer:bayer_scale=5:diff_mode=rectangle[v]',
      singleVideo: true,
      audio: 'drop',
      subtitles: 'drop',
      encode: { container: 'gif' },
      endsRun: true,
    }
  },
})
