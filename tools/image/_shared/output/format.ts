import type { ImageFormatId } from '../../../../src/media/image/formats.ts'
import type { ImageTarget } from '../../../../src/media/image/frame.ts'
import { choice } from '../../../../src/tool/settings.ts'

/** The formats of the tools that keep that of the input by `auto`; two of the words are other names of one. */
export const FORMATS = ['auto', 'png', 'jpg', 'jpeg', 'webp', 'tiff', 'gif', 'avif', 'heic', 'heif', 'jxl'] as const

/** The row of their settings. */
export const formatSetting = () =>
  choice(FORMATS, 'the format to write; auto keeps that of the input', { group: 'Output', default: 'auto' })

/** Options of the encode. */
export function targetOf(format: (typeof FORMATS)[number], quality: number): ImageTarget {
  const named = format === 'jpeg' ? 'jpg' : format === 'heif' ? 'heic' : format
  return { quality, ...(named !== 'auto' && { format: named satisfies ImageFormatId }) }
}
