import { boolean, choice, color, number } from '../../../../src/tool/settings.ts'
import { invalidSettings } from '../../../../src/tool/validate.ts'
import { type Backdrop, blurSigma } from './backdrop.ts'

const GRADIENT = { group: 'Background', when: { backgroundType: 'gradient' } } as const

/** For programs that need the old colours behind a transparent edge. */
export const KEEP_COLORS = {
  keepColors: boolean('keep the colours of transparent pixels: programs can recover the old background from them', {
    group: 'Output',
    default: false,
  }),
} as const

/** The available backgrounds for a subject that was cut out. */
export const EFFECT_SETTINGS = {
  backgroundType: choice(['transparent', 'color', 'gradient', 'blur', 'image'], 'background of the subject', {
    group: 'Background',
    default: 'transparent',
  }),
  backgroundColor: color('the colour', { group: 'Background', when: { backgroundType: 'color' }, example: '#ffffff' }),
  gradientColor1: color('start colour of the gradient', { ...GRADIENT, example: '#dbeafe' }),
  gradientColor2: color('end colour of the gradient', { ...GRADIENT, example: '#1e3a8a' }),
  gradientAngle: number('direction of the gradient: 0 up, 90 right, 180 from top to bottom', {
    ...GRADIENT,
    default: 180,
    unit: 'degrees',
  }),
  blurEnabled: boolean('blur the background', { group: 'Background', default: false }),
  blurIntensity: number('strength of the blur', { group: 'Background', default: 50, min: 0, max: 100 }),
  shadowEnabled: boolean('a soft shadow under the subject', { group: 'Shadow', default: false }),
  shadowOpacity: number('darkness of the shadow; 0 is off', {
    group: 'Shadow',
    default: 0,
    min: 0,
    max: 100,
    unit: '%',
  }),
  outputFormat: choice(['png', 'webp', 'avif'], 'lossless output format', {
    group: 'Output',
    default: 'png',
  }),
} as const

export interface EffectOptions {
  backgroundType: 'transparent' | 'color' | 'gradient' | 'blur' | 'image'
  backgroundColor?: string | undefined
  gradientColor1?: string | undefined
  gradientColor2?: string | undefined
  gradientAngle: number
  blurEnabled: boolean
  blurIntensity: number
  shadowEnabled: boolean
  shadowOpacity: number
}

/** @throws INVALID_SETTINGS if the colours of a background are missing */
export function checkEffects({ backgroundType, backgroundColor, gradientColor1, gradientColor2 }: EffectOptions): void {
  if (backgroundType === 'color' && backgroundColor === undefined)
    throw invalidSettings(
      'Expected backgroundColor for backgroundType color',
      "For example: --background-color '#ffffff'",
    )
  if (backgroundType === 'gradient' && (gradientColor1 === undefined || gradientColor2 === undefined))
    throw invalidSettings('Expected gradientColor1 and gradientColor2 for backgroundType gradient')
}

/** The backdrop that the settings request. A blur without another background uses the image itself. */
export function backdropOf(options: EffectOptions): Backdrop {
  const { backgroundType, blurEnabled, blurIntensity } = options
  const sigma = blurSigma(blurIntensity)
  switch (backgroundType) {
    case 'color':
      return { kind: 'color', color: options.backgroundColor! }
    case 'gradient':
      return {
        kind: 'gradient',
        from: options.gradientColor1!,
        to: options.gradientColor2!,
        angle: options.gradientAngle,
      }
    case 'image':
      return { kind: 'image', ...(blurEnabled && { sigma }) }
    case 'blur':
      return { kind: 'blur', sigma }
    case 'transparent':
      return blurEnabled ? { kind: 'blur', sigma } : { kind: 'transparent' }
  }
}

/** Darkness of the shadow, 0 to 1. */
export const shadowOf = ({ shadowEnabled, shadowOpacity }: EffectOptions): number =>
  shadowEnabled ? shadowOpacity / 100 : 0
