import { openSharp } from '../../../../src/engines/sharp.ts'
import { ImageFrame } from '../../../../src/media/image/frame.ts'
import type { StepContext } from '../../../../src/tool/image-tool.ts'
import { isGrey } from '../colour/colours.ts'
import { type Layer, layerFor } from './overlay.ts'

/**
 * Converts the image so that these colours (#rrggbb or transparent) can be drawn on it: CMYK has no layers and no
 * alpha, and a grey image can show colour only as RGB.
 */
export function paintable(frame: ImageFrame, ...colours: readonly string[]): Promise<ImageFrame> {
  const staysGrey = frame.space === 'grey' && colours.every((colour) => colour === 'transparent' || isGrey(colour))
  return staysGrey ? Promise.resolve(frame) : frame.toRgb()
}

/** Black, white and transparent are the same in every profile. */
const ALIKE = new Set(['#000000', '#ffffff', 'transparent'])

/** Converts an sRGB colour (#rrggbb or transparent) to an image's own profile. */
export async function inColoursOf(base: ImageFrame, colour: string, context: StepContext): Promise<string> {
  if (!base.hasOwnProfile || ALIKE.has(colour)) return colour
  const dot = await openSharp(undefined, { create: { width: 1, height: 1, channels: 3, background: colour } })
  const { data } = await layerFor(base, await ImageFrame.fromPng(await dot.png().toBuffer(), 'colour'), 1, context)
  return `#${data.toString('hex', 0, 3)}`
}

/** A drawing as a layer in the colours of `base`. Text in it must be paths: fonts are not available here. */
export async function drawingFor(base: ImageFrame, svg: string, context: StepContext): Promise<Layer> {
  const drawn = await (await openSharp(Buffer.from(svg))).png({ compressionLevel: 0 }).toBuffer()
  return layerFor(base, await ImageFrame.fromPng(drawn, 'drawing.svg'), 1, context)
}
