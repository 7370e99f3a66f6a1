import { Worker } from 'node:worker_threads'
import type { ImageFrame, Samples, Size } from '../../../src/media/image/frame.ts'
import type { SeamTask } from '../../../src/media/image/seam-worker.ts'
import { builtFile } from '../../../src/root.ts'
import type { StepContext } from '../../../src/tool/image-tool.ts'

interface Answer {
  part?: number
  data?: Samples['data']
}

/** The thread cannot run TypeScript, so it is the built one. */
const WORKER = builtFile('src/media/image/seam-worker.js')

function inThread(task: SeamTask, { signal, progress }: StepContext): Promise<Samples['data']> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(WORKER, { workerData: task })
    const stop = (): void => {
      void worker.terminate()
      reject(signal.reason)
    }
    signal.addEventListener('abort', stop, { once: true })
    worker.on('message', ({ part, data }: Answer) => {
      if (data) resolve(data)
      else progress((part ?? 0) * 0.9, 'carving')
    })
    worker.once('error', reject)
    worker.once('exit', () => {
      signal.removeEventListener('abort', stop)
      reject(new Error('the thread ended without an answer'))
    })
  })
}

/** Luma as a person sees it over grey: what is clear has no edges but its outline. */
async function lumaOf(frame: ImageFrame, sigma: number | undefined): Promise<Uint8Array> {
  const image = (await (await frame.toSrgb()).pipeline()).flatten({ background: '#808080' })
  return (sigma === undefined ? image : image.blur(sigma)).greyscale().raw({ depth: 'uchar' }).toBuffer()
}

/** A picture of one page brought to a smaller size by seams, in its own depth and colours. */
export async function carveSeams(
  frame: ImageFrame,
  wanted: Size,
  { threshold, sigma }: { threshold: number; sigma: number | undefined },
  context: StepContext,
): Promise<ImageFrame> {
  if (wanted.width === frame.width && wanted.height === frame.height) return frame
  const [samples, luma] = [await frame.samples(), await lumaOf(frame, sigma)]
  const { width, height, channels } = samples
  const data = await inThread({ data: samples.data, channels, luma, width, height, wanted, threshold }, context)
  return frame.withSamples({ ...samples, ...wanted, data })
}
