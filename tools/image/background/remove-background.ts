import { decodeImage } from '../../../src/media/image/decode/decode.ts'
import type { ImageFrame } from '../../../src/media/image/frame.ts'
import { suffixedName } from '../../../src/media/naming.ts'
import { oneFile } from '../../../src/tool/contract.ts'
import { imageAction, imageTool, type StepContext } from '../../../src/tool/image-tool.ts'
import { choice, integer, type SettingsOf } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import { cleared } from '../_shared/layers/cleared.ts'
import { onlyFirstPage } from '../_shared/layout/pages.ts'
import { onBackdrop } from '../_shared/matting/backdrop.ts'
import { cutOut } from '../_shared/matting/cut-out.ts'
import { decontaminated, FRINGES } from '../_shared/matting/decontaminate.ts'
import { backdropOf, checkEffects, EFFECT_SETTINGS, KEEP_COLORS, shadowOf } from '../_shared/matting/effects.ts'
import { matteOf, type Refinement } from '../_shared/matting/matte.ts'
import { MATTING_MODELS, mattingChain } from '../_shared/matting/networks.ts'

const BACKGROUND_IMAGE = {
  backgroundImage: {
    required: false,
    requiredFor: { backgroundType: 'image' },
    what: 'the background image',
    accept: ['image'],
  },
} as const

const CUT_SETTINGS = {
  model: choice(
    MATTING_MODELS,
    'the model that detects the subject; by default the best one that is installed and fits in memory',
  ),
  edgeRefine: integer('edge refinement for fine detail such as hair; 0 is off', {
    default: 0,
    min: 0,
    max: 3,
  }),
  ...FRINGES,
  ...KEEP_COLORS,
} as const

/** The subject with a transparent background. */
async function subjectOf(
  frame: ImageFrame,
  { model, edgeRefine, decontaminate, keepFringes, keepColors }: SettingsOf<typeof CUT_SETTINGS>,
  context: StepContext,
): Promise<{ subject: ImageFrame; model: string }> {
  const matte = await matteOf(frame, mattingChain(model), edgeRefine as Refinement, context)
  const cut = await cutOut(frame, matte)
  const subject = decontaminate || !keepFringes ? await decontaminated(cut, context) : cut
  return { subject: keepColors ? subject : await cleared(subject), model: matte.model }
}

async function withEffects(
  subject: ImageFrame,
  original: ImageFrame,
  settings: SettingsOf<typeof EFFECT_SETTINGS>,
  context: StepContext,
): Promise<ImageFrame> {
  const whole = await onBackdrop(subject, original, backdropOf(settings), shadowOf(settings), context)
  return whole.withTarget({ format: settings.outputFormat, lossless: true })
}

/** A cut-out made from an image earlier. */
async function earlierCutOut(original: ImageFrame, { secondary, warn }: StepContext): Promise<ImageFrame> {
  const cut = await (await decodeImage(secondary.cutOut!, { firstPage: true, warn })).settled()
  const { width, height } = original
  if (cut.width === width && cut.height === height) return cut
  throw invalidSettings(`The cut-out has ${cut.width} x ${cut.height} pixels, but its image has ${width} x ${height}`)
}

export default imageTool({
  id: 'remove-background',
  summary: 'Cut out the subject and optionally put it on a new background',
  suffix: 'nobg',
  input: { ...oneFile('image'), secondary: BACKGROUND_IMAGE },
  bundles: ['background-removal'],
  settings: { ...CUT_SETTINGS, ...EFFECT_SETTINGS },
  output: { kind: 'file+report', type: { setting: 'outputFormat' } },
  timeoutS: 600,
  heavy: true,
  async: true,
  overHttp: 'cut-out',
  examples: [
    { title: 'on a transparent background', inputs: ['portrait.jpg'] },
    {
      title: 'on a colour, with fine hair',
      inputs: ['portrait.jpg'],
      settings: { backgroundType: 'color', backgroundColor: '#1e3a8a', edgeRefine: 2 },
    },
  ],
  check: checkEffects,
  async transform(given, settings, context) {
    const frame = await (await onlyFirstPage(given, context)).settled()
    const { subject, model } = await subjectOf(frame, settings, context)
    const whole = await withEffects(subject, frame, settings, context)
    return { frame: whole.withTarget({ exact: settings.keepColors }), report: { model } }
  },
  actions: [
    imageAction({
      id: 'cut-out',
      summary: 'Cut out the subject and store it with its image, for later effects',
      input: oneFile('image'),
      naming: { suffix: 'mask' },
      settings: CUT_SETTINGS,
      output: { kind: 'files+report', type: { is: 'png' } },
      async produce([picture], settings, context) {
        const frame = await (await onlyFirstPage(await picture.open(), context)).settled()
        const { subject, model } = await subjectOf(frame, settings, context)
        const kept = [
          { what: 'mask', field: 'maskUrl', frame: subject },
          { what: 'original', field: 'originalUrl', frame },
        ]
        async function* frames() {
          for (const { what, field, frame: one } of kept)
            yield { name: suffixedName(picture, what, 'png'), field, frame: one.withTarget({ format: 'png' }) }
        }
        return { frames: frames(), report: { filename: picture.name, model } }
      },
    }),
    imageAction({
      id: 'effects',
      summary: 'Put a previously cut out subject on a new background, without a model',
      input: {
        ...oneFile('image'),
        secondary: {
          cutOut: { required: true, what: 'the subject of the image, as stored by cut-out', accept: ['image'] },
          ...BACKGROUND_IMAGE,
        },
      },
      bundles: [],
      sync: true,
      fromJob: {
        files: { file: 'original.png', cutOut: 'mask.png' },
        gone: {
          code: 'BACKGROUND_REMOVAL_EXPIRED',
          message: 'The cut-out is not kept any more',
          hint: 'Send the picture to remove-background again.',
        },
      },
      settings: EFFECT_SETTINGS,
      check: checkEffects,
      output: { kind: 'file', type: { setting: 'outputFormat' } },
      async transform(given, settings, context) {
        const original = await (await onlyFirstPage(given, context)).settled()
        return withEffects(await earlierCutOut(original, context), original, settings, context)
      },
    }),
  ],
})
