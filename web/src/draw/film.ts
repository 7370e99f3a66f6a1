/** Frames of a video that the browser can play. */
import type { Size } from './rectangle.ts'

/** Longest wait for the browser to open a video or to find a frame, ms. */
const PATIENCE = 10_000

function once(video: HTMLVideoElement, event: string): Promise<void> {
  return new Promise((done, failed) => {
    const over = new AbortController()
    const end = (settle: () => void) => (): void => {
      clearTimeout(timer)
      over.abort()
      settle()
    }
    const timer = setTimeout(
      end(() => failed(new Error(`No ${event} of the video`))),
      PATIENCE,
    )
    const { signal } = over
    video.addEventListener(event, end(done), { signal })
    video.addEventListener(
      'error',
      end(() => failed(new Error('The video cannot be played'))),
      { signal },
    )
  })
}

/** A video element with the first frame loaded. The caller calls `closeVideo`. @throws if it cannot be played */
export async function openVideo(file: Blob): Promise<HTMLVideoElement> {
  const video = document.createElement('video')
  video.muted = true
  video.preload = 'auto'
  video.src = URL.createObjectURL(file)
  try {
    await once(video, 'loadeddata')
    if (video.videoWidth === 0) throw new Error('The file has no picture')
    return video
  } catch (error) {
    closeVideo(video)
    throw error
  }
}

export function closeVideo(video: HTMLVideoElement): void {
  URL.revokeObjectURL(video.src)
  video.removeAttribute('src')
  video.load()
}

export async function seek(video: HTMLVideoElement, second: number): Promise<void> {
  if (Math.abs(video.currentTime - second) < 0.001) return
  const found = once(video, 'seeked')
  video.currentTime = second
  await found
}

/** Longest side of a frame that is drawn on, px. */
const MOST_SIDE = 1280

/** A frame from the beginning of a video, and the size of the video as displayed. */
export async function frameOf(file: Blob): Promise<Size & { blob: Blob }> {
  const video = await openVideo(file)
  try {
    // The first frame is often black.
    if (Number.isFinite(video.duration)) await seek(video, Math.min(1, video.duration / 2))
    const { videoWidth: width, videoHeight: height } = video
    const scale = Math.min(1, MOST_SIDE / Math.max(width, height))
    const canvas = new OffscreenCanvas(Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale)))
    canvas.getContext('2d')?.drawImage(video, 0, 0, canvas.width, canvas.height)
    return { blob: await canvas.convertToBlob(), width, height }
  } finally {
    closeVideo(video)
  }
}
