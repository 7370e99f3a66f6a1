import type { ImageFrame, Size } from '../../../../src/media/image/frame.ts'
import type { Pixels } from '../../../../src/media/image/frame-state.ts'
import { EYE_LINE_RANGE } from './countries.ts'
import type { Frame } from './crop.ts'
import { type Coverage, crownOf, type HeadPoints, mapped, poseOf } from './landmarks.ts'
import type { DocumentRules } from './rules.ts'

/** Measurements of a finished photo. */
export interface Measured {
  headHeightMm: number
  /** From chin to crown, as a share of the photo's height. */
  headHeight: number
  /** The eye line, as a share of the photo's height. */
  eyeLineFromBottom: number
  /** Whether the crown was detected in the cut-out; otherwise it is estimated from the face. */
  crownMeasured: boolean
  /** Whether the head height is within the rules. */
  headHeightMet: boolean
  /** Whether the eye line is within the rules. */
  eyeLineMet: boolean
}

/** Requirements that this program does not check: a person has to. */
export const NOT_CHECKED = [
  'clear glasses',
  'hats and other head coverings that leave the forehead free',
  'expression, and eyes that are closed or covered by hair',
  'light and shadows on the face',
  'remains of the old background between strands of hair',
] as const

/**
 * A head tilted to a shoulder or turned to a side by more than this is not a frontal portrait (ISO/IEC 19794-5: 5
 * degrees).
 */
const MOST_LEAN = 5
/** The nose offset of a head turned by about 10 degrees. */
const MOST_TURN = 0.14
/** Slight enlargement of the source that is not visible yet. */
const SHARP_ENOUGH = 1.05
/** Rounding of the heights in millimetres. */
const TOLERANCE_MM = 0.1
/** Minimum alpha at which an image edge cuts off the person. */
const SOLID = 128

/** The person's share of each pixel of an image. */
export async function coverageOf(frame: ImageFrame): Promise<Coverage> {
  return covered(await frame.pixels({ alpha: 'add' }))
}

/** The same for pixels with alpha. */
export const covered = ({ data, width, height, channels }: Pixels): Coverage => ({
  ...{ width, height },
  at: (x, y) => data[(y * width + x) * channels + channels - 1]!,
})

const rounded = (value: number, digits: number): number => Math.round(value * 10 ** digits) / 10 ** digits

/** The position of the head in a photo, in photo pixels. */
export const inPhoto = (head: HeadPoints, frame: Frame, photo: Size): HeadPoints =>
  mapped(
    head,
    (x) => ((x - frame.left) * photo.width) / frame.width,
    (y) => ((y - frame.top) * photo.height) / frame.height,
  )

/**
 * Measures a photo before its background is added: detects the crown in its pixels again.
 * @param person from the whole image: if that ends within the hair, the top of the head in the photo is not valid
 */
export function measured(
  head: HeadPoints,
  frame: Frame,
  photo: Coverage,
  person: Coverage,
  { rules }: DocumentRules,
): Measured {
  const { heightMm, headHeightMmMin, headHeightMmMax, eyeLineRange = EYE_LINE_RANGE } = rules
  const placed = inPhoto(head, frame, photo)
  const found = crownOf(placed, photo)
  const isSeen = found.isMeasured && crownOf(head, person).isMeasured
  // A crown that is cut off or under a hat keeps its position from the analysis.
  const crown = isSeen ? found.point.y : placed.crown.y
  const part = (placed.chin.y - crown) / photo.height
  const headHeightMm = rounded(part * heightMm, 1)
  const eyeLineFromBottom = rounded(1 - placed.eyeCenter.y / photo.height, 3)
  return {
    headHeightMm,
    headHeight: rounded(part, 3),
    eyeLineFromBottom,
    crownMeasured: isSeen,
    headHeightMet: headHeightMm >= headHeightMmMin - TOLERANCE_MM && headHeightMm <= headHeightMmMax + TOLERANCE_MM,
    eyeLineMet: eyeLineFromBottom >= eyeLineRange[0] && eyeLineFromBottom <= eyeLineRange[1],
  }
}

/** Sides of the image that cut off the person inside the photo: there the background replaces the body. */
function cutSides(person: Coverage, { left, top, width, height }: Frame): string[] {
  const [right, bottom] = [left + width, top + height]
  const columns = (y: number): boolean => along(left, right, person.width, (x) => person.at(x, y) >= SOLID)
  const rows = (x: number): boolean => along(top, bottom, person.height, (y) => person.at(x, y) >= SOLID)
  return [
    ...(top < -1 && columns(0) ? ['above'] : []),
    ...(left < -1 && rows(0) ? ['on the left'] : []),
    ...(right > person.width + 1 && rows(person.width - 1) ? ['on the right'] : []),
    ...(bottom > person.height + 1 && columns(person.height - 1) ? ['below'] : []),
  ]
}

function along(start: number, end: number, length: number, test: (at: number) => boolean): boolean {
  for (let at = Math.max(0, Math.ceil(start)); at < Math.min(length, end); at += 1) if (test(at)) return true
  return false
}

/** Reasons why an authority might refuse a photo, as sentences. */
export function doubts(
  head: HeadPoints,
  frame: Frame,
  person: Coverage,
  photo: Size,
  { measured: found, document, colour }: { measured: Measured; document: DocumentRules; colour: string },
): string[] {
  const { rules, country } = document
  const { lean, turn } = poseOf(head)
  const sides = cutSides(person, frame)
  const larger = photo.height / frame.height
  const said: string[] = []
  if (!found.headHeightMet)
    said.push(
      `The head is ${found.headHeightMm} mm high; the rules (${country}) require ${rules.headHeightMmMin} to ${rules.headHeightMmMax} mm`,
    )
  if (!found.eyeLineMet) {
    const [least, most] = (rules.eyeLineRange ?? EYE_LINE_RANGE).map((part) => rounded(part * rules.heightMm, 1))
    const is = rounded(found.eyeLineFromBottom * rules.heightMm, 1)
    said.push(`The eyes are ${is} mm above the lower edge; the rules (${country}) require ${least} to ${most} mm`)
  }
  if (!found.crownMeasured)
    said.push(
      'The top of the head is not visible, for example under a hat or at the edge of the image: its height is estimated',
    )
  if (head.crown.y < frame.top || head.chin.y > frame.top + frame.height) said.push('The photo cuts off the head')
  if (sides.includes('above') || head.crown.y < 0)
    said.push('The head is too close to the upper edge of the image: the missing part is filled with background')
  const others = sides.filter((side) => side !== 'above')
  if (others.length > 0)
    said.push(`The image cuts off the person ${others.join(' and ')}: the rest of the photo is background`)
  if (larger > SHARP_ENOUGH)
    said.push(
      `The image has ${Math.round(frame.height)} pixels for the ${photo.height} of the photo, which is enlarged ${rounded(larger, 1)} times: take the photo from a shorter distance, or lower dpi`,
    )
  if (Math.abs(lean) > MOST_LEAN) said.push(`The head is tilted to a side by ${Math.round(Math.abs(lean))} degrees`)
  if (Math.abs(turn) > MOST_TURN) said.push('The head is turned to a side')
  if (!rules.bgColors.includes(colour))
    said.push(`The rules (${country}) accept ${rules.bgColors.join(' or ')} as background, not ${colour}`)
  return said
}
