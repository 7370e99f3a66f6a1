/**
 * The part of the space left by others that one owner may take, so that some is always left for the next owner: a
 * single owner gets four fifths, two get four ninths each.
 */
export const SHARE = 0.8

/** The share of one owner in a common space, given the amount that the others use. */
export function shareOf(all: number, others: number, part = SHARE): number {
  return part * Math.max(0, all - others)
}
