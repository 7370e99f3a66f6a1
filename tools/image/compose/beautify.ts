import { imageTool } from '../../../src/tool/image-tool.ts'
import { choice, color, group, integer, list, number, type SettingsOf, text } from '../../../src/tool/settings.ts'
import { type ShadowLook, withShadow } from '../_shared/layers/shadow.ts'
import { onEachPage, onlyFirstPage } from '../_shared/layout/pages.ts'
import { onBackdrop } from './beautify/backdrop.ts'
import { inFrame } from './beautify/screenshot-frame.ts'
import {
  SCREENSHOT_FRAMES,
  type ScreenshotFrame,
  type ScreenshotFrameName,
  WINDOW_FRAMES,
} from './beautify/screenshot-frames.ts'
import { withSignature } from './beautify/signature.ts'

/** Settings that apply only to a custom shadow. */
const CUSTOM_SHADOW = { group: 'Shadow', when: { shadowPreset: 'custom' } } as const

const settings = {
  backgroundType: choice(
    ['solid', 'linear-gradient', 'radial-gradient', 'image', 'transparent'],
    'what is behind the screenshot',
    { default: 'linear-gradient', group: 'Background' },
  ),
  backgroundColor: color('colour of the background', {
    default: '#667eea',
    group: 'Background',
    when: { backgroundType: 'solid' },
  }),
  gradientStops: list(
    group(
      {
        color: color('colour of the stop', { required: true, example: '#667eea' }),
        position: number('position of the stop', { min: 0, max: 100, required: true, unit: '%', example: 0 }),
      },
      'one colour of the gradient',
    ),
    'colours of the gradient, at least two',
    {
      group: 'Background',
      when: { backgroundType: ['linear-gradient', 'radial-gradient'] },
      default: [
        { color: '#667eea', position: 0 },
        { color: '#764ba2', position: 100 },
      ],
      minLength: 2,
      maxLength: 100,
    },
  ),
  gradientAngle: number('direction of the gradient: 0 up, 90 right', {
    group: 'Background',
    when: { backgroundType: 'linear-gradient' },
    default: 135,
    min: 0,
    max: 360,
    unit: 'degrees',
  }),
  padding: integer('padding around the screenshot', {
    group: 'Background',
    default: 64,
    min: 0,
    max: 256,
    unit: 'px',
  }),
  borderRadius: integer('corner radius', {
    group: 'Frame',
    when: { frame: ['none', ...WINDOW_FRAMES] },
    default: 12,
    min: 0,
    max: 64,
    unit: 'px',
  }),
  shadowPreset: choice(['none', 'subtle', 'medium', 'dramatic', 'custom'], 'shadow under the screenshot', {
    group: 'Shadow',
    default: 'subtle',
  }),
  shadowBlur: number('softness of the shadow', { ...CUSTOM_SHADOW, default: 20, min: 0, max: 100, unit: 'px' }),
  shadowOffsetX: integer('moves the shadow to the right', {
    ...CUSTOM_SHADOW,
    default: 0,
    min: -50,
    max: 50,
    unit: 'px',
  }),
  shadowOffsetY: integer('moves the shadow down', { ...CUSTOM_SHADOW, default: 10, min: -50, max: 50, unit: 'px' }),
  shadowColor: color('colour of the shadow', { ...CUSTOM_SHADOW, default: '#000000' }),
  shadowOpacity: number('opacity; 100 is opaque', { ...CUSTOM_SHADOW, default: 30, min: 0, max: 100, unit: '%' }),
  frame: choice(
    ['none', ...(Object.keys(SCREENSHOT_FRAMES) as ScreenshotFrameName[])],
    'window or device around the screenshot',
    { default: 'none', group: 'Frame' },
  ),
  frameTitle: text('title of the window; in browsers also the address', {
    group: 'Frame',
    when: { frame: WINDOW_FRAMES },
    maxLength: 500,
    example: 'example.com',
  }),
  socialPreset: choice(
    ['none', 'twitter', 'linkedin', 'instagram-square', 'instagram-story', 'facebook', 'producthunt'],
    'fit the result into the image size of this site',
    { default: 'none', group: 'Output' },
  ),
  watermarkText: text('white text over the finished picture', {
    group: 'Watermark',
    maxLength: 500,
    example: '@example',
  }),
  watermarkPosition: choice(
    ['top-left', 'top-right', 'bottom-left', 'bottom-right', 'center'],
    'position of the watermark',
    { default: 'bottom-right', group: 'Watermark' },
  ),
  watermarkOpacity: number('opacity; 100 is opaque', { default: 50, min: 0, max: 100, unit: '%', group: 'Watermark' }),
  outputFormat: choice(['png', 'jpeg', 'webp'], 'output format; jpeg becomes png if the result is transparent', {
    group: 'Output',
    default: 'png',
    valueAliases: { jpg: 'jpeg' },
  }),
}

type Settings = SettingsOf<typeof settings>

/** Named shadows (catalogue). */
const SHADOWS = {
  subtle: { blur: 20, offsetX: 0, offsetY: 4, color: '#000000', opacity: 20 },
  medium: { blur: 40, offsetX: 0, offsetY: 10, color: '#000000', opacity: 35 },
  dramatic: { blur: 80, offsetX: 0, offsetY: 20, color: '#000000', opacity: 50 },
} as const satisfies Record<string, ShadowLook>

/** Sizes of social media previews, px (catalogue). */
const SOCIAL = {
  twitter: { width: 1600, height: 900 },
  linkedin: { width: 1200, height: 627 },
  'instagram-square': { width: 1080, height: 1080 },
  'instagram-story': { width: 1080, height: 1920 },
  facebook: { width: 1200, height: 630 },
  producthunt: { width: 1270, height: 760 },
} as const

/** Quality of jpeg and webp (catalogue). */
const QUALITY = 90

function shadowOf(options: Settings): ShadowLook | undefined {
  const { shadowPreset, shadowBlur, shadowOffsetX, shadowOffsetY, shadowColor, shadowOpacity } = options
  if (shadowPreset === 'none') return undefined
  if (shadowPreset !== 'custom') return SHADOWS[shadowPreset]
  return {
    blur: shadowBlur,
    offsetX: shadowOffsetX,
    offsetY: shadowOffsetY,
    color: shadowColor,
    opacity: shadowOpacity,
  }
}

/** Whether the result needs transparency, so that JPEG is not possible (catalogue). */
function needsAlpha({ borderRadius, frame, shadowPreset, backgroundType }: Settings): boolean {
  return borderRadius > 0 || frame !== 'none' || shadowPreset !== 'none' || backgroundType === 'transparent'
}

export default imageTool({
  id: 'beautify',
  summary: 'Dress a screenshot with background, frame, shadow, watermark and social size',
  suffix: 'beautified',
  converts: true,
  input: {
    files: 'one',
    min: 1,
    max: 1,
    accept: ['image'],
    secondary: {
      backgroundImage: { required: false, what: 'the image for backgroundType image', accept: ['image'] },
    },
  },
  output: { kind: 'file', type: { setting: 'outputFormat', maybe: ['png'] } },
  settings,
  examples: [
    { title: 'a window on a gradient', settings: { frame: 'macos-light', frameTitle: 'Mountains' } },
    {
      title: 'a browser on a solid colour, for a link preview',
      settings: {
        frame: 'browser-dark',
        frameTitle: 'example.com',
        backgroundType: 'solid',
        backgroundColor: '#fef3c7',
        shadowPreset: 'medium',
        socialPreset: 'facebook',
      },
    },
    {
      title: 'a phone with a transparent background',
      inputs: ['portrait.jpg'],
      settings: { frame: 'iphone-dark', backgroundType: 'transparent', shadowPreset: 'none', padding: 16 },
    },
    {
      title: 'over another picture, signed',
      secondary: { backgroundImage: 'holiday.jpg' },
      settings: { backgroundType: 'image', watermarkText: '@example', shadowPreset: 'dramatic', outputFormat: 'webp' },
    },
  ],
  async transform(given, options, context) {
    const format = options.outputFormat === 'jpeg' ? (needsAlpha(options) ? 'png' : 'jpg') : options.outputFormat
    if (options.outputFormat === 'jpeg' && format === 'png')
      context.warn(
        'JPEG does not support the transparency of corners, shadow, frame or background: the result is a PNG file',
      )
    const picture = format === 'webp' ? given : await onlyFirstPage(given, context, format)
    const frame: ScreenshotFrame | undefined = options.frame === 'none' ? undefined : SCREENSHOT_FRAMES[options.frame]
    const shadow = shadowOf(options)
    const look = { frame, title: options.frameTitle ?? '', radius: options.borderRadius }
    const dressed = await onEachPage(await picture.toRgb(), async (page) => {
      const framed = await inFrame(page, look, context)
      const shaded = shadow ? await withShadow(framed, shadow, context) : framed
      // The background fills the whole size: bars next to it would show a seam.
      const canvas = options.socialPreset === 'none' ? undefined : SOCIAL[options.socialPreset]
      return withSignature(await onBackdrop(shaded, options, context, canvas), options, context)
    })
    return dressed.withTarget({ format, quality: QUALITY })
  },
})
