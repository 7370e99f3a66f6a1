/** Magnifications of a picture: screen pixels per picture pixel. */
const STEPS = [0.05, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 8, 12, 16] as const

/** The next magnification in a direction. */
export function nextZoom(now: number, direction: 1 | -1): number {
  const further =
    direction === 1 ? STEPS.find((step) => step > now * 1.01) : [...STEPS].reverse().find((step) => step < now * 0.99)
  return further ?? (direction === 1 ? STEPS[STEPS.length - 1] : STEPS[0]) ?? 1
}
