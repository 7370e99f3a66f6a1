import { videoCodecFor } from '../../../src/media/av/codecs.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { choice } from '../../../src/tool/settings.ts'
import { PICTURE_SETTINGS, pictureOf } from '../_shared/picture-settings.ts'

const FILTERS = {
  cw90: ['transpose=clock'],
  ccw90: ['transpose=cclock'],
  180: ['hflip', 'vflip'],
  hflip: ['hflip'],
  vflip: ['vflip'],
} as const

export default avTool({
  section: 'video',
  id: 'rotate-video',
  summary: 'Rotate by quarter turns or mirror a video',
  suffix: 'rotated',
  settings: {
    transform: choice(
      ['cw90', 'ccw90', '180', 'hflip', 'vflip'],
      'rotation (clockwise, counter-clockwise, half turn) or mirroring',
      {
        required: true,
        example: 'cw90',
      },
    ),
    ...PICTURE_SETTINGS,
  },
  examples: [
    { title: 'a quarter turn clockwise', settings: { transform: 'cw90' } },
    { title: 'left and right exchanged', settings: { transform: 'hflip' } },
  ],
  plan: (source, { transform, ...rest }) => ({
    ...pictureOf(rest),
    videoFilters: [...FILTERS[transform]],
    changes: ['size'],
    encode: { video: videoCodecFor(source.extension) },
  }),
})
