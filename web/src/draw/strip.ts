/** Frames of a video side by side. */
import type { View } from './clip.ts'
import { seek } from './film.ts'

/** Draws frames of a part over the whole canvas, from left to right as they are found. */
export async function drawStrip(
  canvas: HTMLCanvasElement,
  video: HTMLVideoElement,
  view: View,
  shown: number,
  stop: AbortSignal,
): Promise<void> {
  const context = canvas.getContext('2d')
  if (!context) return
  const { width, height } = canvas
  context.clearRect(0, 0, width, height)
  const count = Math.max(2, Math.ceil(width / ((height * video.videoWidth) / video.videoHeight)))
  const across = width / count
  for (let index = 0; index < count && !stop.aborted; index += 1) {
    const second = view.from + ((index + 0.5) / count) * view.length
    if (second > shown) return
    await seek(video, second)
    if (stop.aborted) return
    const scale = Math.max(across / video.videoWidth, height / video.videoHeight)
    const [cutX, cutY] = [across / scale, height / scale]
    const [left, top] = [(video.videoWidth - cutX) / 2, (video.videoHeight - cutY) / 2]
    context.drawImage(video, left, top, cutX, cutY, index * across, 0, across + 1, height)
  }
}
