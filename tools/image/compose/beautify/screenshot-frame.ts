import type { OverlayOptions } from '../../../../src/engines/sharp.ts'
import { ImageFrame } from '../../../../src/media/image/frame.ts'
import type { StepContext } from '../../../../src/tool/image-tool.ts'
import { drawingFor } from '../../_shared/layers/ground.ts'
import { placed } from '../../_shared/layers/layers.ts'
import { layerFor } from '../../_shared/layers/overlay.ts'
import { roundCorners } from '../../_shared/layers/round-corners.ts'
import { CLEAR, opaqueAs, sizeWith } from '../../_shared/layout/edges.ts'
import { deviceDrawing } from './device-drawing.ts'
import { fitText } from './fit-text.ts'
import type { DeviceFrame, ScreenshotFrame } from './screenshot-frames.ts'
import { type BarText, windowBar } from './window-bar.ts'

async function textLayer(base: ImageFrame, line: BarText, context: StepContext): Promise<OverlayOptions | undefined> {
  const { text, size, color, align, room } = line
  const drawn = await fitText({ text, size, color, font: 'sans-serif', align: 'left' }, room)
  if (!drawn) return undefined
  const layer = await layerFor(base, await ImageFrame.fromPng(drawn.png, 'title'), 1, context)
  const left = align === 'center' ? line.x - drawn.width / 2 : line.x
  return placed(layer, Math.round(left), Math.max(0, Math.round(line.y - drawn.height / 2)))
}

/** High-density screenshots are recognised by their resolution; without one, very wide ones count as high-density. */
const DENSE_WIDTH = 2560
const POINT_DPI = 72
const MAX_SCALE = 4

/** Pixels of a screenshot per point of the screen. */
function pixelsPerPoint({ width, origin: { metadata } }: ImageFrame): number {
  const byDensity = Math.round((metadata.density ?? 0) / POINT_DPI)
  // 300 dpi comes from a camera or a scanner.
  if (metadata.density !== undefined && metadata.density % POINT_DPI < 1 && byDensity >= 2)
    return Math.min(MAX_SCALE, byDensity)
  return width >= DENSE_WIDTH ? 2 : 1
}

async function inWindow(
  page: ImageFrame,
  frame: Exclude<ScreenshotFrame, DeviceFrame>,
  title: string,
  context: StepContext,
): Promise<ImageFrame> {
  const scale = pixelsPerPoint(page)
  const barPx = frame.titleBarPx * scale
  const { svg, texts } = windowBar(frame, page.width, title, scale)
  const layers = [placed(await drawingFor(page, svg, context), 0, 0)]
  for (const line of texts) {
    const layer = await textLayer(page, line, context)
    if (layer) layers.push(layer)
  }
  const size = { width: page.width, height: page.height + barPx }
  const room = { top: barPx, background: CLEAR }
  return page.apply((image) => opaqueAs(page, image.extend(room).composite(layers)), { size })
}

async function inDevice(page: ImageFrame, frame: DeviceFrame, context: StepContext): Promise<ImageFrame> {
  const { edges, screenRadius, body, front } = deviceDrawing(frame, page)
  const size = sizeWith(page, edges)
  const screen = await roundCorners(page, screenRadius)
  const layers: OverlayOptions[] = [{ ...placed(await drawingFor(page, body, context), 0, 0), blend: 'dest-over' }]
  if (front) layers.push(placed(await drawingFor(page, front, context), 0, 0))
  return screen.apply(
    (image) =>
      image
        .ensureAlpha()
        .extend({ ...edges, background: CLEAR })
        .composite(layers),
    {
      size,
      alpha: true,
    },
  )
}

export interface FrameOptions {
  frame: ScreenshotFrame | undefined
  title: string
  /** Corner radius, px; devices have their own. */
  radius: number
}

/** One page in its frame. A window has round corners on the whole, including the bar. */
export async function inFrame(
  page: ImageFrame,
  { frame, title, radius }: FrameOptions,
  context: StepContext,
): Promise<ImageFrame> {
  if (frame?.kind === 'device') return inDevice(page, frame, context)
  return roundCorners(frame ? await inWindow(page, frame, title, context) : page, radius)
}
