import type { Risk } from '../../_shared/codes/read-back.ts'
import { parseHex } from '../../_shared/colour/colours.ts'
import { LUMINANCE, linearOf } from '../../_shared/colour/srgb.ts'
import type { QrLook } from './drawing.ts'

/** Relative luminance, 0 to 1 (WCAG 2.2). */
function luminance(colour: string): number {
  return parseHex(colour).reduce((sum, value, channel) => sum + LUMINANCE[channel]! * linearOf(value / 255), 0)
}

/** Contrast ratio of two colours, 1 to 21 (WCAG 2.2). */
function contrastOf(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

/** With less contrast, greyscale readers see one colour: no code at all. */
const LEAST_CONTRAST = 1.05
/** Least contrast of graphics (WCAG 2.2, 1.4.11). */
const GOOD_CONTRAST = 3
/** Least difference of reflectance, grade D (ISO/IEC 15415). */
const GOOD_DIFFERENCE = 0.2
/** Quiet zone of ISO/IEC 18004, modules. */
export const QUIET_ZONE = 4
/** Narrower quiet zones are reported in any case; others if the code cannot be read on a page of the other colour. */
const LEAST_QUIET_ZONE = 2

type Colours = Pick<QrLook, 'dark' | 'light'>

/** The colour of the page behind the code: for transparent codes, the one with more contrast. */
export function pageOf({ dark, light }: Colours): string {
  if (light !== 'transparent') return light
  return contrastOf(dark, '#ffffff') >= contrastOf(dark, '#000000') ? '#ffffff' : '#000000'
}

/** Whether the modules are lighter than their ground. */
export const isInverted = (colours: Colours): boolean => luminance(colours.dark) > luminance(pageOf(colours))

/** Whether no reader can ever tell the two colours apart. */
export const isInvisible = (colours: Colours): boolean => contrastOf(colours.dark, pageOf(colours)) < LEAST_CONTRAST

/** The risks that follow from the settings alone, with what to do. */
export function risksOf({ dark, light, margin }: Pick<QrLook, 'dark' | 'light' | 'margin'>): [Risk, string][] {
  const page = pageOf({ dark, light })
  const [ratio, difference] = [contrastOf(dark, page), Math.abs(luminance(dark) - luminance(page))]
  const risks: [Risk, string][] = []
  if (isInverted({ dark, light }))
    risks.push([
      'inverted',
      light === 'transparent'
        ? `${dark} on a transparent background can only be read on a dark page, which some readers cannot do`
        : `${dark} is lighter than its background ${light}, which some readers cannot read; exchange the colours`,
    ])
  if (ratio < GOOD_CONTRAST || difference < GOOD_DIFFERENCE)
    risks.push([
      'contrast',
      `${dark} on ${page} has a contrast of ${ratio.toFixed(1)}:1 and a difference of ${Math.round(100 * difference)} %; ` +
        `use at least ${GOOD_CONTRAST}:1 and ${100 * GOOD_DIFFERENCE} %`,
    ])
  if (margin < LEAST_QUIET_ZONE) risks.push(['quiet-zone', quietZone(margin)])
  return risks
}

/** The sentence for a quiet zone that is too narrow. */
export const quietZone = (margin: number): string =>
  `the margin is ${margin} of the ${QUIET_ZONE} modules that the standard requires; on a page of another colour use --margin ${QUIET_ZONE}`
