import { isSmall } from '../../../src/engines/workers/idle-threads.ts'
import { askWorker } from '../../../src/engines/workers/worker-thread.ts'
import { MediaprocError } from '../../../src/errors.ts'
import type { MediaFile } from '../../../src/media/file.ts'
import type { ImageFrame, Samples, Size } from '../../../src/media/image/frame.ts'
import { checkResultSize } from '../../../src/media/limits.ts'
import { INSTALL_RUNTIME, runtimeSize } from '../../../src/models/missing.ts'
import type { ChannelOrder } from '../../../src/models/tensors.ts'
import { inTiles, type TileNetwork } from '../../../src/models/tiles.ts'
import { useModel } from '../../../src/models/use-model.ts'
import { builtFile } from '../../../src/root.ts'
import { imageTool, type StepContext } from '../../../src/tool/image-tool.ts'
import { boolean, choice, number, text } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import { denoised } from '../_shared/denoise/classical.ts'
import { balancedFilters } from '../_shared/denoise/tiers.ts'
import { detectFaces } from '../_shared/faces/detect.ts'
import { RESTORERS, withRestoredFaces } from '../_shared/faces/restored.ts'
import { onEachPage } from '../_shared/layout/pages.ts'
import { formatSetting, targetOf } from '../_shared/output/format.ts'
import type { LatticeRequest } from './upscale/lattice-worker.ts'
import { checkLocal, withOwnNetwork } from './upscale/own-model.ts'

const LATTICE = builtFile('tools/image/restore/upscale/lattice-worker.js')

const MODELS = ['auto', 'realesrgan', 'rdn', 'lanczos'] as const
type Model = (typeof MODELS)[number]

/** The bundled residual dense networks; 28 convolutions of 3 x 3 have a radius of 28 px. */
const RDN_OVERLAP = 32
/** Tile padding used by the authors of Real-ESRGAN, px. */
const ESRGAN_OVERLAP = 16

/** Longest side of a tile, px: half a gigabyte of memory for the residual dense network (measured). */
const TILE = 256

interface Network extends Omit<TileNetwork, 'side'> {
  method: string
  /** It adds a visible pattern to soft areas (measured: bench/looks.md). */
  hasLattice?: true
}

const NETWORKS: Readonly<Record<string, Network>> = {
  'realesr-general-x4v3': { method: 'realesrgan', factor: 4, overlap: ESRGAN_OVERLAP, align: 1 },
  'realesrgan-x2plus': { method: 'realesrgan', factor: 2, overlap: ESRGAN_OVERLAP, align: 2 },
  'realesrgan-x4plus': { method: 'realesrgan', factor: 4, overlap: ESRGAN_OVERLAP, align: 1 },
  'rdn-x2': { method: 'rdn', factor: 2, overlap: RDN_OVERLAP, align: 1, hasLattice: true },
  'rdn-x3': { method: 'rdn', factor: 3, overlap: RDN_OVERLAP, align: 1, hasLattice: true },
  'rdn-x4': { method: 'rdn', factor: 4, overlap: RDN_OVERLAP, align: 1, hasLattice: true },
}

/**
 * Larger images use a network only if one is requested by name: two cores take about half a minute per megapixel
 * (measured), which would exceed the time limit.
 */
const AUTO_PIXELS = 4e6

/** The defaults of enhance-faces. */
const FACE_SENSITIVITY = 0.5
const FACE_STRENGTH = 0.8

/** The candidate networks, the best first. */
function chainOf(model: Model, scale: number): string[] {
  const rdn = `rdn-x${Math.max(2, Math.ceil(scale))}`
  const large = scale <= 2 ? ['realesrgan-x2plus', 'realesrgan-x4plus'] : ['realesrgan-x4plus']
  if (model === 'auto') return ['realesr-general-x4v3', rdn]
  return model === 'rdn' ? [rdn] : [...large, 'realesr-general-x4v3', rdn]
}

/** A network mistakes noise for detail and enlarges it. */
async function withoutNoise(frame: ImageFrame, denoise: number, context: StepContext): Promise<ImageFrame> {
  const filters = balancedFilters({ strength: denoise * 100, detailPreservation: 50, colorNoise: denoise * 100 })
  return frame.withSamples(await denoised(await frame.samples(), filters, context))
}

const lanczos = (frame: ImageFrame, size: Size): Promise<ImageFrame> =>
  frame.apply((image) => image.resize({ ...size, fit: 'fill', kernel: 'lanczos3' }), { size })

/** Samples that a network enlarged, without its pattern. */
async function withoutLattice(
  large: Samples,
  frame: ImageFrame,
  factor: number,
  { signal }: StepContext,
): Promise<Samples> {
  // With alpha, resampling would lose the colours of transparent pixels.
  const opaque = frame.hasAlpha
    ? await (await frame.apply((image) => image.removeAlpha(), { alpha: false })).settled()
    : frame
  const plain = await (await lanczos(opaque, large)).samples()
  const options = { signal, isReusable: isSmall(large) }
  const data = await askWorker<LatticeRequest, Samples['data']>(LATTICE, { large, plain, factor }, options)
  return { ...large, data }
}

/** The colours of one image with the alpha of another of the same size. */
async function withAlphaOf(colours: ImageFrame, other: ImageFrame): Promise<ImageFrame> {
  const [samples, alpha] = [await colours.samples(), await other.samples()]
  const { channels } = samples
  for (let at = channels - 1; at < samples.data.length; at += channels) samples.data[at] = alpha.data[at]!
  return colours.withSamples(samples)
}

/** Works like enhance-faces, if its models are installed. */
async function withFaces(large: ImageFrame, context: StepContext): Promise<ImageFrame> {
  const frame = await (await (await large.toSrgb()).toRgb()).settled()
  const skipped = 'Faces are not restored: the model gfpgan-1.4 is not installed (mediaproc models install gfpgan-1.4)'
  try {
    const faces = await detectFaces(frame, FACE_SENSITIVITY, context)
    if (faces.length === 0) return large
    const made = await withRestoredFaces(frame, faces, RESTORERS.auto, FACE_STRENGTH, context)
    if (made) return made.frame
  } catch (error) {
    if (!(error instanceof MediaprocError) || error.code !== 'FEATURE_NOT_INSTALLED') throw error
  }
  context.warn(skipped)
  return large
}

/** Uses a network; undefined if none is installed. */
async function byNetwork(
  frame: ImageFrame,
  size: Size,
  chain: readonly string[],
  context: StepContext,
): Promise<{ frame: ImageFrame; method: string } | undefined> {
  return useModel(chain, context, async (model) => {
    const network = NETWORKS[model.id]!
    const onPart = (done: number): void => context.progress(done * 0.9, 'enlarging')
    const made = await inTiles(await frame.samples(), model, { ...network, side: TILE }, onPart)
    const large = await frame.withSamples(
      network.hasLattice ? await withoutLattice(made, frame, network.factor, context) : made,
    )
    return { frame: await finished(large, frame, size), method: network.method }
  })
}

/** An enlarged picture at the requested size, with the alpha of its source. */
async function finished(large: ImageFrame, frame: ImageFrame, size: Size): Promise<ImageFrame> {
  const sized = large.width === size.width && large.height === size.height ? large : await lanczos(large, size)
  return frame.hasAlpha ? withAlphaOf(await sized.settled(), await (await lanczos(frame, size)).settled()) : sized
}

/** Pixels around a part that a network of unknown origin may depend on, and what its sides may have to be divisible by. */
const OWN_OVERLAP = 32
const OWN_ALIGN = 8

/** Uses the network of a file. */
function byOwnNetwork(
  frame: ImageFrame,
  size: Size,
  file: MediaFile,
  order: ChannelOrder,
  context: StepContext,
): Promise<{ frame: ImageFrame; method: string }> {
  return withOwnNetwork(file, order, context, async ({ model, factor, fixedSide }) => {
    const side = fixedSide ?? TILE
    const network = {
      ...{ factor, side, align: OWN_ALIGN, overlap: Math.min(OWN_OVERLAP, Math.floor(side / 4)) },
      ...(fixedSide && { exactSide: fixedSide }),
    }
    checkResultSize(frame.width * factor, frame.height * factor, 1)
    const made = await inTiles(await frame.samples(), model, network, (done) =>
      context.progress(done * 0.9, 'enlarging'),
    )
    return { frame: await finished(await frame.withSamples(made), frame, size), method: `model file, x${factor}` }
  })
}

export default imageTool({
  id: 'upscale',
  summary: 'Enlarge an image by super-resolution',
  suffix: '{scale}x',
  input: {
    files: 'one',
    min: 1,
    max: 1,
    accept: ['image'],
    secondary: {
      modelFile: {
        required: false,
        what: 'an ONNX network of your own instead of model; on the command line only',
        accept: ['*'],
      },
    },
  },
  settings: {
    scale: number('scale factor', { default: 2, min: 1, max: 4, example: 4 }),
    model: text('auto, realesrgan, rdn (comes with the program) or lanczos (no model)', {
      default: 'auto',
      maxLength: 40,
    }),
    modelChannels: choice(['rgb', 'bgr'], 'channel order of modelFile', { default: 'rgb' }),
    faceEnhance: boolean('restore faces afterwards, like enhance-faces; skipped if its models are missing', {
      default: false,
    }),
    denoise: number('strength of noise removal before enlarging; 0 is off', { default: 0, min: 0, max: 1 }),
    format: formatSetting(),
    quality: number('for lossy formats; 100 is best', { short: 'Q', group: 'Output', default: 95, min: 1, max: 100 }),
  },
  output: { kind: 'file+report', type: { setting: 'format' } },
  // Restoring faces is optional and its licence must be accepted; users install its model by name.
  models: Object.keys(NETWORKS),
  bundlesFor: { 'upscale-enhance': { model: ['auto', 'realesrgan'] } },
  timeoutS: 300,
  heavy: true,
  async: true,
  examples: [
    { title: 'twice as large', inputs: ['view.webp'] },
    { title: 'four times, by plain resampling', inputs: ['view.webp'], settings: { scale: 4, model: 'lanczos' } },
  ],
  check({ model }) {
    if (!(MODELS as readonly string[]).includes(model))
      throw invalidSettings(`Expected ${MODELS.join(', ')} for model, got ${model}`)
  },
  async transform(given, { scale, model, modelChannels, format, quality, denoise, faceEnhance }, context) {
    const own = context.secondary.modelFile
    if (own) checkLocal(own)
    const size = { width: Math.round(given.width * scale), height: Math.round(given.height * scale) }
    checkResultSize(size.width, size.height, given.pages)
    const chain = own ? [] : wantedChain(given, model as Model, scale, context)
    let method = 'lanczos'
    const onPage = async (page: ImageFrame): Promise<ImageFrame> => {
      const noisy = await (page.space === 'cmyk' ? await page.toRgb() : page).settled()
      const frame = denoise === 0 ? noisy : await withoutNoise(noisy, denoise, context)
      const made = own
        ? await byOwnNetwork(frame, size, own, modelChannels, context)
        : await byNetwork(frame, size, chain, context)
      if (made) method = made.method
      const large = made?.frame ?? (await lanczos(frame, size))
      return faceEnhance ? withFaces(large, context) : large
    }
    const large = await onEachPage(given, onPage)
    if (method === 'lanczos' && chain.length > 0)
      context.warn(
        `Enlarged by resampling: onnxruntime, which runs the models, is not installed (${runtimeSize()}: ${INSTALL_RUNTIME})`,
      )
    return { frame: large.withTarget(targetOf(format, quality)), report: { ...size, method } }
  },
})

/** The networks to try: none for plain resampling, or if it would take minutes and none was requested by name. */
function wantedChain(frame: ImageFrame, model: Model, scale: number, context: StepContext): string[] {
  if (model === 'lanczos') return []
  const pixels = frame.width * frame.height * frame.pages
  if (model === 'auto' && pixels > AUTO_PIXELS) {
    context.warn(
      `Enlarged by resampling: a model would take minutes for ${Math.round(pixels / 1e6)} megapixels (use model rdn to force it)`,
    )
    return []
  }
  return chainOf(model, scale)
}
