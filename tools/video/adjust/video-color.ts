import { videoCodecFor } from '../../../src/media/av/codecs.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { oneFile } from '../../../src/tool/facts.ts'
import { number } from '../../../src/tool/settings.ts'
import { PICTURE_SETTINGS, pictureOf } from '../_shared/picture-settings.ts'
import { colourFilter } from './video-color/filter.ts'
import { lutFilters } from './video-color/lut.ts'

export default avTool({
  section: 'video',
  id: 'video-color',
  summary: 'Adjust brightness, contrast, saturation and gamma',
  suffix: 'color',
  input: {
    ...oneFile('video'),
    secondary: { lut: { required: false, what: 'a .cube look-up table, applied at the end', accept: ['cube'] } },
  },
  settings: {
    brightness: number('0 changes nothing', { default: 0, min: -1, max: 1 }),
    contrast: number('1 changes nothing, 0 is flat', { default: 1, min: 0, max: 4 }),
    saturation: number('1 changes nothing, 0 is grey', { default: 1, min: 0, max: 3 }),
    gamma: number('above 1 brighter in the middle tones, below darker', { default: 1, min: 0.1, max: 10 }),
    ...PICTURE_SETTINGS,
  },
  examples: [
    { title: 'grey', settings: { saturation: 0 } },
    { title: 'brighter and stronger', settings: { brightness: 0.1, contrast: 1.2 } },
  ],
  async plan(source, { interlace, hdr, ...adjustment }, { secondary, warn }) {
    const codec = videoCodecFor(source.extension)
    const picture = { interlace, hdr }
    const table = secondary.lut ? await lutFilters(secondary.lut, { source, picture, codec, warn }) : []
    return {
      ...pictureOf(picture),
      videoFilters: [colourFilter(adjustment), ...table],
      encode: { video: codec },
    }
  },
})
