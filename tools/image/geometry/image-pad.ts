import { printableName } from '../../../src/media/file.ts'
import type { ImageFrame, Size } from '../../../src/media/image/frame.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { SAME_PICTURE } from '../../../src/tool/output-type.ts'
import { choice, color, integer } from '../../../src/tool/settings.ts'
import { inColoursOf, paintable } from '../_shared/layers/ground.ts'
import { ownLayer } from '../_shared/layers/layers.ts'
import { isOpaque } from '../_shared/layers/opaque.ts'
import { softCover } from '../_shared/layers/soften.ts'
import { CLEAR, type Edges, onGround, opaqueAs, sizeWith } from '../_shared/layout/edges.ts'
import { onEachPage } from '../_shared/layout/pages.ts'

/** The default colour around and behind the image. */
const WHITE = '#ffffff'

/** Sigma of the blurred background, px (catalogue). */
const BLUR = 20

/** The padding that produces the ratio; an odd pixel goes right and bottom. `padding` in percent. */
function edgesFor({ width, height }: Size, [across, down]: readonly [number, number], padding: number): Edges {
  const canvas = {
    width: Math.max(width, Math.round((height * across) / down)),
    height: Math.max(height, Math.round((width * down) / across)),
  }
  const margin = Math.round((Math.max(canvas.width, canvas.height) * padding) / 100)
  const left = Math.floor((canvas.width - width) / 2)
  const top = Math.floor((canvas.height - height) / 2)
  return {
    left: left + margin,
    top: top + margin,
    right: canvas.width - width - left + margin,
    bottom: canvas.height - height - top + margin,
  }
}

/** One page over a blurred copy of itself. */
async function onItself(given: ImageFrame, edges: Edges): Promise<ImageFrame> {
  const page = await given.settled()
  const size = sizeWith(page, edges)
  const ground = await ownLayer(await softCover(page, size, BLUR))
  return page.apply(
    (image) =>
      opaqueAs(page, image.extend({ ...edges, background: CLEAR }).composite([{ ...ground, blend: 'dest-over' }])),
    { size },
  )
}

const CUSTOM = { when: { target: 'custom' } } as const

export default imageTool({
  id: 'image-pad',
  summary: 'Extend an image to a target aspect ratio',
  suffix: 'padded',
  output: { kind: 'file', type: { ...SAME_PICTURE, maybe: ['png', 'webp'] } },
  settings: {
    target: choice(['16:9', '9:16', '1:1', '4:3', '3:4', 'custom'], 'width to height of the result', {
      label: 'Aspect ratio',
      default: '1:1',
    }),
    ratioW: integer('the width of the ratio', { ...CUSTOM, label: 'Ratio width', default: 1, min: 1, max: 100 }),
    ratioH: integer('the height of the ratio', { ...CUSTOM, label: 'Ratio height', default: 1, min: 1, max: 100 }),
    background: choice(['color', 'transparent', 'blur'], 'background around and behind the image', {
      default: 'color',
    }),
    color: color('colour of the background', {
      default: WHITE,
      filledByTool: true,
      when: { background: 'color' },
    }),
    padding: integer('padding on all four sides, as a percentage of the longer side', {
      default: 0,
      min: 0,
      max: 50,
      unit: '%',
    }),
  },
  scalable: true,
  examples: [
    { title: 'a photo in a white square', inputs: ['portrait.jpg'] },
    {
      title: 'a portrait photo as a video still',
      inputs: ['portrait.jpg'],
      settings: { target: '16:9', background: 'blur' },
    },
    {
      title: 'a logo with padding',
      inputs: ['logo.svg'],
      settings: { background: 'transparent', padding: 10 },
    },
  ],
  async transform(given, { target, ratioW, ratioH, background, color: colour, padding }, context) {
    const ratio = target === 'custom' ? [ratioW, ratioH] : target.split(':').map(Number)
    const edges = edgesFor(given, ratio as [number, number], padding)
    const ground = background === 'color' ? (colour ?? WHITE) : 'transparent'
    if (background === 'color' && !colour && !(await isOpaque(given)))
      context.warn(
        `${printableName(given.origin.name)} has transparent parts, which are filled with white; use background transparent to keep them`,
      )
    const frame = await paintable(given, ground)
    if (background === 'blur') return onEachPage(frame, (page) => onItself(page, edges))
    const padded = await onGround(frame, edges, await inColoursOf(frame, ground, context))
    return background === 'color' ? padded : padded.withTarget({ format: given.pages > 1 ? 'webp' : 'png' })
  },
})
