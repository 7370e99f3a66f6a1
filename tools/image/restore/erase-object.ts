import { decodeImage } from '../../../src/media/image/decode/decode.ts'
import type { ImageFrame } from '../../../src/media/image/frame.ts'
import { featureMissing } from '../../../src/models/missing.ts'
import { imageTool, type StepContext } from '../../../src/tool/image-tool.ts'
import { integer } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import { type Filler, fillHoles } from '../_shared/inpaint/fill.ts'
import { withExemplar, withNetwork } from '../_shared/inpaint/fillers.ts'
import { countHoles, holesOf } from '../_shared/inpaint/mask.ts'
import { ERASERS } from '../_shared/inpaint/networks.ts'
import { onEachPage } from '../_shared/layout/pages.ts'
import { formatSetting, targetOf } from '../_shared/output/format.ts'

/** A larger share of an image is not filled from the rest: too little source material remains. */
const SMALL_PART = 0.1

/** A mask whose proportions differ by more than this was probably not made for the image. */
const STRETCH = 0.02

/** The pixels of a page that the mask erases. @throws MediaprocError INVALID_SETTINGS if nothing would remain */
async function wantedHoles(given: ImageFrame, context: StepContext): Promise<Uint8Array> {
  const mask = await decodeImage(context.secondary.mask!, { firstPage: true, warn: context.warn })
  const stretch = mask.width / mask.height / (given.width / given.height)
  if (Math.abs(Math.log(stretch)) > STRETCH)
    context.warn(
      `The mask of ${mask.width} x ${mask.height} pixels is stretched to the image of ${given.width} x ${given.height}`,
    )
  const holes = await holesOf(mask, given)
  if (countHoles(holes) === holes.length)
    throw invalidSettings(
      'The mask is white everywhere: nothing of the image would remain',
      'Paint only the area to erase.',
    )
  return holes
}

/** Every page with its holes filled. */
async function filled(given: ImageFrame, holes: Uint8Array, filler: Filler, context: StepContext): Promise<ImageFrame> {
  return onEachPage(given, async (page) => {
    const frame = await (page.space === 'cmyk' ? await page.toRgb() : page).settled()
    const samples = await frame.samples()
    await fillHoles(samples, holes.slice(), filler, context)
    return frame.withSamples(samples)
  })
}

export default imageTool({
  id: 'erase-object',
  summary: 'Erase a masked region and fill it in',
  suffix: 'erased',
  batch: false,
  bundles: ['object-eraser-colorize'],
  models: ERASERS,
  input: {
    files: 'one',
    min: 1,
    max: 1,
    accept: ['image'],
    secondary: {
      mask: { required: true, what: 'the mask: white areas are erased, black areas are kept', accept: ['image'] },
    },
  },
  settings: {
    format: formatSetting(),
    quality: integer('for lossy formats; 100 is best', { short: 'Q', group: 'Output', default: 95, min: 1, max: 100 }),
  },
  output: { kind: 'file+report', type: { setting: 'format' } },
  timeoutS: 300,
  heavy: true,
  async: true,
  examples: [
    { title: 'erase the masked area', secondary: { mask: 'photo-mask.png' } },
    { title: 'as WebP', secondary: { mask: 'photo-mask.png' }, settings: { format: 'webp', quality: 80 } },
  ],
  async transform(given, { format, quality }, context) {
    const holes = await wantedHoles(given, context)
    const options = targetOf(format, quality)
    const count = countHoles(holes)
    if (count === 0) {
      context.warn('The mask has no white area: the image is unchanged')
      return { frame: given.withTarget(options), report: { method: 'none' } }
    }
    const work = async (filler: Filler) => ({
      frame: await filled(given, holes, filler, context),
      method: filler.method,
    })
    const made = await withNetwork(context, work)
    if (!made && count > SMALL_PART * holes.length) throw featureMissing('object-eraser-colorize')
    if (!made) context.warn('Filled from the rest of the image: the models object-eraser-colorize are not installed')
    const { frame, method } = made ?? (await withExemplar(context, work))
    return { frame: frame.withTarget(options), report: { method } }
  },
})
