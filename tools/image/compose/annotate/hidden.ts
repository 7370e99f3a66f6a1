import type { ImageFrame, Size } from '../../../../src/media/image/frame.ts'
import type { Area } from '../../../../src/models/tiles.ts'
import { invalidSettings } from '../../../../src/tool/validate.ts'
import { coarsen } from '../../_shared/colour/mosaic.ts'
import { softCover } from '../../_shared/layers/soften.ts'
import { onEachPage } from '../../_shared/layout/pages.ts'
import type { Mark } from './marks.ts'

/** Cells of a pixelated area along its longer side, at most: letters and faces are not recognisable. */
const CELLS = 12
/** The strength of a blur (sigma), as a share of the area's shorter side, and the least of it, px. */
const BLUR = { share: 0.25, least: 8 }

/** The whole pixels of an area that are in the image: more rather than fewer. @throws MediaprocError if there are none */
function inImage({ left, top, width, height }: Area, kind: string, image: Size): Area {
  const [first, above] = [Math.max(0, Math.floor(left)), Math.max(0, Math.floor(top))]
  const [last, below] = [
    Math.min(image.width, Math.ceil(left + width)),
    Math.min(image.height, Math.ceil(top + height)),
  ]
  if (first >= last || above >= below)
    throw invalidSettings(
      `The area of ${kind} at ${left}, ${top} is outside the image of ${image.width} x ${image.height} pixels`,
      'Pixels are counted from the top left corner of the upright image.',
    )
  return { left: first, top: above, width: last - first, height: below - above }
}

async function blurred(frame: ImageFrame, area: Area): Promise<ImageFrame> {
  const { width, height } = area
  const sigma = Math.max(BLUR.least, Math.min(width, height) * BLUR.share)
  const part = await (await frame.apply((image) => image.extract(area), { size: { width, height } })).settled()
  const soft = await (await (await softCover(part, { width, height }, sigma)).settled()).samples()
  const samples = await frame.samples()
  const row = width * samples.channels
  for (let y = 0; y < height; y += 1) {
    const to = ((area.top + y) * samples.width + area.left) * samples.channels
    samples.data.set(soft.data.subarray(y * row, (y + 1) * row), to)
  }
  return frame.withSamples(samples)
}

/** A mark with the whole pixels that it hides; others stay as they are. @throws MediaprocError if it hides none */
export function onWholePixels(mark: Mark, image: Size): Mark {
  if (mark.kind !== 'blur' && mark.kind !== 'pixelate' && mark.kind !== 'cover') return mark
  return { ...mark, area: inImage(mark.area, mark.kind, image) }
}

/** Blurs and pixelates areas of whole pixels, on every page. No pixels from around them are mixed in. */
export async function hideAreas(given: ImageFrame, marks: readonly Mark[]): Promise<ImageFrame> {
  const hidden = marks.flatMap((mark) => (mark.kind === 'blur' || mark.kind === 'pixelate' ? [mark] : []))
  if (hidden.length === 0) return given
  return onEachPage(given, async (page) => {
    let frame = await (page.space === 'cmyk' ? await page.toRgb() : page).settled()
    for (const { kind, area } of hidden) {
      if (kind === 'blur') frame = await (await blurred(frame, area)).settled()
      else {
        const samples = await frame.samples()
        coarsen(samples, Math.max(2, Math.ceil(Math.max(area.width, area.height) / CELLS)), area)
        frame = await frame.withSamples(samples)
      }
    }
    return frame
  })
}
