import type { ImageFrame } from '../../../../src/media/image/frame.ts'

/** Whether no pixel is transparent, although the picture may have an alpha channel. */
export async function isOpaque(frame: ImageFrame): Promise<boolean> {
  if (!frame.hasAlpha) return true
  const { data } = await (await frame.pipeline({ isLast: true }))
    .extractChannel('alpha')
    .toColourspace('b-w')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  return data.every((value) => value === 255)
}

/** Red, green and blue in sRGB, without alpha, in the picture's own depth. */
export async function flatRgb(frame: ImageFrame): Promise<ImageFrame> {
  const rgb = await (await frame.toSrgb()).toRgb()
  return rgb.hasAlpha ? rgb.apply((image) => image.removeAlpha(), { alpha: false }) : rgb
}
