import { isSmall } from '../../../../src/engines/workers/idle-threads.ts'
import { askWorker } from '../../../../src/engines/workers/worker-thread.ts'
import type { ImageFrame, Samples } from '../../../../src/media/image/frame.ts'
import { builtFile } from '../../../../src/root.ts'
import type { StepContext } from '../../../../src/tool/image-tool.ts'
import { boolean } from '../../../../src/tool/settings.ts'

/**
 * Settings for the old background's colour in soft edges. It is always removed unless a caller wants it;
 * `decontaminate`, false by default, is the name in the interface.
 */
export const FRINGES = {
  decontaminate: boolean("take the old background's colour out of hair and edges, even with keepFringes", {
    default: false,
  }),
  keepFringes: boolean("leave the old background's colour in hair and edges", { default: false }),
} as const

const WORKER = builtFile('tools/image/_shared/matting/foreground-worker.js')

/** Whether an image has half-transparent pixels. */
function isSoft({ data, channels }: Samples): boolean {
  const white = data instanceof Uint16Array ? 65535 : 255
  for (let at = channels - 1; at < data.length; at += channels) if (data[at] !== 0 && data[at] !== white) return true
  return false
}

/**
 * A single-page cut-out whose half-transparent pixels (hair, edges) have the subject's colour alone: removes the
 * contribution of the old background. Size and alpha are kept.
 */
export async function decontaminated(frame: ImageFrame, { signal }: Pick<StepContext, 'signal'>): Promise<ImageFrame> {
  const samples = await frame.samples()
  if (!isSoft(samples)) return frame
  const options = { signal, isReusable: isSmall(frame) }
  return frame.withSamples({ ...samples, data: await askWorker<Samples, Samples['data']>(WORKER, samples, options) })
}
