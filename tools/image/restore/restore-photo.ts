import { MediaprocError } from '../../../src/errors.ts'
import type { ImageFrame } from '../../../src/media/image/frame.ts'
import { useModel } from '../../../src/models/use-model.ts'
import { imageTool, type StepContext } from '../../../src/tool/image-tool.ts'
import { SAME_PICTURE } from '../../../src/tool/output-type.ts'
import { boolean, choice, number } from '../../../src/tool/settings.ts'
import { counted } from '../../../src/wording.ts'
import { colorized } from '../_shared/colorize/colorize.ts'
import { denoised } from '../_shared/denoise/classical.ts'
import { denoisedByNetwork } from '../_shared/denoise/network.ts'
import { balancedFilters } from '../_shared/denoise/tiers.ts'
import { detectFaces } from '../_shared/faces/detect.ts'
import { RESTORERS, withRestoredFaces } from '../_shared/faces/restored.ts'
import { onlyFirstPage } from '../_shared/layout/pages.ts'
import { isGreyscale } from './restore-photo/grey.ts'
import { lightOf, middleOf } from './restore-photo/light.ts'
import { noiseOf } from './restore-photo/noise.ts'
import { damageOf, type FoundDamage, repaired } from './restore-photo/repair.ts'

/** Required certainty of damage, and the factor on the requested strength (catalogue). */
const MODES = {
  auto: { threshold: 130, strength: (wanted: number) => wanted },
  light: { threshold: 170, strength: (wanted: number) => Math.min(30, wanted) },
  heavy: { threshold: 90, strength: (wanted: number) => Math.max(60, wanted) },
} as const

/** Damage below this percentage of an image is not repaired (catalogue). */
const LEAST_COVERAGE = 0.1

/** The area for measuring noise, px, and the standard deviation (of 255) below which noise is not visible. */
const MEASURED = 2048
const VISIBLE_NOISE = 1

/** Minimum score of a face is 0.4 (catalogue). */
const SENSITIVITY = 0.6

/** Larger images are denoised without the network, which would take minutes. */
const NETWORK_PIXELS = 4e6

/** A step returns undefined if it has nothing to do, or cannot run, which it warns about. */
type Step<T = ImageFrame> = Promise<T | undefined>

/** For example `2 scratches and 1 speck`. */
function numbersOf({ scratches, specks }: FoundDamage): string {
  const lines = scratches === 1 ? '1 scratch' : `${scratches} scratches`
  return [...(scratches > 0 ? [lines] : []), ...(specks > 0 ? [counted(specks, 'speck')] : [])].join(' and ')
}

/** Repairs certain damage, and warns about the rest. */
async function withoutDamage(
  frame: ImageFrame,
  threshold: number,
  context: StepContext,
): Promise<{ damage: FoundDamage; repaired: { frame: ImageFrame; method: string } | undefined }> {
  const damage = await damageOf(frame, threshold, context)
  if (damage.isMuch && damage.coverage > LEAST_COVERAGE) {
    const made = await repaired(frame, damage, context)
    const left = await damageOf(made.frame, threshold, context)
    if (left.scratches + left.specks > 0) context.warn(`Possible damage remains after the repair: ${numbersOf(left)}`)
    return { damage, repaired: made }
  }
  if (damage.scratches + damage.specks > 0)
    context.warn(
      `Possible damage was not repaired: ${numbersOf(damage)}. It may be part of the photo (the mode heavy repairs more)`,
    )
  return { damage: { ...damage, coverage: 0 }, repaired: undefined }
}

async function withFaces(
  given: ImageFrame,
  fidelity: number,
  context: StepContext,
): Step<{ frame: ImageFrame; count: number }> {
  const frame = await (await given.toRgb()).settled()
  try {
    const faces = await detectFaces(frame, SENSITIVITY, context)
    if (faces.length === 0) return undefined
    const made = await withRestoredFaces(frame, faces, RESTORERS.auto, 1 - fidelity, context)
    if (made) return { frame: made.frame, count: faces.length }
  } catch (error) {
    if (!(error instanceof MediaprocError) || error.code !== 'FEATURE_NOT_INSTALLED') throw error
  }
  context.warn('Faces are not restored: the models of photo-restoration for them are not installed')
  return undefined
}

async function withoutNoise(frame: ImageFrame, strength: number, context: StepContext): Step {
  if (strength === 0) return undefined
  if (noiseOf(await lightOf(await middleOf(frame, MEASURED))) < VISIBLE_NOISE) return undefined
  const options = { strength, detailPreservation: 50, colorNoise: strength }
  const isSmall = frame.width * frame.height <= NETWORK_PIXELS
  const byNetwork = isSmall ? await denoisedByNetwork(frame, options, context) : undefined
  return byNetwork ?? frame.withSamples(await denoised(await frame.samples(), balancedFilters(options), context))
}

async function withColours(given: ImageFrame, intensity: number, isGrey: boolean, context: StepContext): Step {
  if (!isGrey) {
    context.warn('The photo has colours already: it is not colorized')
    return undefined
  }
  const frame = await given.toRgb()
  const made = await useModel(['ddcolor-tiny', 'colorization-eccv16'], context, (model) =>
    colorized(frame, model, intensity),
  )
  if (!made) context.warn('The photo is not colorized: the models of photo-restoration for it are not installed')
  return made
}

export default imageTool({
  id: 'restore-photo',
  summary: 'Repair scratches, faces, noise and colour of old photos',
  suffix: 'restored',
  bundles: ['photo-restoration'],
  settings: {
    mode: choice(['auto', 'light', 'heavy'], 'required certainty of damage, and strength of noise removal', {
      default: 'auto',
    }),
    scratchRemoval: boolean('repair scratches, hairs and dust; keeps undamaged content', {
      default: true,
    }),
    faceEnhancement: boolean('restore faces', { default: true }),
    fidelity: number('fidelity of faces; 1 keeps them unchanged', { default: 0.7, min: 0, max: 1 }),
    denoise: boolean('remove noise', { default: true }),
    denoiseStrength: number('strength of noise removal', { default: 25, min: 0, max: 100 }),
    colorize: boolean('colorize a photo without colours', { default: false }),
    colorizeStrength: number('strength of the colours', { default: 85, min: 0, max: 100 }),
  },
  output: { kind: 'file+report', type: SAME_PICTURE },
  timeoutS: 300,
  heavy: true,
  async: true,
  examples: [
    { title: 'an old photograph', inputs: ['old-photo.jpg'] },
    {
      title: 'deep scratches, in colour',
      inputs: ['old-photo.jpg'],
      settings: { mode: 'heavy', colorize: true, colorizeStrength: 60 },
    },
  ],
  async transform(given, settings, context) {
    const { threshold, strength } = MODES[settings.mode]
    const first = await onlyFirstPage(given, context)
    let frame = await (await first.toSrgb()).settled()
    const isGrayscale = await isGreyscale(frame)
    const steps: string[] = []
    const facts = { scratchCoverage: 0, facesEnhanced: 0, isGrayscale, colorized: false }
    let method: string | undefined
    const took = (step: string, made: ImageFrame | undefined): void => {
      if (!made) return
      frame = made
      steps.push(step)
    }
    if (settings.scratchRemoval) {
      context.progress(0, 'finding scratches')
      const { damage, repaired: made } = await withoutDamage(frame, threshold, context)
      facts.scratchCoverage = Math.round(damage.coverage * 100) / 100
      method = made?.method
      took('scratch_removal', made?.frame)
    }
    if (settings.faceEnhancement && settings.fidelity < 1) {
      const made = await withFaces(frame, settings.fidelity, context)
      facts.facesEnhanced = made?.count ?? 0
      took('face_enhancement', made?.frame)
    }
    if (settings.denoise) took('denoise', await withoutNoise(frame, strength(settings.denoiseStrength), context))
    if (settings.colorize) {
      const made = await withColours(frame, settings.colorizeStrength / 100, isGrayscale, context)
      facts.colorized = made !== undefined
      took('colorize', made)
    }
    const report = { width: frame.width, height: frame.height, steps, ...facts, ...(method && { method }) }
    const isUnchanged = steps.length === 0 && first === given
    return { frame: isUnchanged ? given.withTarget({ verbatim: true }) : frame, report }
  },
})
