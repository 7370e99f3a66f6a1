import { avTool } from '../../../src/tool/av-tool.ts'
import { boolean, integer } from '../../../src/tool/settings.ts'
import { atRate } from '../_shared/frame-rate.ts'
import { PICTURE_SETTINGS, pictureOf } from '../_shared/picture-settings.ts'

export default avTool({
  section: 'video',
  id: 'video-to-webp',
  summary: 'Turn a video into an animated WebP',
  suffix: 'webp',
  converts: true,
  settings: {
    fps: integer('frames per second', { default: 12, min: 1, max: 30 }),
    width: integer('width of the result; the height follows', {
      short: 'w',
      default: 480,
      min: 16,
      max: 1920,
      unit: 'px',
    }),
    quality: integer('100 is best', { short: 'Q', default: 75, min: 1, max: 100 }),
    loop: boolean('repeat without end; otherwise play once', { default: true }),
    ...PICTURE_SETTINGS,
  },
  output: { kind: 'file', type: { is: 'webp' } },
  conversion: true,
  examples: [{ title: 'small', settings: { width: 160, fps: 8 } }],
  plan: (source, { fps, width, quality, loop, ...rest }) => ({
    videoFilters: [
      atRate(fps, source.info.durationS),
      `scale=${width}:max(2\\,2*round(ow/dar/2)):flags=lanczos`,
      'setsar=1',
    ],
    // All frames are written at the very end.
    ...(source.info.durationS && { frames: { expected: Math.ceil(source.info.durationS * fps), share: 1 } }),
    changes: ['size', 'frameRate', 'pixels'],
    ...pictureOf(rest),
    singleVideo: true,
    audio: 'drop',
    subtitles: 'drop',
    encode: {
      container: 'webp',
      video: ['-c:v', 'libwebp_anim', '-quality', String(quality)],
      options: ['-loop', loop ? '0' : '1'],
    },
    endsRun: true,
  }),
})
