import type { ImageFrame, Samples } from '../../../src/media/image/frame.ts'
import { checkResultSize } from '../../../src/media/limits.ts'
import { featureMissing } from '../../../src/models/missing.ts'
import type { Area } from '../../../src/models/tiles.ts'
import { imageTool, type StepContext } from '../../../src/tool/image-tool.ts'
import { choice, integer } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import { findHeads } from '../_shared/faces/keep.ts'
import { type BandOptions, bandTiles } from '../_shared/inpaint/bands.ts'
import { type Filler, fillTiles } from '../_shared/inpaint/fill.ts'
import { withExemplar, withNetwork } from '../_shared/inpaint/fillers.ts'
import { marginsOf } from '../_shared/inpaint/margins.ts'
import type { MirrorDepths } from '../_shared/inpaint/mirror.ts'
import { ERASERS } from '../_shared/inpaint/networks.ts'
import { type Edges, sizeWith } from '../_shared/layout/edges.ts'
import { onEachPage } from '../_shared/layout/pages.ts'
import { formatSetting, targetOf } from '../_shared/output/format.ts'

/**
 * Width of the band that is added at a time: narrower bands join better and take longer. The strip along the border is
 * filled a second time from both sides.
 */
const TIERS: Readonly<Record<string, BandOptions>> = {
  fast: { band: 192, strip: 0 },
  balanced: { band: 128, strip: 24 },
  high: { band: 72, strip: 36 },
}

/** Without a model, everything is matched at once. */
const BY_EXEMPLAR: BandOptions = { strip: 0 }

const edge = (side: string, example?: number) =>
  integer(`space added at the ${side}`, { default: 0, min: 0, unit: 'px', ...(example && { example }) })

/** A page in the centre of a larger canvas, and the empty area. */
function onCanvas(page: Samples, edges: Edges): { samples: Samples; holes: Uint8Array; picture: Area } {
  const { width, height, channels } = page
  const size = sizeWith(page, edges)
  const Kind = page.data instanceof Uint16Array ? Uint16Array : Uint8Array
  const samples: Samples = { ...page, ...size, data: new Kind(size.width * size.height * channels) }
  const holes = new Uint8Array(size.width * size.height).fill(1)
  for (let y = 0; y < height; y += 1) {
    const to = (edges.top + y) * size.width + edges.left
    samples.data.set(page.data.subarray(y * width * channels, (y + 1) * width * channels), to * channels)
    holes.fill(0, to, to + width)
  }
  return { samples, holes, picture: { left: edges.left, top: edges.top, width, height } }
}

/** Every page extended by a filled area. */
async function extended(
  given: ImageFrame,
  edges: Edges,
  options: BandOptions,
  filler: Filler,
  context: StepContext,
): Promise<ImageFrame> {
  return onEachPage(given, async (page) => {
    const frame = await (page.space === 'cmyk' ? await page.toRgb() : page).settled()
    const { samples, holes, picture } = onCanvas(await frame.samples(), edges)
    const { bands, seams } = bandTiles(samples, picture, options, filler.sight)
    await fillTiles(samples, holes, bands, filler, context)
    for (const { part } of seams)
      for (let y = part.top; y < part.top + part.height; y += 1) {
        const start = y * samples.width + part.left
        holes.fill(1, start, start + part.width)
      }
    await fillTiles(samples, holes, seams, filler, context)
    return frame.withSamples(samples)
  })
}

const SIDES = ['top', 'right', 'bottom', 'left'] as const

/** Side of the copy in which the margins of an image are measured, px. */
const COARSE = 128

/** An image with a smaller margin is not calm at that side: it has no part that could be repeated alone. */
const CALM = 0.06

/** What a fill without a network can repeat at each side; warns where the result is likely to be wrong. */
async function limitsOf(
  given: ImageFrame,
  edges: Edges,
  context: StepContext,
): Promise<{ around: MirrorDepths; barred: Area[] }> {
  context.warn('Filled from the rest of the image: the models object-eraser-colorize are not installed')
  const page = await (await given.firstPage()).settled()
  const { width, height } = page
  const copy = { width: COARSE, height: COARSE }
  const small = await page.apply((image) => image.resize({ ...copy, fit: 'fill' }), { size: copy })
  const margins = marginsOf(await small.pixels({ alpha: 'drop' }))
  const extendedSides = SIDES.filter((side) => edges[side] > 0)
  const restless = extendedSides.filter((side) => margins[side] < CALM)
  for (const side of restless) margins[side] = 1
  const heads = await findHeads(page, context)
  for (const head of heads) {
    margins.left = Math.min(margins.left, head.left / width)
    margins.right = Math.min(margins.right, 1 - (head.left + head.width) / width)
    margins.top = Math.min(margins.top, head.top / height)
    margins.bottom = Math.min(margins.bottom, 1 - (head.top + head.height) / height)
  }
  if (restless.length > 0)
    context.warn(
      `At the ${restless.join(' and ')}, different things reach the edge of the image: they are mirrored, so check the result`,
    )
  const depth = (side: (typeof SIDES)[number]): number => (edges[side] > 0 ? margins[side] : 0)
  const inner = {
    left: edges.left + Math.round(depth('left') * width),
    top: edges.top + Math.round(depth('top') * height),
    width: Math.round((1 - depth('left') - depth('right')) * width),
    height: Math.round((1 - depth('top') - depth('bottom')) * height),
  }
  const barred = heads.map((head) => ({ ...head, left: head.left + edges.left, top: head.top + edges.top }))
  const hasInner = restless.length === 0 && inner.width > 0 && inner.height > 0
  return { around: margins, barred: hasInner ? [...barred, inner] : barred }
}

export default imageTool({
  id: 'ai-canvas-expand',
  summary: 'Extend the canvas and fill the new area',
  suffix: 'extended',
  bundles: ['object-eraser-colorize'],
  models: ERASERS,
  settings: {
    extendTop: edge('top'),
    extendRight: edge('right', 200),
    extendBottom: edge('bottom'),
    extendLeft: edge('left'),
    tier: choice(['fast', 'balanced', 'high'], 'smaller steps and better seams, or less time', {
      default: 'balanced',
    }),
    format: formatSetting(),
    quality: integer('for lossy formats; 100 is best', { short: 'Q', group: 'Output', default: 95, min: 1, max: 100 }),
  },
  output: { kind: 'file+report', type: { setting: 'format' } },
  timeoutS: 300,
  heavy: true,
  async: true,
  examples: [
    { title: 'more sky, quickly', settings: { extendTop: 160, tier: 'fast' } },
    {
      title: 'a portrait as a wide banner',
      inputs: ['portrait.jpg'],
      settings: { extendLeft: 500, extendRight: 500, tier: 'high' },
    },
  ],
  check({ extendTop, extendRight, extendBottom, extendLeft }) {
    if (extendTop + extendRight + extendBottom + extendLeft === 0)
      throw invalidSettings(
        'Nothing is added: at least one of extendTop, extendRight, extendBottom, extendLeft must be above 0',
      )
  },
  async transform(given, { extendTop, extendRight, extendBottom, extendLeft, tier, format, quality }, context) {
    const edges = { top: extendTop, right: extendRight, bottom: extendBottom, left: extendLeft }
    const size = sizeWith(given, edges)
    checkResultSize(size.width, size.height, given.pages)
    const work = (options: BandOptions) => async (filler: Filler) => ({
      frame: await extended(given, edges, options, filler, context),
      method: filler.method,
    })
    const made = await withNetwork(context, work(TIERS[tier]!))
    if (!made && tier !== 'fast') throw featureMissing('object-eraser-colorize')
    const { frame, method } =
      made ?? (await withExemplar(context, work(BY_EXEMPLAR), await limitsOf(given, edges, context)))
    return { frame: frame.withTarget(targetOf(format, quality)), report: { method } }
  },
})
