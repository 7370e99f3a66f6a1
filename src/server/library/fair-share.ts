/**
 * A part of what the others leave that one owner may take, so that there always is something left for the next owner:
 * alone an owner gets four fifths, two get four ninths each.
 */
const PART = 0.8

/** What one owner may hold of something that all share, of which the others hold so much. */
export function shareOf(all: number, others: number): number {
  return PART * Math.max(0, all - others)
}
