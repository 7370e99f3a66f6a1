import { decodeImage } from '../../../src/media/image/decode/decode.ts'
import type { ImageFrame } from '../../../src/media/image/frame.ts'
import { featureMissing } from '../../../src/models/missing.ts'
import type { Area } from '../../../src/models/tiles.ts'
import { imageTool, type StepContext } from '../../../src/tool/image-tool.ts'
import { integer } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import { findHeads } from '../_shared/faces/keep.ts'
import { type Filler, fillHoles } from '../_shared/inpaint/fill.ts'
import { SIGHT, withExemplar, withNetwork } from '../_shared/inpaint/fillers.ts'
import { countHoles, holesOf } from '../_shared/inpaint/mask.ts'
import { ERASERS } from '../_shared/inpaint/networks.ts'
import { hasCutStructure } from '../_shared/inpaint/structure.ts'
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

/** A mask that covers less of a face only touches its box, and one that covers more erases it. */
const PART_OF_FACE = [0.03, 0.9] as const

/** Warns of what a fill without a network cannot restore. @returns the other faces, which are not copied into the hole */
async function faceAreas(given: ImageFrame, holes: Uint8Array, context: StepContext): Promise<Area[]> {
  context.warn('Filled from the rest of the image: the models object-eraser-colorize are not installed')
  const page = await (await given.firstPage()).settled()
  const heads = await findHeads(page, context)
  const coverage = heads.map((head) => {
    let count = 0
    for (let y = head.top; y < head.top + head.height; y += 1)
      count += countHoles(holes.subarray(y * page.width + head.left, y * page.width + head.left + head.width))
    return count / (head.width * head.height)
  })
  if (coverage.some((share) => share > PART_OF_FACE[0] && share < PART_OF_FACE[1]))
    context.warn('The mask covers a part of a face: without the models it is filled with other things than a face')
  else if (hasCutStructure(await page.samples(), holes, SIGHT))
    context.warn(
      'The outline of something large ends at the erased area: its continuation is guessed, so check the result',
    )
  // A blemish is filled with the skin around it.
  return heads.filter((_, index) => coverage[index] === 0)
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
    const { frame, method } =
      made ?? (await withExemplar(context, work, { barred: await faceAreas(given, holes, context) }))
    return { frame: frame.withTarget(options), report: { method } }
  },
})
