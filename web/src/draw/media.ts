/** A video or audio file as the browser can play it. */
import { groups } from '../api/tools.ts'
import { extensionOf } from '../files/accept.ts'
import { shownByServer } from './picture.ts'

export interface Media {
  /** What is played: the file, or its beginning as the server converted it. */
  blob: Blob
  address: string
  isVideo: boolean
  /** Length of the whole file, in seconds. */
  duration: number
  /** Length of what is played. */
  shown: number
}

interface Facts {
  duration: number
  isVideo: boolean
}

/** Longest wait for the browser to open a file, ms. */
const PATIENCE = 10_000

function factsOf(address: string): Promise<Facts> {
  const video = document.createElement('video')
  video.preload = 'metadata'
  return new Promise<Facts>((done, failed) => {
    const fail = (): void => failed(new Error('The file cannot be played'))
    const timer = setTimeout(fail, PATIENCE)
    video.addEventListener('loadedmetadata', () => {
      clearTimeout(timer)
      const { duration, videoWidth } = video
      // Files of a live stream do not say how long they are.
      if (Number.isFinite(duration) && duration > 0) done({ duration, isVideo: videoWidth > 0 })
      else fail()
    })
    video.addEventListener('error', () => {
      clearTimeout(timer)
      fail()
    })
    video.src = address
  }).finally(() => {
    video.removeAttribute('src')
    video.load()
  })
}

const isMovie = ({ name }: File): boolean => groups.value.video?.includes(extensionOf(name)) ?? false

/** Opens a file, by the server if the browser cannot. The caller revokes the address. */
export async function openMedia(file: File): Promise<Media> {
  const address = URL.createObjectURL(file)
  const facts = await factsOf(address).catch(() => undefined)
  // A browser that knows only the audio codec of a video plays it without a picture.
  if (facts && (facts.isVideo || !isMovie(file))) return { ...facts, blob: file, address, shown: facts.duration }
  URL.revokeObjectURL(address)
  const { blob, duration } = await shownByServer(file, 'api/v1/preview/generate')
  const made = URL.createObjectURL(blob)
  const { duration: shown, isVideo } = await factsOf(made)
  return { blob, address: made, isVideo, shown, duration: Math.max(duration ?? shown, shown) }
}
