import { MediaprocError } from '../../../../src/errors.ts'
import { printableName } from '../../../../src/media/file.ts'
import type { ImageFrame } from '../../../../src/media/image/frame.ts'
import { requireModel } from '../../../../src/models/use-model.ts'
import type { StepContext } from '../../../../src/tool/image-tool.ts'
import { detectFaces } from '../../_shared/faces/detect.ts'
import { onlyFirstPage } from '../../_shared/layout/pages.ts'
import { cutOut } from '../../_shared/matting/cut-out.ts'
import { decontaminated } from '../../_shared/matting/decontaminate.ts'
import { matteOf } from '../../_shared/matting/matte.ts'
import { PORTRAIT_CHAIN } from '../../_shared/matting/networks.ts'
import { type HeadPoints, headPoints } from './landmarks.ts'

/** Face detection sensitivity. */
const SENSITIVITY = 0.5
/**
 * The networks' own mattes are finer than the photos; refinement leaves a haze of the background around ears and hair.
 */
const REFINEMENT = 0
/** Progress shares: the face, then the background (catalogue). */
const PROGRESS = { face: 0.3, background: 0.65 }

/** A portrait without its background, and the position of its head, in pixels. */
export interface Analysis {
  cutOut: ImageFrame
  head: HeadPoints
  model: string
  warnings: string[]
}

/**
 * Detects the head of a portrait and cuts the person out.
 * @throws MediaprocError PROCESSING_FAILED if there is no face, FEATURE_NOT_INSTALLED
 */
export async function analysed(given: ImageFrame, context: StepContext): Promise<Analysis> {
  await requireModel(PORTRAIT_CHAIN, 'background-removal')
  const first = await onlyFirstPage(given, context)
  const frame = await (await (await first.toSrgb()).toRgb()).settled()
  const name = printableName(given.origin.name)
  context.progress(0.05, 'finding the face')
  // A sideways portrait is not valid for a passport.
  const faces = await detectFaces(frame, SENSITIVITY, context, { turns: [0] })
  const [face] = faces.sort((one, other) => other.height - one.height)
  if (!face)
    throw new MediaprocError('PROCESSING_FAILED', `${name}: no face was found`, {
      hint: 'Use an upright portrait that looks at the camera.',
    })
  context.progress(PROGRESS.face, 'removing the background')
  const matte = await matteOf(frame, PORTRAIT_CHAIN, REFINEMENT, {
    ...context,
    progress: (fraction, phase) => context.progress(PROGRESS.face + PROGRESS.background * fraction, phase),
  })
  const cut = await decontaminated(await cutOut(frame, matte), context)
  const { data, width, height, model } = matte
  const { head } = headPoints(face.landmarks.points, { width, height, at: (x, y) => data[y * width + x]! })
  const others = faces.length > 1 ? [`${faces.length} faces were found; the largest is used`] : []
  return { cutOut: cut, head, model, warnings: others }
}
