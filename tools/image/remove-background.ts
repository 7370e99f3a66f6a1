import { imageTool } from '../../src/tool/image-tool.ts'
import { boolean, choice, integer } from '../../src/tool/settings.ts'
import { onlyFirstPage } from './_shared/layout/pages.ts'
import { onBackdrop } from './_shared/matting/backdrop.ts'
import { cutOut } from './_shared/matting/cut-out.ts'
import { decontaminated } from './_shared/matting/decontaminate.ts'
import { backdropOf, checkEffects, EFFECT_SETTINGS, shadowOf } from './_shared/matting/effects.ts'
import { matteOf, type Refinement } from './_shared/matting/matte.ts'
import { MATTING_MODELS, mattingChain } from './_shared/matting/networks.ts'

export default imageTool({
  id: 'remove-background',
  summary: 'Cut out the subject and optionally put it on a new background',
  suffix: 'nobg',
  input: {
    files: 'one',
    min: 1,
    max: 1,
    accept: ['image'],
    secondary: { backgroundImage: { required: false, what: 'the picture behind the subject', accept: ['image'] } },
  },
  bundles: ['background-removal'],
  settings: {
    model: choice(
      MATTING_MODELS,
      'the model that finds the subject; by default the best that is installed and fits the memory',
    ),
    ...EFFECT_SETTINGS,
    edgeRefine: integer('how closely the edge follows fine detail such as hair; 0 is off', {
      default: 0,
      min: 0,
      max: 3,
    }),
    decontaminate: boolean("take the old background's colour out of hair and edges", { default: false }),
  },
  output: { kind: 'file+report', type: { setting: 'outputFormat' } },
  timeoutS: 600,
  heavy: true,
  async: true,
  examples: [
    { title: 'on nothing', inputs: ['portrait.jpg'] },
    {
      title: 'on a colour, with clean hair',
      inputs: ['portrait.jpg'],
      settings: { backgroundType: 'color', backgroundColor: '#1e3a8a', edgeRefine: 2, decontaminate: true },
    },
  ],
  check: checkEffects,
  async transform(given, settings, context) {
    const frame = await (await onlyFirstPage(given, context)).settled()
    const matte = await matteOf(frame, mattingChain(settings.model), settings.edgeRefine as Refinement, context)
    const cut = await cutOut(frame, matte)
    const subject = settings.decontaminate ? await decontaminated(cut) : cut
    const whole = await onBackdrop(subject, frame, backdropOf(settings), shadowOf(settings), context)
    const target = { format: settings.outputFormat, lossless: true } as const
    return { frame: whole.withTarget(target), report: { model: matte.model } }
  },
})
