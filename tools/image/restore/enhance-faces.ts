import { featureMissing } from '../../../src/models/missing.ts'
import { requireModel } from '../../../src/models/use-model.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { boolean, choice, number } from '../../../src/tool/settings.ts'
import { detectFaces, FACE_MODELS, type Face } from '../_shared/faces/detect.ts'
import { RESTORERS, withRestoredFaces } from '../_shared/faces/restored.ts'
import { onlyFirstPage } from '../_shared/layout/pages.ts'

/** The face nearest to the centre of the image. */
function nearestTo(faces: readonly Face[], x: number, y: number): Face[] {
  const distance = ({ left, top, width, height }: Face): number =>
    Math.hypot(left + width / 2 - x, top + height / 2 - y)
  return [...faces].sort((one, other) => distance(one) - distance(other)).slice(0, 1)
}

const inPixels = ({ left, top, width, height }: Face) => ({
  x: Math.round(left),
  y: Math.round(top),
  w: Math.round(width),
  h: Math.round(height),
})

export default imageTool({
  id: 'enhance-faces',
  summary: 'Restore blurry faces',
  suffix: 'enhanced',
  bundles: ['upscale-enhance', 'face-detection'],
  models: [...RESTORERS.auto, ...FACE_MODELS],
  checkInstalled: ({ model }, store) => requireModel(RESTORERS[model], 'upscale-enhance', store),
  settings: {
    model: choice(['auto', 'gfpgan', 'codeformer'], 'the network; CodeFormer is for non-commercial use only', {
      default: 'auto',
    }),
    strength: number('how much is restored', { default: 0.8, min: 0, max: 1 }),
    sensitivity: number('sensitivity of face detection', { default: 0.5, min: 0, max: 1 }),
    onlyCenterFace: boolean('only the face nearest to the centre', { default: false, aliases: ['centerFace'] }),
  },
  output: { kind: 'file+report', type: { is: 'png' } },
  timeoutS: 300,
  heavy: true,
  async: true,
  examples: [
    { title: 'a blurred portrait', inputs: ['portrait.jpg'] },
    {
      title: 'slightly, and only the main face',
      inputs: ['portrait.jpg'],
      settings: { strength: 0.4, onlyCenterFace: true },
    },
  ],
  async transform(given, { model, strength, sensitivity, onlyCenterFace }, context) {
    await requireModel(RESTORERS[model], 'upscale-enhance')
    const first = await onlyFirstPage(given, context, 'png')
    const frame = await (await (await first.toSrgb()).toRgb()).settled()
    const found = await detectFaces(frame, sensitivity, context)
    const faces = onlyCenterFace ? nearestTo(found, frame.width / 2, frame.height / 2) : found
    const facts = { facesDetected: found.length, faces: found.map(inPixels) }
    if (faces.length === 0) {
      context.warn('No face was found: the image is unchanged')
      return { frame: first.withTarget({ format: 'png' }), report: { ...facts, model: 'none' } }
    }
    const made = await withRestoredFaces(frame, faces, RESTORERS[model], strength, context)
    if (!made) throw featureMissing('upscale-enhance')
    return { frame: made.frame.withTarget({ format: 'png' }), report: { ...facts, model: made.model } }
  },
})
