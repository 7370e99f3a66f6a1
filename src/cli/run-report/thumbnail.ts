import { runPipeline } from '../../library/run-pipeline.ts'
import { openMediaFile } from '../../media/file.ts'

/** The box of a thumbnail, pixels; shown at half the size, for screens of high resolution. */
const BOX = { width: 480, height: 320 }

/** Time limit of a thumbnail, seconds: a report must not take longer than the run. */
const TIMEOUT_S = 20

const SMALL = [
  { 'image/resize': { ...BOX, fit: 'inside', withoutEnlargement: true } },
  { 'image/convert': { format: 'webp', quality: 70 } },
  { 'image/strip-metadata': { stripAll: true } },
]

/** Resolution of the first page of a PDF, dpi. */
const PAGE_DPI = 50

/** The steps by the group of a file. */
const STEPS: Readonly<Record<string, readonly object[]>> = {
  image: SMALL,
  pdf: [{ 'pdf/pdf-to-image': { pages: '1', dpi: PAGE_DPI, format: 'png' } }, ...SMALL],
  video: [{ 'video/video-to-frames': { mode: 'timestamps', timestamps: '0', format: 'png' } }, ...SMALL],
}

/** A thumbnail as a `data:` URL; undefined for files without one, and for those of which none can be made. */
export async function thumbnailOf(path: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { type } = await openMediaFile(path)
    const steps = STEPS[type.group]
    if (!steps || signal.aborted) return undefined
    const { outputs } = await runPipeline(steps, path, { as: 'buffer', signal, timeout: TIMEOUT_S })
    const [picture] = outputs
    return picture && `data:image/webp;base64,${picture.data.toString('base64')}`
  } catch {
    // A report without a picture is still a report.
    return undefined
  }
}
