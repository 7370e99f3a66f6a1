import { videoCodecFor } from '../../../src/media/av/codecs.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { number } from '../../../src/tool/settings.ts'
import { atRate, frameRate } from '../_shared/frame-rate.ts'
import { PICTURE_SETTINGS, pictureOf } from '../_shared/picture-settings.ts'

export default avTool({
  section: 'video',
  id: 'change-fps',
  summary: 'Change the frame rate of a video',
  suffix: 'fps',
  settings: {
    fps: number('frames per second; 23.976, 29.97 and 59.94 mean the exact NTSC rates', {
      default: 30,
      min: 1,
      max: 120,
    }),
    ...PICTURE_SETTINGS,
  },
  examples: [{ title: 'fewer frames', settings: { fps: 10 } }],
  plan: (source, { fps, ...rest }) => ({
    ...pictureOf(rest),
    videoFilters: [atRate(frameRate(fps), source.info.durationS)],
    changes: ['frameRate'],
    encode: { video: videoCodecFor(source.extension) },
  }),
})
