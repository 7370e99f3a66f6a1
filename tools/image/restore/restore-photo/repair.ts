import { isSmall } from '../../../../src/engines/workers/idle-threads.ts'
import { askWorker } from '../../../../src/engines/workers/worker-thread.ts'
import type { ImageFrame } from '../../../../src/media/image/frame.ts'
import { builtFile } from '../../../../src/root.ts'
import type { StepContext } from '../../../../src/tool/image-tool.ts'
import { type Filler, fillHoles } from '../../_shared/inpaint/fill.ts'
import { withExemplar, withNetwork } from '../../_shared/inpaint/fillers.ts'
import { countHoles } from '../../_shared/inpaint/mask.ts'
import type { Damage } from './damage.ts'
import { copyOf, lightOf } from './light.ts'
import type { ScratchRequest } from './scratch-worker.ts'

const WORKER = builtFile('tools/image/restore/restore-photo/scratch-worker.js')

/** Scratches are detected in a copy with at most this longest side, px. */
const LONGEST = 2048

export interface FoundDamage extends Omit<Damage, 'mask'> {
  /** One byte per pixel of the image. */
  holes: Uint8Array
  /** Percent of the image. */
  coverage: number
}

/** Scratches and specks of a single-page image; see findDamage. */
export async function damageOf(frame: ImageFrame, threshold: number, { signal }: StepContext): Promise<FoundDamage> {
  const light = await lightOf(await copyOf(frame, LONGEST))
  const request = { light, threshold }
  const options = { signal, isReusable: isSmall(light) }
  const { mask, ...counts } = await askWorker<ScratchRequest, Damage>(WORKER, request, options)
  const holes = new Uint8Array(frame.width * frame.height)
  for (let y = 0, at = 0; y < frame.height; y += 1) {
    const row = Math.floor(((y + 0.5) * light.height) / frame.height) * light.width
    for (let x = 0; x < frame.width; x += 1, at += 1)
      holes[at] = mask[row + Math.floor(((x + 0.5) * light.width) / frame.width)]!
  }
  return { ...counts, holes, coverage: (100 * countHoles(holes)) / holes.length }
}

/** The image with its damage filled in, and the method used. */
export async function repaired(
  frame: ImageFrame,
  { holes }: FoundDamage,
  context: StepContext,
): Promise<{ frame: ImageFrame; method: string }> {
  const work = async (filler: Filler) => {
    const samples = await frame.samples()
    await fillHoles(samples, holes.slice(), filler, context)
    return { frame: await frame.withSamples(samples), method: filler.method }
  }
  const made = await withNetwork(context, work)
  if (made) return made
  context.warn('Scratches are filled from the rest of the image: no inpainting model is installed')
  return withExemplar(context, work)
}
