import type { OverlayOptions, Sharp } from '../../engines/sharp.ts'
import type { ImageFrame, Size } from './frame.ts'

/**
 * For 16-bit images, sharp multiplies 8-bit background values by 256: white would be 65280, and an opaque background
 * not quite opaque. Colours drawn as layers are converted to 16 bit correctly.
 */
const isDeep = ({ bits }: Pick<ImageFrame, 'bits'>): boolean => bits === 16

const tile = (background: string): OverlayOptions['input'] => ({
  create: { width: 1, height: 1, channels: 4, background },
})

/** Flattens an image with alpha onto a colour (#rrggbb); the result has no alpha. */
export function layOver(image: Sharp, background: string, frame: Pick<ImageFrame, 'bits'>): Sharp {
  if (!isDeep(frame)) return image.flatten({ background })
  return image.composite([{ input: tile(background), tile: true, blend: 'dest-over' }]).removeAlpha()
}

/** Fits an image into a box, centred, with bars of a colour (#rrggbb) in the remaining area. */
export function fitWithBars(image: Sharp, box: Size, background: string, source: ImageFrame): Sharp {
  if (!isDeep(source)) return image.resize({ ...box, fit: 'contain', background })
  const scale = Math.min(box.width / source.width, box.height / source.height)
  const width = Math.max(1, Math.round(source.width * scale))
  const height = Math.max(1, Math.round(source.height * scale))
  const left = Math.floor((box.width - width) / 2)
  const top = Math.floor((box.height - height) / 2)
  const right = box.width - width - left
  const bottom = box.height - height - top
  const bar = (size: Size, x: number, y: number): OverlayOptions[] =>
    size.width > 0 && size.height > 0
      ? [{ input: { create: { ...size, channels: 3, background } }, left: x, top: y }]
      : []
  const drawn = image
    .resize({ width, height, fit: 'fill' })
    .extend({ left, top, right, bottom, background })
    .composite([
      ...bar({ width: left, height: box.height }, 0, 0),
      ...bar({ width: right, height: box.height }, box.width - right, 0),
      ...bar({ width: box.width, height: top }, 0, 0),
      ...bar({ width: box.width, height: bottom }, 0, box.height - bottom),
    ])
  return source.hasAlpha ? drawn : drawn.removeAlpha()
}
