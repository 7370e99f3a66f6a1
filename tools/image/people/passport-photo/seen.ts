import type { Pixels } from '../../../../src/media/image/frame-state.ts'
import { coveringsOf } from './coverings.ts'
import type { HeadPoints } from './landmarks.ts'
import { covered } from './measure.ts'
import { patchyPart } from './remains.ts'

/** Of seven photos, those with visible remains had 0.5 to 0.8 % in patches, the others at most 0.05 %. */
const MOST_PATCHY = 0.002

/**
 * Visible problems of a photo that an authority does not accept, as sentences.
 * @param head in photo pixels
 * @param photo with alpha, without a background yet
 */
export function seenDoubts(head: HeadPoints, photo: Pixels): string[] {
  const { areEyesDark, isForeheadCovered } = coveringsOf(head, photo)
  const patchy = patchyPart(covered(photo))
  return [
    ...(areEyesDark ? ['The eyes seem to be covered, for example by sunglasses: they must be visible'] : []),
    ...(isForeheadCovered
      ? ['The forehead seems to be covered, for example by a hat or hair: the face must be uncovered']
      : []),
    ...(patchy > MOST_PATCHY
      ? [
          `Remains of the old background may be visible in ${(patchy * 100).toFixed(1)} % of the photo: check it, or take the photo in front of a plain wall`,
        ]
      : []),
  ]
}
