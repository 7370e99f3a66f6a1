import { runFfmpeg } from '../../engines/ffmpeg/ffmpeg.ts'
import { inputArguments } from '../../engines/ffmpeg/input.ts'
import { withTemporaryFolder } from '../../engines/process/temporary.ts'
import { openRawPixels, openSharp } from '../../engines/sharp.ts'
import { MediaprocError } from '../../errors.ts'
import type { MediaFile } from '../../media/file.ts'
import { decodeImage } from '../../media/image/decode/decode.ts'
import { encodeToBuffer } from '../../media/image/encode/encode.ts'
import { openPdfFile } from '../../media/pdf/document.ts'
import { pageSize, renderPage } from '../../media/pdf/page/render.ts'

/** The longer side of a picture in the documentation, in pixels. */
const SIDE = 320
const QUALITY = 60

/** The size that fits into SIDE × SIDE; nothing is enlarged. */
function fitted(width: number, height: number): { width: number; height: number } {
  const scale = Math.min(1, SIDE / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

async function ofImage(file: MediaFile): Promise<Buffer> {
  const frame = await decodeImage(file)
  const size = fitted(frame.width, frame.height)
  const small = await frame.apply((image) => image.resize(size.width, size.height, { fit: 'fill' }), { size })
  return encodeToBuffer(small.withTarget({ format: 'webp', quality: QUALITY, metadata: 'none' }))
}

async function ofPdf(file: MediaFile): Promise<Buffer | undefined> {
  try {
    const document = await openPdfFile(file)
    try {
      const page = pageSize(document, 1)
      // A page has 72 points to the inch.
      const rendered = await renderPage(document, 1, { dpi: (72 * SIDE) / Math.max(page.width, page.height) })
      const pixels = await openRawPixels({ ...rendered, data: Buffer.from(rendered.data) })
      return await pixels.webp({ quality: QUALITY }).toBuffer()
    } finally {
      await document.close()
    }
  } catch (error) {
    // A locked page cannot be shown.
    if (error instanceof MediaprocError && error.code === 'PASSWORD_PROTECTED') return undefined
    throw error
  }
}

const ofVideo = (file: MediaFile): Promise<Buffer> =>
  withTemporaryFolder(async (folder) => {
    const still = `${folder}/still.png`
    await runFfmpeg([...inputArguments(file.path), '-frames:v', '1', still])
    const image = await openSharp(still)
    return image.resize(SIDE, SIDE, { fit: 'inside', withoutEnlargement: true }).webp({ quality: QUALITY }).toBuffer()
  })

/** A small WebP of a file: the picture (moving where it moves), the first page or the first frame; undefined for the rest. */
export async function thumbnail(file: MediaFile): Promise<Buffer | undefined> {
  if (file.type.group === 'image') return ofImage(file)
  if (file.type.group === 'video') return ofVideo(file)
  return file.type.id === 'pdf' ? ofPdf(file) : undefined
}
