import { askWorker } from '../../../src/engines/workers/worker-thread.ts'
import type { ImageFrame } from '../../../src/media/image/frame.ts'
import { builtFile } from '../../../src/root.ts'
import type { StepContext } from '../../../src/tool/image-tool.ts'
import { luminanceOf } from '../_shared/colour/local-contrast.ts'
import { type Filler, fillHoles } from '../_shared/inpaint/fill.ts'
import { withExemplar, withNetwork } from '../_shared/inpaint/fillers.ts'
import { countHoles } from '../_shared/inpaint/mask.ts'
import type { ScratchRequest } from './scratch-worker.ts'

const WORKER = builtFile('tools/image/restore-photo/scratch-worker.js')

/** Scratches are looked for in a copy with at most this longest side, px. */
const LONGEST = 2048

export interface Scratches {
  /** One byte per pixel of the picture. */
  holes: Uint8Array
  /** Percent of the picture. */
  coverage: number
}

/** The scratches of a picture of one page; see findScratches. */
export async function scratchesOf(frame: ImageFrame, threshold: number, { signal }: StepContext): Promise<Scratches> {
  const factor = Math.min(1, LONGEST / Math.max(frame.width, frame.height))
  const width = Math.max(1, Math.round(frame.width * factor))
  const height = Math.max(1, Math.round(frame.height * factor))
  const size = { width, height }
  const copy = factor === 1 ? frame : await frame.apply((image) => image.resize({ ...size, fit: 'fill' }), { size })
  const pixels = await copy.pixels({ alpha: 'drop' })
  const light = { ...size, data: Uint8Array.from(luminanceOf({ ...pixels, pages: 1 }, 0), (value) => value + 0.5) }
  const mask = await askWorker<ScratchRequest, Uint8Array>(WORKER, { light, threshold }, { signal })
  const holes = new Uint8Array(frame.width * frame.height)
  for (let y = 0, at = 0; y < frame.height; y += 1) {
    const row = Math.floor(((y + 0.5) * height) / frame.height) * width
    for (let x = 0; x < frame.width; x += 1, at += 1)
      holes[at] = mask[row + Math.floor(((x + 0.5) * width) / frame.width)]!
  }
  return { holes, coverage: (100 * countHoles(holes)) / holes.length }
}

/** The picture with its scratches filled in, and the method that did it. */
export async function repaired(
  frame: ImageFrame,
  { holes }: Scratches,
  context: StepContext,
): Promise<{ frame: ImageFrame; method: string }> {
  const work = async (filler: Filler) => {
    const samples = await frame.samples()
    await fillHoles(samples, holes.slice(), filler, context)
    return { frame: await frame.withSamples(samples), method: filler.method }
  }
  const made = await withNetwork(context, work)
  if (made) return made
  context.warn('Scratches are filled from the rest of the picture: no model that fills in is installed')
  return withExemplar(context, work)
}
