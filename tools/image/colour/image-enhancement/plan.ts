import type { Analysis } from './scores.ts'

type Weights = Record<keyof Analysis['corrections'] | 'clahe' | 'normalise', number>

const AUTO: Weights = {
  brightness: 1,
  contrast: 1,
  temperature: 1,
  saturation: 1,
  sharpness: 1,
  denoise: 1,
  clahe: 1,
  normalise: 1,
}

/** Strength of each correction for a scene (catalogue: image-enhancement). */
const SCENES: Record<string, Weights> = {
  auto: AUTO,
  portrait: {
    brightness: 0.8,
    contrast: 0.7,
    temperature: 1.2,
    saturation: 0.6,
    sharpness: 0.5,
    denoise: 1.5,
    clahe: 0.7,
    normalise: 0.8,
  },
  landscape: {
    brightness: 1,
    contrast: 1.3,
    temperature: 1,
    saturation: 1.4,
    sharpness: 1.5,
    denoise: 0.5,
    clahe: 1.3,
    normalise: 1.2,
  },
  'low-light': {
    brightness: 1.8,
    contrast: 1.5,
    temperature: 1,
    saturation: 0.8,
    sharpness: 1.2,
    denoise: 2,
    clahe: 1.5,
    normalise: 1.5,
  },
  food: {
    brightness: 0.8,
    contrast: 1.1,
    temperature: 1.3,
    saturation: 1.3,
    sharpness: 1.2,
    denoise: 0.5,
    clahe: 1.1,
    normalise: 1,
  },
  document: {
    brightness: 1.5,
    contrast: 2,
    temperature: 1,
    saturation: 0,
    sharpness: 2,
    denoise: 2,
    clahe: 2,
    normalise: 1.5,
  },
}

export const TOGGLES = ['exposure', 'contrast', 'whiteBalance', 'saturation', 'sharpness', 'denoise'] as const
export type Toggles = Record<(typeof TOGGLES)[number], boolean>

/** Modes with a single correction. */
const ALONE: Record<string, readonly (keyof Toggles)[]> = {
  exposure: ['exposure'],
  contrast: ['contrast'],
  color: ['whiteBalance', 'saturation'],
  sharpness: ['sharpness'],
}

export const MODES = [
  'auto',
  'exposure',
  'contrast',
  'color',
  'sharpness',
  'portrait',
  'landscape',
  'low-light',
  'food',
  'document',
] as const
export type Mode = (typeof MODES)[number]

/** Corrections in this order; absent or 0 is skipped. */
export interface Plan {
  /** Steepest slope of local contrast. */
  slope?: number
  /** Percent of the darkest and of the lightest pixels that the level stretch can clip. */
  clip?: number
  /** -100 to 100, as in Tone. */
  exposure: number
  /** All corrections together: what one of them would spoil is protected. */
  isScene: boolean
  /** Corrections need evidence: not for a document or low light, which the caller names. */
  isGentle: boolean
  /** Weight of the mode and strength that `exposure` contains. */
  exposureWeight: number
  temperature: number
  saturation: number
  /** Sigma of the sharpening, px. */
  sigma?: number
  /** Side of the median filter, px. */
  median?: 3 | 5
}

/** Smaller corrections are skipped (catalogue: 'Values of 2 or less are not applied'). */
const LEAST = 2

/** Percent of the pixels that a level stretch can clip at either end: single bright points, nothing visible. */
const CLIP = 0.05

/**
 * Derives the corrections from an image's scores. Each is scaled by the mode's weight and by strength/50.
 * @param strength 0 to 100; 50 applies the corrections as computed
 * @param noise standard deviation, 0 to 255: local contrast would amplify it too
 */
export function planOf({ corrections }: Analysis, mode: Mode, strength: number, toggles: Toggles, noise = 0): Plan {
  const weights = SCENES[mode] ?? AUTO
  const alone = ALONE[mode]
  const value = (name: keyof Analysis['corrections'], toggle: keyof Toggles): number => {
    if (!toggles[toggle] || (alone && !alone.includes(toggle))) return 0
    const scaled = corrections[name] * weights[name] * (strength / 50)
    return Math.abs(scaled) > LEAST ? Math.min(100, Math.max(-100, scaled)) : 0
  }
  const sharpness = value('sharpness', 'sharpness')
  const denoise = value('denoise', 'denoise')
  return {
    // Neither tool can reduce contrast: they only add.
    ...(value('contrast', 'contrast') > 0 && {
      slope: 1 + (2 * (strength / 100) ** 2 * weights.clahe) / (1 + noise),
      clip: CLIP * weights.normalise,
    }),
    exposure: value('brightness', 'exposure'),
    temperature: value('temperature', 'whiteBalance'),
    // A scene keeps its colours; only the correction of colours alone calms them.
    saturation: alone ? value('saturation', 'saturation') : Math.max(0, value('saturation', 'saturation')),
    isScene: !alone,
    isGentle: !alone && mode !== 'document' && mode !== 'low-light',
    exposureWeight: weights.brightness * (strength / 50),
    ...(sharpness > 0 && { sigma: 0.5 + (sharpness / 100) * 4 }),
    ...(denoise > 0 && { median: denoise < 4 ? 3 : 5 }),
  }
}
