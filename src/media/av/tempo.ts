/** One atempo link blends between these; above it skips samples, below it is refused (ffmpeg's documentation of atempo). */
const MIN_LINK = 0.5
const MAX_LINK = 2

/**
 * ffmpeg filters that change how fast audio runs and leave its pitch: as many atempo links as the factor needs.
 * @param factor above 0; 2 is twice as fast
 */
export function tempoFilters(factor: number): string[] {
  const links: number[] = []
  let rest = factor
  for (; rest < MIN_LINK; rest /= MIN_LINK) links.push(MIN_LINK)
  for (; rest > MAX_LINK; rest /= MAX_LINK) links.push(MAX_LINK)
  return [...links, rest].filter((link) => link !== 1).map((link) => `atempo=${Number(link.toFixed(6))}`)
}
