import { MediaprocError } from '../errors.ts'
import type { MediaFile } from '../media/file.ts'

/** Resolution in dpi at which a page of usual size is slightly wider than a small thumbnail. */
const PAGE_DPI = 50
/** The thumbnail width, in pixels, for which that resolution is enough. */
const PAGE_WIDTH = 300

/** One step: a tool or preset with its settings. */
export interface ThumbnailStep {
  toolId: string
  settings: Record<string, unknown>
}

/** The size of a thumbnail, in pixels; without a height, the proportions decide. */
export interface ThumbnailSize {
  width: number
  height?: number
}

/** Steps that create a thumbnail of a file. @throws PROCESSING_FAILED when its type has none */
export function thumbnailSteps({ type }: Pick<MediaFile, 'type'>, { width, height }: ThumbnailSize): ThumbnailStep[] {
  const side = height === undefined ? { width } : { width, height, fit: 'inside' }
  const small = { toolId: 'image/resize', settings: { ...side, withoutEnlargement: true } }
  const as = (format: string): ThumbnailStep => ({ toolId: 'image/convert', settings: { format, quality: 80 } })
  if (type.group === 'image') return [small, as('jpg')]
  if (type.group === 'pdf') {
    const dpi = Math.ceil((PAGE_DPI * width) / PAGE_WIDTH)
    return [{ toolId: 'pdf/pdf-to-image', settings: { pages: '1', dpi, format: 'png' } }, small]
  }
  if (type.group === 'video') {
    const first = { mode: 'timestamps', timestamps: '0', format: 'png' }
    return [{ toolId: 'video/video-to-frames', settings: first }, small, as('webp')]
  }
  throw new MediaprocError('PROCESSING_FAILED', 'There is no thumbnail for this type of file')
}
