import { videoCodecFor } from '../../../src/media/av/codecs.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { choice, integer } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import { PICTURE_SETTINGS, pictureOf } from '../_shared/picture-settings.ts'

const PRESETS = ['custom', '2160p', '1440p', '1080p', '720p', '480p', '360p'] as const

/** Encoders with halved colour resolution accept only even sides; this is the minimum. In pixels. */
const MIN_SIDE = 16

/** The height of interlaced video is a multiple of this, pixels. */
const FIELD_ROWS = 4

const even = (side: number): number => Math.max(MIN_SIDE, side - (side % 2))

const follows = (side: string, step = 2): string => `max(${step}\\,${step}*round(${side}/${step}))`

export default avTool({
  section: 'video',
  id: 'resize-video',
  summary: 'Scale a video to a size or a named height',
  suffix: 'resized',
  settings: {
    width: integer('width of the result; made even', {
      short: 'w',
      min: 16,
      max: 7680,
      unit: 'px',
      when: { preset: 'custom' },
      example: 1280,
    }),
    height: integer('height of the result; made even', {
      short: 'H',
      min: 16,
      max: 4320,
      unit: 'px',
      when: { preset: 'custom' },
      example: 720,
    }),
    preset: choice(PRESETS, 'a named height; the width follows', { default: 'custom' }),
    ...PICTURE_SETTINGS,
  },
  examples: [
    { title: 'a smaller picture', settings: { preset: '360p' } },
    { title: 'by width', settings: { width: 160 } },
  ],
  check({ width, height, preset }) {
    if (preset === 'custom' && width === undefined && height === undefined)
      throw invalidSettings('Expected width, height or a preset', 'For example: --preset 720p')
  },
  plan(source, { width, height, preset, ...rest }) {
    const named = preset === 'custom' ? undefined : Number.parseInt(preset, 10)
    // The other side follows from the displayed aspect ratio (pixels of some sources are not square), and is even.
    const across = named || width === undefined ? follows('oh*dar') : even(width)
    const down =
      named ?? (height === undefined ? follows('ow/dar', rest.interlace === 'keep' ? FIELD_ROWS : 2) : even(height))
    return {
      videoFilters: [`scale=${across}:${down}:flags=lanczos`, 'setsar=1'],
      changes: ['size'],
      ...pictureOf(rest),
      singleVideo: true,
      encode: { video: videoCodecFor(source.extension) },
    }
  },
})
