import type { ImageFormatId } from '../../../src/media/image/formats.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { choice, number } from '../../../src/tool/settings.ts'
import { detectFaces } from '../_shared/faces/detect.ts'
import { onlyFirstPage } from '../_shared/layout/pages.ts'
import { correctEye } from './red-eye-removal/correct-eye.ts'
import { eyesOf } from './red-eye-removal/eyes.ts'

/** Maximum number of faces (catalogue). */
const MOST_FACES = 50
/** Face detection uses its default; the setting is the required redness of an eye. */
const FACE_SENSITIVITY = 0.5

export default imageTool({
  id: 'red-eye-removal',
  summary: 'Correct red eyes from flash',
  suffix: 'redeye_fixed',
  bundles: ['face-detection'],
  settings: {
    sensitivity: number('sensitivity of red-eye detection', { default: 50, min: 0, max: 100 }),
    strength: number('darkness of the pupil; its colour is always removed', { default: 70, min: 0, max: 100 }),
    format: choice(['png', 'jpg', 'webp', 'original'], 'output format', {
      group: 'Output',
      default: 'png',
      valueAliases: { jpeg: 'jpg' },
    }),
    quality: number('for lossy formats; 100 is best', { short: 'Q', group: 'Output', default: 90, min: 1, max: 100 }),
  },
  output: { kind: 'file+report', type: { setting: 'format' } },
  timeoutS: 300,
  heavy: true,
  async: true,
  examples: [
    { title: 'correct red eyes', inputs: ['portrait.jpg'] },
    { title: 'also correct faint red', inputs: ['portrait.jpg'], settings: { sensitivity: 80, format: 'original' } },
  ],
  async transform(given, { sensitivity, strength, format, quality }, context) {
    const first = await onlyFirstPage(given, context)
    // Colours are evaluated in sRGB.
    const frame = await (await (await first.toSrgb()).toRgb()).settled()
    const faces = (await detectFaces(frame, FACE_SENSITIVITY, context)).slice(0, MOST_FACES)
    const samples = await frame.samples()
    let eyesCorrected = 0
    for (const eye of faces.flatMap(eyesOf)) if (correctEye(samples, eye, { sensitivity, strength })) eyesCorrected += 1
    if (eyesCorrected === 0) context.warn(faces.length === 0 ? 'No face was found' : 'No red eye was found')
    const options = {
      quality,
      verbatim: eyesCorrected === 0,
      ...(format !== 'original' && { format: format as ImageFormatId }),
    }
    const done = eyesCorrected === 0 ? first : await frame.withSamples(samples)
    return { frame: done.withTarget(options), report: { facesDetected: faces.length, eyesCorrected } }
  },
})
