import type { ImageFrame } from '../../../../src/media/image/frame.ts'

/** Whether no pixel is transparent, although the picture may have an alpha channel. */
export async function isOpaque(frame: ImageFrame): Promise<boolean> {
  if (!frame.hasAlpha) return true
  const { data } = await (await frame.finished())
    .extractChannel('alpha')
    .toColourspace('b-w')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  return data.every((value) => value === 255)
}
