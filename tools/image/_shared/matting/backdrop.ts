import type { OverlayOptions } from '../../../../src/engines/sharp.ts'
import { decodeImage } from '../../../../src/media/image/decode/decode.ts'
import type { ImageFrame, Size } from '../../../../src/media/image/frame.ts'
import type { StepContext } from '../../../../src/tool/image-tool.ts'
import { invalidSettings } from '../../../../src/tool/validate.ts'
import { linearGradient } from '../colour/gradient.ts'
import { drawingFor, inColoursOf } from '../layers/ground.ts'
import { type Layer, layerFor } from '../layers/overlay.ts'
import { softCover, softMask } from '../layers/soften.ts'
import { cutOut } from './cut-out.ts'

/** The background of a cut-out subject. */
export type Backdrop =
  | { kind: 'transparent' }
  /** #rrggbb */
  | { kind: 'color'; color: string }
  /** A gradient from the first colour to the second; 0 degrees is up, 180 from top to bottom. */
  | { kind: 'gradient'; from: string; to: string; angle: number }
  /** The image itself without the subject, blurred by a Gaussian of this sigma (px). */
  | { kind: 'blur'; sigma: number }
  /** The job's file backgroundImage, covering the subject's size; blurred if there is a sigma. */
  | { kind: 'image'; sigma?: number }

/** The sigma for an intensity of 0 to 100, px (catalogue: remove-background, blur-background). */
export const blurSigma = (intensity: number): number => 1 + (intensity / 100) * 49

async function filled(base: ImageFrame, content: string, context: StepContext): Promise<Layer> {
  const { width, height } = base
  return drawingFor(
    base,
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${content}</svg>`,
    context,
  )
}

async function givenPicture(
  { width, height }: Size,
  sigma: number | undefined,
  context: StepContext,
): Promise<ImageFrame> {
  const file = context.secondary.backgroundImage
  if (!file)
    throw invalidSettings(
      'Expected a file backgroundImage for backgroundType image, got none',
      'Give it with --background-image FILE',
    )
  const picture = await decodeImage(file, { firstPage: true, warn: context.warn })
  const size = { width, height }
  const covering = await picture.apply((image) => image.resize({ ...size, fit: 'cover' }), { size })
  return sigma === undefined ? covering : softCover(await covering.settled(), size, sigma)
}

/**
 * The background, blurred without the subject, whose colours would form a halo around it. Under the subject, far from
 * the background, the colours are undefined and not visible.
 */
async function blurredGround(subject: ImageFrame, original: ImageFrame, sigma: number): Promise<ImageFrame> {
  const { data, channels } = await subject.pixels({ alpha: 'add' })
  const rest = Buffer.alloc(subject.width * subject.height)
  for (let pixel = 0; pixel < rest.length; pixel += 1) rest[pixel] = 255 - data[pixel * channels + channels - 1]!
  const ground = await cutOut(original, { data: rest })
  return opaque(await softCover(ground, { width: subject.width, height: subject.height }, sigma))
}

async function layerOf(
  subject: ImageFrame,
  original: ImageFrame,
  backdrop: Exclude<Backdrop, { kind: 'transparent' }>,
  context: StepContext,
): Promise<Layer> {
  const { width, height } = subject
  switch (backdrop.kind) {
    case 'color':
      return filled(subject, `<rect width="100%" height="100%" fill="${backdrop.color}"/>`, context)
    case 'gradient': {
      const stops = [
        { color: backdrop.from, position: 0 },
        { color: backdrop.to, position: 100 },
      ]
      const fill = linearGradient('fill', { width, height }, backdrop.angle, stops)
      return filled(subject, `<defs>${fill}</defs><rect width="100%" height="100%" fill="url(#fill)"/>`, context)
    }
    case 'blur':
      return layerFor(subject, await blurredGround(subject, original, backdrop.sigma), 1, context)
    case 'image':
      return layerFor(subject, await givenPicture(subject, backdrop.sigma, context), 1, context)
  }
}

/** The subject's outline in black, shifted down and soft (catalogue: remove-background). */
async function shadowLayer(subject: ImageFrame, opacity: number, context: StepContext): Promise<Layer> {
  const { width, height } = subject
  const down = Math.max(4, Math.round(height * 0.015))
  const { data, channels } = await subject.pixels({ alpha: 'add' })
  const shape = Buffer.alloc(width * height)
  for (let pixel = 0; pixel < width * Math.max(0, height - down); pixel += 1)
    shape[pixel + down * width] = data[pixel * channels + channels - 1]!
  const soft = await softMask({ data: shape, width, height }, Math.max(5, height * 0.02))
  const black = await inColoursOf(subject, '#000000', context)
  const layer = Buffer.alloc(width * height * 4)
  const tint = Number.parseInt(black.slice(1, 3), 16)
  for (let pixel = 0; pixel < soft.length; pixel += 1) {
    layer.fill(tint, pixel * 4, pixel * 4 + 3)
    layer[pixel * 4 + 3] = Math.round(soft[pixel]! * opacity)
  }
  return { data: layer, width, height }
}

/**
 * A cut-out subject over its new background, with an optional shadow between them.
 * @param original the image that the subject was cut from, of the same size
 * @param shadow 0 to 1; 0 is none
 */
export async function onBackdrop(
  given: ImageFrame,
  original: ImageFrame,
  backdrop: Backdrop,
  shadow: number,
  context: StepContext,
): Promise<ImageFrame> {
  if (backdrop.kind === 'transparent' && shadow === 0) return given
  // Colour on a grey image.
  const subject = await (await given.toRgb()).settled()
  const layers: Layer[] = []
  if (shadow > 0) layers.push(await shadowLayer(subject, shadow, context))
  if (backdrop.kind !== 'transparent') layers.push(await layerOf(subject, original, backdrop, context))
  const under = layers.map(
    ({ data, width, height }): OverlayOptions => ({
      input: data,
      raw: { width, height, channels: 4 },
      blend: 'dest-over',
    }),
  )
  return subject.apply((image) => image.composite(under), { alpha: true })
}

/** An image that covers everything needs no alpha. */
export async function opaque(frame: ImageFrame): Promise<ImageFrame> {
  return frame.hasAlpha ? (await frame.settled()).apply((image) => image.removeAlpha(), { alpha: false }) : frame
}
