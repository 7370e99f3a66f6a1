import { openWorker } from '../../../src/engines/workers/worker-thread.ts'
import { environmentNumber } from '../../../src/environment.ts'
import { MediaprocError } from '../../../src/errors.ts'
import { required } from '../../../src/lists.ts'
import { printableName } from '../../../src/media/file.ts'
import type { ImageFrame } from '../../../src/media/image/frame.ts'
import { builtFile } from '../../../src/root.ts'
import { imageTool, type StepContext } from '../../../src/tool/image-tool.ts'
import { choice, integer } from '../../../src/tool/settings.ts'
import { cleared } from '../_shared/layers/cleared.ts'
import { onEachPage, pagesOf } from '../_shared/layout/pages.ts'
import { onBackdrop } from '../_shared/matting/backdrop.ts'
import { cutOut } from '../_shared/matting/cut-out.ts'
import { decontaminated, FRINGES } from '../_shared/matting/decontaminate.ts'
import { backdropOf, checkEffects, EFFECT_SETTINGS, KEEP_COLORS, shadowOf } from '../_shared/matting/effects.ts'
import { matteOf, NO_SUBJECT, type Refinement } from '../_shared/matting/matte.ts'
import { MATTING_MODELS, mattingChain } from '../_shared/matting/networks.ts'
import { type MattedFrame, NEIGHBOURS } from '../_shared/matting/temporal.ts'
import type { SteadyRequest } from '../_shared/matting/temporal-worker.ts'

const STEADY = builtFile('tools/image/_shared/matting/temporal-worker.js')

const { blurEnabled: _blurEnabled, outputFormat: _outputFormat, ...EFFECTS } = EFFECT_SETTINGS

function checkFrames({ pages, origin }: ImageFrame): void {
  const name = printableName(origin.name)
  if (pages === 1)
    throw new MediaprocError('NOT_ANIMATED', `${name} is not animated`, {
      hint: 'Use remove-background for still images.',
    })
  const most = environmentNumber('GIF_BG_MAX_FRAMES')
  if (most > 0 && pages > most)
    throw new MediaprocError('TOO_MANY_FRAMES', `${name} has ${pages} frames; the limit is ${most}`, {
      hint: 'Cut the animation into shorter parts, or raise the limit with GIF_BG_MAX_FRAMES.',
    })
}

/** The fractions of the work that are done after each phase. */
const PROGRESS = { mattes: 0.85, steady: 0.9 } as const

/** Every frame with its own matte, and the number of those without a subject, which enters later or leaves the image. */
async function mattedFrames(
  given: ImageFrame,
  model: string | undefined,
  refinement: Refinement,
  context: StepContext,
): Promise<{ frames: MattedFrame[]; empty: number }> {
  const frames: MattedFrame[] = []
  let empty = 0
  for await (const page of pagesOf(given)) {
    context.signal.throwIfAborted()
    const frame = await (await page.toRgb()).settled()
    const done = (frames.length / given.pages) * PROGRESS.mattes
    const own = { ...context, progress: () => context.progress(done, 'finding the subject') }
    const { data } = await matteOf(frame, mattingChain(model), refinement, own).catch((error: unknown) => {
      if (!(error instanceof MediaprocError) || error.message !== NO_SUBJECT) throw error
      empty += 1
      return { data: Buffer.alloc(frame.width * frame.height) }
    })
    frames.push({ colours: (await frame.pixels({ alpha: 'add' })).data, matte: data })
  }
  return { frames, empty }
}

/** The mattes of all frames by their numbers, each corrected by its neighbours. */
async function steadyMattes(
  frames: readonly MattedFrame[],
  { width, height }: ImageFrame,
  { signal, progress }: StepContext,
): Promise<ReadonlyMap<number, Buffer>> {
  const thread = openWorker<SteadyRequest, Uint8Array>(STEADY, { signal })
  const mattes = new Map<number, Buffer>()
  try {
    for (const own of frames.keys()) {
      const from = Math.max(0, own - NEIGHBOURS)
      const near = frames.slice(from, own + NEIGHBOURS + 1)
      const matte = await thread.ask({ frames: near, own: own - from, size: { width, height } })
      mattes.set(own, Buffer.from(matte.buffer))
      progress(PROGRESS.mattes + (PROGRESS.steady - PROGRESS.mattes) * (own / frames.length), 'comparing frames')
    }
  } finally {
    await thread.close()
  }
  return mattes
}

export default imageTool({
  id: 'remove-gif-background',
  summary: 'Cut out the subject in every frame of an animation',
  suffix: 'nobg',
  input: {
    files: 'one',
    min: 1,
    max: 1,
    accept: ['gif', 'webp', 'apng'],
    secondary: { backgroundImage: { required: false, what: 'the background image', accept: ['image'] } },
  },
  bundles: ['background-removal'],
  settings: {
    model: choice(
      MATTING_MODELS,
      'the model that detects the subject; by default the best one that is installed and fits in memory',
    ),
    ...EFFECTS,
    outputFormat: choice(['webp', 'gif', 'apng'], 'output format', { group: 'Output', default: 'webp' }),
    edgeRefine: integer('edge refinement for fine detail such as hair; 0 is off', {
      default: 0,
      min: 0,
      max: 3,
    }),
    ...FRINGES,
    ...KEEP_COLORS,
  },
  output: { kind: 'file', type: { setting: 'outputFormat' } },
  timeoutS: 7200,
  heavy: true,
  async: true,
  examples: [
    { title: 'a sticker', inputs: ['nearer.gif'] },
    {
      title: 'on a colour',
      inputs: ['nearer.gif'],
      settings: { backgroundType: 'color', backgroundColor: '#1e3a8a', outputFormat: 'gif' },
    },
  ],
  check: (settings) => checkEffects({ ...settings, blurEnabled: false }),
  async transform(
    given,
    { model, edgeRefine, decontaminate, keepFringes, keepColors, outputFormat, ...options },
    context,
  ) {
    checkFrames(given)
    const effects = { ...options, blurEnabled: false }
    const { frames, empty } = await mattedFrames(given, model, edgeRefine as Refinement, context)
    if (empty === given.pages) throw new MediaprocError('PROCESSING_FAILED', NO_SUBJECT)
    const mattes = await steadyMattes(frames, given, context)
    let done = 0
    const whole = await onEachPage(given, async (page) => {
      context.signal.throwIfAborted()
      const frame = await (await page.toRgb()).settled()
      const cut = await cutOut(frame, { data: required(mattes, done) })
      done += 1
      const coloured = decontaminate || !keepFringes ? await decontaminated(cut, context) : cut
      const subject = keepColors ? coloured : await cleared(coloured)
      context.progress(PROGRESS.steady + (1 - PROGRESS.steady) * (done / given.pages), 'cutting out')
      return onBackdrop(subject, frame, backdropOf(effects), shadowOf(effects), { ...context, progress: () => {} })
    })
    if (empty > 0)
      context.warn(`No subject was found in ${empty} of ${given.pages} frames: they show only the background`)
    return whole.withTarget({ format: outputFormat, exact: keepColors })
  },
})
