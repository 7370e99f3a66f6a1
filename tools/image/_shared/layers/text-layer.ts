import { type OverlayOptions, openSharp } from '../../../../src/engines/sharp.ts'
import { required } from '../../../../src/lists.ts'
import { ImageFrame } from '../../../../src/media/image/frame.ts'
import type { StepContext } from '../../../../src/tool/image-tool.ts'
import { isGrey } from '../colour/colours.ts'
import { type Layer, layerFor } from './overlay.ts'

/** A drawn image and the position of its top left corner, px; it can extend beyond the page. */
export interface Drawing {
  png: Buffer
  width: number
  height: number
  left: number
  top: number
}

export const CLEAR = { r: 0, g: 0, b: 0, alpha: 0 } as const

/** The part of a drawing that is on a page; libvips refuses layers larger than the image they are drawn on. */
export async function croppedTo(
  drawing: Drawing,
  page: { width: number; height: number },
): Promise<Drawing | undefined> {
  const [at, down] = [Math.round(drawing.left), Math.round(drawing.top)]
  const left = Math.max(0, -at)
  const top = Math.max(0, -down)
  const width = Math.min(drawing.width, page.width - at) - left
  const height = Math.min(drawing.height, page.height - down) - top
  if (width <= 0 || height <= 0) return undefined
  const whole = width === drawing.width && height === drawing.height
  const png = whole
    ? drawing.png
    : await (await openSharp(drawing.png)).extract({ left, top, width, height }).png({ compressionLevel: 0 }).toBuffer()
  return { png, width, height, left: Math.max(0, at), top: Math.max(0, down) }
}

/**
 * Rotates a drawing around one of its points.
 * @param degrees clockwise
 * @param anchor px from the page's top left corner; it keeps its position
 */
export async function turned(drawing: Drawing, degrees: number, anchor: { x: number; y: number }): Promise<Drawing> {
  if (degrees % 360 === 0) return drawing
  const { data, info } = await (await openSharp(drawing.png))
    .rotate(degrees, { background: CLEAR })
    .png({ compressionLevel: 0 })
    .toBuffer({ resolveWithObject: true })
  const radians = (degrees * Math.PI) / 180
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)]
  const [x, y] = [drawing.left + drawing.width / 2 - anchor.x, drawing.top + drawing.height / 2 - anchor.y]
  const left = anchor.x + x * cos - y * sin - info.width / 2
  const top = anchor.y + x * sin + y * cos - info.height / 2
  return { png: data, width: info.width, height: info.height, left, top }
}

/** Draws several layers on one transparent page, later ones on top. */
export async function onPage(drawings: readonly Drawing[], page: { width: number; height: number }): Promise<Buffer> {
  const canvas = await openSharp(undefined, { create: { ...page, channels: 4, background: CLEAR } })
  return canvas
    .composite(drawings.map(({ png, left, top }) => ({ input: png, left, top })))
    .png({ compressionLevel: 0 })
    .toBuffer()
}

/** Characters drawn in their own colours. */
const COLOURFUL = /\p{Emoji_Presentation}|\p{Regional_Indicator}|\u{fe0f}/u

/** Whether drawing this would not add colour to a grey image. */
export function staysGrey(text: string, ...colours: string[]): boolean {
  return !COLOURFUL.test(text) && colours.every(isGrey)
}

/** The part of a layer that is on a page, at its position there; undefined if there is none. */
function cutLayer(layer: Layer, left: number, top: number, page: { width: number; height: number }): OverlayOptions[] {
  const [across, down] = [Math.max(0, -left), Math.max(0, -top)]
  const width = Math.min(layer.width, page.width - left) - across
  const height = Math.min(layer.height, page.height - top) - down
  if (width <= 0 || height <= 0) return []
  const isWhole = width === layer.width && height === layer.height
  const data = isWhole ? layer.data : Buffer.alloc(width * height * 4)
  for (let y = 0; !isWhole && y < height; y++) {
    const from = ((down + y) * layer.width + across) * 4
    layer.data.copy(data, y * width * 4, from, from + width * 4)
  }
  return [{ input: data, raw: { width, height, channels: 4 }, left: Math.max(0, left), top: Math.max(0, top) }]
}

/**
 * Draws layers over every page, in the image's own colours; parts beyond the page are clipped. Layers can share one
 * image.
 * @param options `opacity` of each, 0 to 1; `grey`: no layer has colour, so a grey image stays grey
 */
export async function layOver(
  given: ImageFrame,
  drawings: readonly Drawing[],
  { opacity, grey }: { opacity: number; grey: boolean },
  context: StepContext,
): Promise<ImageFrame> {
  // A CMYK image has no layers; coloured letters on a grey image keep their colour.
  const frame = given.space === 'grey' && grey ? given : await given.toRgb()
  const layers = new Map<Buffer, Layer>()
  const shown: OverlayOptions[] = []
  for (const { png, left, top } of opacity === 0 ? [] : drawings) {
    if (!layers.has(png))
      layers.set(png, await layerFor(frame, await ImageFrame.fromPng(png, 'text'), opacity, context))
    shown.push(...cutLayer(required(layers, png), Math.round(left), Math.round(top), frame))
  }
  return shown.length > 0 ? frame.composite(shown) : frame
}
