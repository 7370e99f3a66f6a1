import { environmentNumber } from '../../../src/environment.ts'
import { MediaprocError } from '../../../src/errors.ts'
import { printableName } from '../../../src/media/file.ts'
import type { ImageFrame } from '../../../src/media/image/frame.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { boolean, choice, integer } from '../../../src/tool/settings.ts'
import { cleared } from '../_shared/layers/cleared.ts'
import { onEachPage } from '../_shared/layout/pages.ts'
import { onBackdrop } from '../_shared/matting/backdrop.ts'
import { cutOut } from '../_shared/matting/cut-out.ts'
import { decontaminated } from '../_shared/matting/decontaminate.ts'
import { backdropOf, checkEffects, EFFECT_SETTINGS, KEEP_COLORS, shadowOf } from '../_shared/matting/effects.ts'
import { matteOf, NO_SUBJECT, type Refinement } from '../_shared/matting/matte.ts'
import { MATTING_MODELS, mattingChain } from '../_shared/matting/networks.ts'

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
    decontaminate: boolean("take the old background's colour out of hair and edges", { default: true }),
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
  async transform(given, { model, edgeRefine, decontaminate, keepColors, outputFormat, ...options }, context) {
    checkFrames(given)
    const effects = { ...options, blurEnabled: false }
    let done = 0
    // The subject enters later or leaves the image: these frames show only the background.
    let empty = 0
    const onPage = async (page: ImageFrame): Promise<ImageFrame> => {
      context.signal.throwIfAborted()
      const frame = await (await page.toRgb()).settled()
      const own = { ...context, progress: () => context.progress((done / given.pages) * 0.9, 'cutting out') }
      const matte = await matteOf(frame, mattingChain(model), edgeRefine as Refinement, own).catch((error: unknown) => {
        if (!(error instanceof MediaprocError) || error.message !== NO_SUBJECT) throw error
        empty += 1
        return { data: Buffer.alloc(frame.width * frame.height) }
      })
      const cut = await cutOut(frame, matte)
      const coloured = decontaminate ? await decontaminated(cut, own) : cut
      const subject = keepColors ? coloured : await cleared(coloured)
      done += 1
      return onBackdrop(subject, frame, backdropOf(effects), shadowOf(effects), own)
    }
    const whole = await onEachPage(given, onPage)
    if (empty === given.pages) throw new MediaprocError('PROCESSING_FAILED', NO_SUBJECT)
    if (empty > 0)
      context.warn(`No subject was found in ${empty} of ${given.pages} frames: they show only the background`)
    return whole.withTarget({ format: outputFormat, exact: keepColors })
  },
})
