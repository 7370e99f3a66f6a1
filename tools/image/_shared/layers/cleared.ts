import type { ImageFrame } from '../../../../src/media/image/frame.ts'

/**
 * Sets fully transparent pixels to black: the colours under alpha 0 can be recovered, and make a lossless file three to
 * seven times as large. Works on every page and depth; an image without alpha is returned unchanged.
 */
export async function cleared(given: ImageFrame): Promise<ImageFrame> {
  if (!given.hasAlpha) return given
  const samples = await given.samples()
  const { data, channels } = samples
  if (channels !== 2 && channels !== 4) return given
  let isChanged = false
  for (let at = 0; at < data.length; at += channels) {
    if (data[at + channels - 1] !== 0) continue
    for (let colour = 0; colour < channels - 1; colour += 1) {
      if (data[at + colour] === 0) continue
      data[at + colour] = 0
      isChanged = true
    }
  }
  return isChanged ? given.withSamples(samples) : given
}
