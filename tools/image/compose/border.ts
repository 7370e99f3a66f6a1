import type { OverlayOptions } from '../../../src/engines/sharp.ts'
import { formatOf } from '../../../src/media/image/encode/fit-to-format.ts'
import type { ImageFrame, Size } from '../../../src/media/image/frame.ts'
import { imageTool, type StepContext } from '../../../src/tool/image-tool.ts'
import { SAME_PICTURE } from '../../../src/tool/output-type.ts'
import { boolean, choice, color, integer, number, type SettingsOf } from '../../../src/tool/settings.ts'
import { drawingFor, inColoursOf, paintable } from '../_shared/layers/ground.ts'
import { placed } from '../_shared/layers/layers.ts'
import { roundCorners } from '../_shared/layers/round-corners.ts'
import { withShadow } from '../_shared/layers/shadow.ts'
import {
  CLEAR,
  colouredLayers,
  edgeRectangles,
  evenEdges,
  onGround,
  opaqueAs,
  sizeWith,
} from '../_shared/layout/edges.ts'
import { onEachPage, onlyFirstPage } from '../_shared/layout/pages.ts'
import { borderDrawing } from './border/style.ts'

const OF_SHADOW = { group: 'Shadow', when: { shadow: true } } as const

const settings = {
  width: integer('width of the border', {
    group: 'Border',
    label: 'Border width',
    default: 10,
    min: 0,
    max: 2000,
    unit: 'px',
    aliases: ['borderWidth'],
  }),
  color: color('colour of the border', { group: 'Border', default: '#000000', aliases: ['borderColor'] }),
  style: choice(['solid', 'gradient', 'pattern'], 'how the border is filled', { group: 'Border', default: 'solid' }),
  color2: color('second colour', {
    group: 'Border',
    label: 'Second color',
    when: { style: ['gradient', 'pattern'] },
    default: '#ffffff',
  }),
  gradientAngle: number('direction of the gradient: 0 up, 90 right', {
    group: 'Border',
    when: { style: 'gradient' },
    default: 135,
    min: 0,
    max: 360,
    unit: 'degrees',
  }),
  pattern: choice(['stripes', 'dots', 'checker'], 'what the pattern shows', {
    group: 'Border',
    when: { style: 'pattern' },
    default: 'stripes',
  }),
  padding: integer('space between image and border', { group: 'Padding', default: 0, min: 0, max: 200, unit: 'px' }),
  paddingColor: color('colour of that space', { group: 'Padding', default: '#ffffff' }),
  borderRadius: integer('radius of the outer corners', {
    group: 'Border',
    default: 0,
    min: 0,
    max: 2000,
    unit: 'px',
    aliases: ['cornerRadius'],
  }),
  shadow: boolean('draw a shadow under it', { group: 'Shadow', default: false }),
  shadowBlur: integer('softness of the shadow', { ...OF_SHADOW, default: 15, min: 1, max: 200, unit: 'px' }),
  shadowOffsetX: integer('moves the shadow to the right', { ...OF_SHADOW, default: 0, min: -50, max: 50, unit: 'px' }),
  shadowOffsetY: integer('moves the shadow down', { ...OF_SHADOW, default: 5, min: -50, max: 50, unit: 'px' }),
  shadowColor: color('colour of the shadow', { ...OF_SHADOW, default: '#000000' }),
  shadowOpacity: number('opacity; 100 is opaque', { ...OF_SHADOW, default: 40, min: 0, max: 100, unit: '%' }),
}

type Settings = SettingsOf<typeof settings>

/** Formats that are kept when corners or a shadow need transparency; others become PNG (catalogue). */
const CLEAR_FORMATS: ReadonlySet<string> = new Set(['png', 'webp', 'avif'])

/** The border as layers on the whole canvas. */
async function borderLayers(
  frame: ImageFrame,
  canvas: Size,
  options: Settings,
  context: StepContext,
): Promise<OverlayOptions[]> {
  const whole = { left: 0, top: 0, ...canvas }
  const parts = edgeRectangles(whole, evenEdges(options.width))
  if (options.style === 'solid') return colouredLayers(parts, await inColoursOf(frame, options.color, context))
  const layers: OverlayOptions[] = []
  for (const { left, top, svg } of borderDrawing(canvas, parts, options)) {
    layers.push(placed(await drawingFor(frame, svg, context), left, top))
  }
  return layers
}

/**
 * The one colour around an opaque picture, which libvips fills faster than layers; undefined if there are several, or
 * if only layers are exact.
 */
function plainColour({ hasAlpha, bits, space }: ImageFrame, options: Settings): string | undefined {
  const { width, padding, style, color: colour, paddingColor } = options
  if (hasAlpha || bits !== 8 || space !== 'rgb') return undefined
  if (width === 0) return padding > 0 ? paddingColor : undefined
  return style === 'solid' && (padding === 0 || colour === paddingColor) ? colour : undefined
}

async function framed(frame: ImageFrame, options: Settings, context: StepContext): Promise<ImageFrame> {
  const { width, padding, paddingColor } = options
  const edges = evenEdges(width + padding)
  const plain = plainColour(frame, options)
  if (plain !== undefined) return onGround(frame, edges, await inColoursOf(frame, plain, context))
  const canvas = sizeWith(frame, edges)
  const within = { left: width, top: width, width: canvas.width - 2 * width, height: canvas.height - 2 * width }
  const layers = [
    ...colouredLayers(edgeRectangles(within, evenEdges(padding)), await inColoursOf(frame, paddingColor, context)),
    ...(await borderLayers(frame, canvas, options, context)),
  ]
  if (layers.length === 0) return frame
  const room = { ...edges, background: CLEAR }
  return frame.apply((image) => opaqueAs(frame, image.extend(room).composite(layers)), { size: canvas, pagewise: true })
}

export default imageTool({
  id: 'border',
  summary: 'Add padding, a border, rounded corners and a drop shadow',
  output: { kind: 'file', type: { ...SAME_PICTURE, maybe: ['png'] } },
  settings,
  scalable: true,
  examples: [
    { title: 'a black border with a white mat', settings: { width: 12, padding: 40 } },
    {
      title: 'round corners and a soft shadow',
      settings: { width: 0, borderRadius: 48, shadow: true, shadowBlur: 30, shadowOffsetY: 20 },
    },
    {
      title: 'a striped border',
      inputs: ['portrait.jpg'],
      settings: { width: 32, style: 'pattern', color: '#1e3a8a', color2: '#fef3c7' },
    },
  ],
  async transform(given, options, context) {
    const { width, padding, color: colour, color2, paddingColor, borderRadius, shadow, style } = options
    const kept = formatOf(given).id
    const becomesPng = (borderRadius > 0 || shadow) && !CLEAR_FORMATS.has(kept)
    const frame = becomesPng ? await onlyFirstPage(given.withTarget({ format: 'png' }), context, 'png') : given
    const drawn = [
      ...(width > 0 ? [colour, ...(style === 'solid' ? [] : [color2])] : []),
      ...(padding > 0 ? [paddingColor] : []),
      ...(shadow ? [options.shadowColor] : []),
    ]
    const bordered = await framed(await paintable(frame, ...drawn), options, context)
    const rounded = await roundCorners(bordered, borderRadius)
    if (!shadow) return rounded
    const look = {
      blur: options.shadowBlur,
      offsetX: options.shadowOffsetX,
      offsetY: options.shadowOffsetY,
      color: options.shadowColor,
      opacity: options.shadowOpacity,
    }
    return onEachPage(rounded, (page) => withShadow(page, look, context))
  },
})
