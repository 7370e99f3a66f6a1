/** A file as a picture to draw on, with its true size. */
import { request } from '../api/call.ts'
import { groups } from '../api/tools.ts'
import { extensionOf } from '../files/accept.ts'
import { kindOf } from '../files/kind.ts'
import { frameOf } from './film.ts'
import type { Size } from './rectangle.ts'

export interface Picture extends Size {
  /** An address of the picture in memory. It can be smaller than the size says. */
  address: string
}

/** Browsers choose a size of their own for these. */
const SIZED_BY_BROWSER = new Set(['svg', 'ico'])

const sizeIn = ({ headers }: Response): Size => ({
  width: Number(headers.get('x-original-width')),
  height: Number(headers.get('x-original-height')),
})

interface Converted extends Size {
  blob: Blob
  /** Length of the whole file, in seconds. */
  duration?: number
}

/** What the server made of a file, so that it is sent once. */
const converted = new WeakMap<File, Promise<Converted>>()

async function convert(file: File, path: string): Promise<Converted> {
  const body = new FormData()
  body.append('file', file, file.name)
  const response = await request(path, { method: 'POST', body })
  const duration = response.headers.get('x-original-duration')
  return { blob: await response.blob(), ...sizeIn(response), ...(duration !== null && { duration: Number(duration) }) }
}

/** A file as a type that every browser shows: a picture, or the beginning of a video or audio file. */
export function shownByServer(file: File, path: 'api/v1/preview' | 'api/v1/preview/generate'): Promise<Converted> {
  const known = converted.get(file)
  if (known) return known
  const made = convert(file, path)
  converted.set(file, made)
  made.catch(() => converted.delete(file))
  return made
}

function sizeOf(address: string): Promise<Size> {
  const image = new Image()
  image.src = address
  // The size of the upright picture: browsers apply the orientation, as the tools do.
  return image.decode().then(() => ({ width: image.naturalWidth, height: image.naturalHeight }))
}

/** Opens a picture or video. The caller revokes the address. */
export async function openPicture(file: File): Promise<Picture> {
  const kind = kindOf(file.name)
  if (kind === 'image' && !SIZED_BY_BROWSER.has(extensionOf(file.name))) {
    const address = URL.createObjectURL(file)
    const size = await sizeOf(address).catch(() => undefined)
    if (size) return { address, ...size }
    URL.revokeObjectURL(address)
  }
  if (!groups.value.video?.includes(extensionOf(file.name)) || kind === 'image') return pictureByServer(file)
  const frame = await frameOf(file).catch(() => undefined)
  return frame ? { ...frame, address: URL.createObjectURL(frame.blob) } : frameByServer(file)
}

async function pictureByServer(file: File): Promise<Picture> {
  const { blob, width, height } = await shownByServer(file, 'api/v1/preview')
  return { address: URL.createObjectURL(blob), width, height }
}

async function frameByServer(file: File): Promise<Picture> {
  const { blob, width, height } = await shownByServer(file, 'api/v1/preview/generate')
  const frame = await frameOf(blob)
  return { address: URL.createObjectURL(frame.blob), width, height }
}
