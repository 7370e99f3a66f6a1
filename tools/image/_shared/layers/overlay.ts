import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ImageFrame } from '../../../../src/media/image/frame.ts'
import type { StepContext } from '../../../../src/tool/image-tool.ts'

/** A layer to draw over another image, as raw RGBA. */
export interface Layer {
  data: Buffer
  width: number
  height: number
}

/**
 * An image as a layer with its alpha multiplied by `opacity` (0 to 1), in the colours of `base`: if the base has its
 * own profile, the layer is converted to it, so that brand colours stay the same and the base keeps its gamut.
 */
export async function layerFor(
  base: ImageFrame,
  picture: ImageFrame,
  opacity: number,
  context: StepContext,
): Promise<Layer> {
  const single = await (await picture.firstPage()).toSrgb()
  const veil = Buffer.from([255, 255, 255, Math.round(opacity * 255)])
  const faded = await single.apply(
    (image) =>
      image
        .ensureAlpha()
        .composite([{ input: veil, raw: { width: 1, height: 1, channels: 4 }, tile: true, blend: 'dest-in' }]),
    { alpha: true },
  )
  const profile = base.hasOwnProfile && base.space === 'rgb' ? base.origin.metadata.icc : undefined
  let image = (await faded.pipeline()).toColourspace('srgb')
  if (profile) {
    const path = join(await context.scratch(), 'base.icc')
    await writeFile(path, profile)
    image = image.withIccProfile(path, { attach: false })
  }
  const { data, info } = await image.ensureAlpha().raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}
