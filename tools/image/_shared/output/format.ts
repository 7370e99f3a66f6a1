import type { ImageFormatId } from '../../../../src/media/image/formats.ts'
import type { ImageTarget } from '../../../../src/media/image/frame.ts'
import { choice } from '../../../../src/tool/settings.ts'

/** Formats of tools whose `auto` keeps the input's format; two of the words are aliases. */
export const FORMATS = ['auto', 'png', 'jpg', 'jpeg', 'webp', 'tiff', 'gif', 'avif', 'heic', 'heif', 'jxl'] as const

/** Their settings row. */
export const formatSetting = () =>
  choice(FORMATS, "output format; auto keeps the input's", { group: 'Output', default: 'auto' })

/** Encode options. */
export function targetOf(format: (typeof FORMATS)[number], quality: number): ImageTarget {
  const named = format === 'jpeg' ? 'jpg' : format === 'heif' ? 'heic' : format
  return { quality, ...(named !== 'auto' && { format: named satisfies ImageFormatId }) }
}
