import type { PictureChoice } from '../../../src/media/av/picture/request.ts'
import { choice } from '../../../src/tool/settings.ts'

/** The settings of every tool that encodes video from video. */
export const PICTURE_SETTINGS = {
  interlace: choice(
    ['auto', 'deinterlace', 'keep'],
    'auto deinterlaces interlaced video, deinterlace any video; keep encodes both fields',
    { default: 'auto' },
  ),
  hdr: choice(
    ['auto', 'keep', 'sdr'],
    'auto keeps HDR if the result can hold it, keep insists on it, sdr converts it',
    {
      default: 'auto',
      label: 'HDR',
    },
  ),
} as const

/** The values of PICTURE_SETTINGS as a tool passes them on. */
export const pictureOf = ({ interlace, hdr }: Required<PictureChoice>): { picture: PictureChoice } => ({
  picture: { interlace, hdr },
})
