import { fitWithBars } from '../../../src/media/image/backgrounds.ts'
import type { Size } from '../../../src/media/image/frame.ts'
import { checkResultSize } from '../../../src/media/limits.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { boolean, choice, color, integer, number } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import { isGrey } from '../_shared/colour/colours.ts'
import { SOCIAL_SIZES, type SocialSize } from './resize/social-sizes.ts'

const FOCUS = { default: 50, min: 0, max: 100, unit: '%', group: 'Focal point' } as const

/**
 * Where the box is cut out of the covering image so that the focal point is as near to its centre as possible.
 * @param focus share of the covering side, in percent
 */
function offsetAround(focus: number, covering: number, box: number): number {
  return Math.min(covering - box, Math.max(0, Math.round((covering * focus) / 100 - box / 2)))
}

type Fit = 'cover' | 'contain' | 'fill' | 'inside' | 'outside'

/** The requested box; an absent side follows the image's aspect ratio. */
function boxOf(source: Size, wanted: Partial<Size>): Size {
  const { width, height } = wanted
  if (width !== undefined && height !== undefined) return { width, height }
  if (width !== undefined) return { width, height: Math.max(1, Math.round((source.height * width) / source.width)) }
  return { width: Math.max(1, Math.round((source.width * height!) / source.height)), height: height! }
}

/** The image's own proportions, fitted inside the box (inside) or covering it (outside). */
function proportional(source: Size, box: Size, fit: 'inside' | 'outside'): Size {
  const choose = fit === 'inside' ? Math.min : Math.max
  const scale = choose(box.width / source.width, box.height / source.height)
  return {
    width: Math.max(1, Math.round(source.width * scale)),
    height: Math.max(1, Math.round(source.height * scale)),
  }
}

export default imageTool({
  id: 'resize',
  summary: 'Scale an image by pixels, percentage or a named social size',
  settings: {
    width: integer('width of the result', { short: 'w', min: 1, max: 16383, unit: 'px', example: 800 }),
    height: integer('height of the result', { short: 'H', min: 1, max: 16383, unit: 'px', example: 600 }),
    fit: choice(['cover', 'contain', 'fill', 'inside', 'outside'], 'how the image is fitted into width and height', {
      default: 'contain',
      filledByTool: true,
    }),
    percentage: number('scale both sides; replaces width and height', {
      exclusiveMin: 0,
      max: 1000,
      unit: '%',
      example: 50,
    }),
    withoutEnlargement: boolean('never make the image larger than it is', { default: false }),
    preset: choice(Object.keys(SOCIAL_SIZES) as SocialSize[], 'a social network size; fit is then cover unless given', {
      scales: false,
    }),
    focusX: number('the point that fit cover keeps in the middle, from the left', FOCUS),
    focusY: number('the same, from the top', FOCUS),
    contentAware: boolean('remove the least important parts instead of scaling, like content-aware-resize', {
      tool: 'content-aware-resize',
      scales: false,
    }),
    background: color('colour of the bars that fit contain adds', { default: '#000000', transparent: true }),
  },
  scalable: true,
  examples: [
    { title: '800 pixels wide', settings: { width: 800 } },
    { title: 'a square thumbnail', settings: { width: 300, height: 300, fit: 'cover' } },
    {
      title: 'a banner around the point that matters',
      settings: { width: 600, height: 200, fit: 'cover', focusX: 30, focusY: 25 },
    },
    { title: 'half the size', settings: { percentage: 50 } },
    { title: 'a post for a social network', settings: { preset: 'instagram-post-square' } },
  ],
  check({ width, height, percentage, preset }) {
    if (width === undefined && height === undefined && percentage === undefined && preset === undefined)
      throw invalidSettings('Expected at least one of width, height, percentage and preset', 'For example: --width 800')
  },
  async transform(frame, settings) {
    const { percentage, withoutEnlargement, preset, background, focusX, focusY } = settings
    const source = { width: frame.width, height: frame.height }
    const named = preset && SOCIAL_SIZES[preset]
    const fit: Fit = percentage !== undefined ? 'fill' : (settings.fit ?? (named ? 'cover' : 'contain'))
    const hasFocus = focusX !== FOCUS.default || focusY !== FOCUS.default
    if (hasFocus && fit !== 'cover')
      throw invalidSettings(
        `focusX and focusY have no effect with fit ${fit}, which cuts nothing off`,
        'Set fit to cover.',
      )
    let box: Size
    if (percentage !== undefined) {
      const scaled = (side: number): number => Math.max(1, Math.round((side * percentage) / 100))
      box = { width: scaled(source.width), height: scaled(source.height) }
    } else box = boxOf(source, { width: settings.width ?? named?.width, height: settings.height ?? named?.height })
    if (withoutEnlargement)
      box = { width: Math.min(box.width, source.width), height: Math.min(box.height, source.height) }
    const size = fit === 'inside' || fit === 'outside' ? proportional(source, box, fit) : box
    checkResultSize(size.width, size.height, frame.pages)
    if (hasFocus) {
      const covering = proportional(source, size, 'outside')
      const area = {
        left: offsetAround(focusX, covering.width, size.width),
        top: offsetAround(focusY, covering.height, size.height),
        ...size,
      }
      return frame.apply((image) => image.resize({ ...covering, fit: 'fill' }).extract(area), { size, pagewise: true })
    }
    // On the stacked frames of an animation, the edges of every frame would mix with the next.
    const pagewise = true
    const bothGiven = named !== undefined || (settings.width !== undefined && settings.height !== undefined)
    if (fit !== 'contain' || !bothGiven)
      return frame.apply((image) => image.resize({ ...size, fit: fit === 'cover' ? 'cover' : 'fill' }), {
        size,
        pagewise,
        stage: 'resize',
      })
    const clear = background === 'transparent'
    const bars = size.width * source.height !== size.height * source.width
    if (!bars)
      return frame.apply((image) => image.resize({ ...size, fit: 'fill' }), { size, pagewise, stage: 'resize' })
    const clearBars = { r: 0, g: 0, b: 0, alpha: 0 }
    // Bars are RGB colours: a CMYK image would have to become RGB, a grey one supports only grey bars.
    const base = frame.space === 'cmyk' || (!clear && !isGrey(background)) ? await frame.toRgb() : frame
    return base.apply(
      (image) =>
        clear
          ? image.resize({ ...size, fit: 'contain', background: clearBars })
          : fitWithBars(image, size, background, base),
      { size, pagewise, ...(clear && { alpha: true }) },
    )
  },
})
