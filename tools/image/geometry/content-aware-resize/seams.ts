import { isSmall } from '../../../../src/engines/workers/idle-threads.ts'
import { askWorker } from '../../../../src/engines/workers/worker-thread.ts'
import type { ImageFrame, Samples, Size } from '../../../../src/media/image/frame.ts'
import type { Area } from '../../../../src/models/tiles.ts'
import { builtFile } from '../../../../src/root.ts'
import type { StepContext } from '../../../../src/tool/image-tool.ts'
import type { SeamRequest } from './seam-worker.ts'

const WORKER = builtFile('tools/image/geometry/content-aware-resize/seam-worker.js')

/** Luma composited over grey: transparent areas have no edges except their outline. */
async function lumaOf(frame: ImageFrame, sigma: number | undefined): Promise<Uint8Array> {
  const image = (await (await frame.toSrgb()).pipeline()).flatten({ background: '#808080' })
  return (sigma === undefined ? image : image.blur(sigma)).greyscale().raw({ depth: 'uchar' }).toBuffer()
}

/** Shrinks a single-page image by seam carving, in its own depth and colours. */
export async function carveSeams(
  frame: ImageFrame,
  wanted: Size,
  { threshold, sigma, faces }: { threshold: number; sigma: number | undefined; faces: readonly Area[] },
  { signal, progress }: StepContext,
): Promise<ImageFrame> {
  if (wanted.width === frame.width && wanted.height === frame.height) return frame
  const [samples, luma] = [await frame.samples(), await lumaOf(frame, sigma)]
  const { width, height, channels } = samples
  const data = await askWorker<SeamRequest, Samples['data']>(
    WORKER,
    { data: samples.data, channels, luma, width, height, wanted, threshold, faces },
    { signal, onProgress: (part) => progress(part * 0.9, 'carving'), isReusable: isSmall(frame) },
  )
  return frame.withSamples({ ...samples, ...wanted, data })
}
