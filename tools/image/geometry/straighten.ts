import type { ImageFrame } from '../../../src/media/image/frame.ts'
import { checkResultSize } from '../../../src/media/limits.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { color, integer, number, text } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import { isGrey, sharpColour } from '../_shared/colour/colours.ts'
import { turnedSize } from '../_shared/layout/bounds.ts'
import { readCorners, straightSize } from './straighten/quadrilateral.ts'
import { skewOf } from './straighten/skew.ts'
import { warp } from './straighten/warp.ts'

/** Longest side of the copy in which the angle is measured, px: small print has lines of several pixels. */
const MEASURED = 1600
/** Smaller angles are not visible, degrees. */
const LEAST_ANGLE = 0.05

async function measuredSkew(frame: ImageFrame, maxAngle: number): Promise<number | undefined> {
  const scale = Math.min(1, MEASURED / Math.max(frame.width, frame.height))
  const size = {
    width: Math.max(1, Math.round(frame.width * scale)),
    height: Math.max(1, Math.round(frame.height * scale)),
  }
  const small = await frame.apply(
    (image) =>
      image
        .resize({ ...size, fit: 'fill' })
        .flatten({ background: '#fff' })
        .greyscale(),
    { size },
  )
  const pixels = await small.pixels({ alpha: 'drop' })
  const { data, channels } = pixels
  const grey = channels === 1 ? data : Buffer.from(data.filter((_, at) => at % channels === 0))
  return skewOf({ ...pixels, data: grey, channels: 1 }, maxAngle)
}

async function turned(given: ImageFrame, degrees: number, background: string): Promise<ImageFrame> {
  const clear = background === 'transparent'
  const frame = given.space === 'cmyk' || !(clear || isGrey(background)) ? await given.toRgb() : given
  const size = turnedSize(frame, degrees)
  return frame.apply(
    (image) => (clear ? image.ensureAlpha() : image).rotate(degrees, { background: sharpColour(background) }),
    { size, pixelShape: 'changed', pagewise: true, ...(clear && { alpha: true }) },
  )
}

export default imageTool({
  id: 'straighten',
  summary: 'Deskew a scan, or flatten a page, sign or screen photographed at an angle',
  suffix: 'straight',
  settings: {
    corners: text('the four corners of the page in the picture, "X,Y X,Y X,Y X,Y" in px or %, in any order', {
      grammar: 'corners',
      maxLength: 200,
      example: '15%,10% 85%,14% 95%,92% 5%,90%',
    }),
    width: integer('width of the flattened page; from its perspective by default', {
      min: 1,
      max: 16_383,
      unit: 'px',
      example: 1240,
    }),
    height: integer('height of the flattened page', { min: 1, max: 16_383, unit: 'px', example: 1754 }),
    maxAngle: number('without corners: the largest angle that is looked for', {
      default: 15,
      min: 1,
      max: 45,
      unit: 'degrees',
    }),
    background: color('colour of the paper around a turned scan', { default: '#ffffff', transparent: true }),
  },
  scalable: true,
  examples: [
    { title: 'a crooked label, turned by its lines', inputs: ['parcel.jpg'], settings: { background: '#8a6f52' } },
    {
      title: 'the label alone, by its corners',
      inputs: ['parcel.jpg'],
      settings: { corners: '87,0 830,157 743,568 0,411' },
    },
  ],
  check({ corners, width, height }) {
    if (corners === undefined && (width !== undefined || height !== undefined))
      throw invalidSettings('width and height are those of the flattened page, and need corners')
  },
  async transform(given, settings, context) {
    const { corners: written, width, height, maxAngle, background } = settings
    if (written === undefined) {
      const skew = await measuredSkew(await given.firstPage(), maxAngle)
      if (skew === undefined)
        context.warn('No lines of text were found: the image is unchanged. Set corners, or use rotate')
      return skew === undefined || Math.abs(skew) < LEAST_ANGLE ? given : turned(given, -skew, background)
    }
    const frame = given.space === 'cmyk' ? await given.toRgb() : given
    const corners = readCorners(written, frame)
    const own = straightSize(corners, frame)
    const ratio = own.width / own.height
    const size = {
      width: width ?? (height === undefined ? own.width : Math.max(1, Math.round(height * ratio))),
      height: height ?? (width === undefined ? own.height : Math.max(1, Math.round(width / ratio))),
    }
    checkResultSize(size.width, size.height, frame.pages)
    return frame.withSamples(warp(await frame.samples(), corners, size))
  },
})
