/** A small copy of a picture, made in the browser. */
import { openPicture } from '../draw/picture.ts'
import type { Size } from '../draw/rectangle.ts'
import { extensionOf } from '../files/accept.ts'

/** Longest side of a copy, px. */
const MOST_SIDE = 1000

export interface Copy {
  file: File
  address: string
  /** Width of the copy / width of the picture. */
  scale: number
  picture: Size
}

/** A copy; of the first frame of an animation. The caller revokes the address. */
export async function smallCopy(file: File): Promise<Copy> {
  const { address, width, height } = await openPicture(file)
  try {
    const image = new Image()
    image.src = address
    await image.decode()
    const scale = Math.min(1, MOST_SIDE / Math.max(width, height))
    const canvas = new OffscreenCanvas(Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale)))
    const context = canvas.getContext('2d')
    if (!context) throw new Error('The browser has no canvas')
    context.imageSmoothingQuality = 'high'
    context.drawImage(image, 0, 0, canvas.width, canvas.height)
    // JPEG has no transparency: only for what had none.
    const isPhoto = ['jpg', 'jpeg', 'heic', 'heif'].includes(extensionOf(file.name))
    const type = isPhoto ? 'image/jpeg' : 'image/png'
    const blob = await canvas.convertToBlob({ type, quality: 0.95 })
    const copy = new File([blob], isPhoto ? 'preview.jpg' : 'preview.png', { type })
    return { file: copy, address: URL.createObjectURL(copy), scale: canvas.width / width, picture: { width, height } }
  } finally {
    URL.revokeObjectURL(address)
  }
}
