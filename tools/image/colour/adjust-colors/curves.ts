import { number, type SettingsOf, text } from '../../../../src/tool/settings.ts'
import { invalidSettings } from '../../../../src/tool/validate.ts'
import type { Tone } from '../../_shared/colour/tone.ts'
import { curvePoints, curveThrough } from './curve.ts'

const curve = (what: string) =>
  text(`curve of ${what} through points "x,y x,y …" from 0 to 255`, {
    maxLength: 600,
    group: 'Levels and curves',
    example: '0,0 64,48 192,210 255,255',
  })

export const CURVES = {
  blackPoint: number('values up to this one become black', {
    default: 0,
    min: 0,
    max: 254,
    group: 'Levels and curves',
  }),
  whitePoint: number('values from this one become white', {
    default: 255,
    min: 1,
    max: 255,
    group: 'Levels and curves',
  }),
  midtones: number('gamma of the levels: above 1 brighter in the middle', {
    default: 1,
    min: 0.1,
    max: 10,
    group: 'Levels and curves',
  }),
  curve: curve('all channels'),
  curveRed: curve('red, after the one of all'),
  curveGreen: curve('green'),
  curveBlue: curve('blue'),
}

/** Levels and curves of the settings. @throws MediaprocError INVALID_SETTINGS */
export function curvesOf(settings: SettingsOf<typeof CURVES>): Pick<Tone, 'levels' | 'curves'> & { isColour: boolean } {
  const { blackPoint, whitePoint, midtones, curve: all, curveRed, curveGreen, curveBlue } = settings
  if (blackPoint >= whitePoint) throw invalidSettings('blackPoint must be less than whitePoint')
  const [common, red, green, blue] = [
    ['curve', all] as const,
    ['curveRed', curveRed] as const,
    ['curveGreen', curveGreen] as const,
    ['curveBlue', curveBlue] as const,
  ].map(([name, points]) => points !== undefined && curveThrough(curvePoints(name, points)))
  const isColour = Boolean(red || green || blue)
  const both = (one: typeof common) => (value: number) => {
    const first = common ? common(value) : value
    return one ? one(first) : first
  }
  const levels = { low: blackPoint / 255, high: whitePoint / 255, gamma: midtones }
  return {
    ...((blackPoint > 0 || whitePoint < 255 || midtones !== 1) && { levels }),
    ...((common || isColour) && { curves: [both(red), both(green), both(blue)] }),
    isColour,
  }
}
