import type { Bins } from './histogram.ts'

const WIDTH = 512
const HEIGHT = 320
/** Space above the tallest bin that is shown in full. */
const TOP = 8

const AREAS = [
  ['r', '#ff5c5c'],
  ['g', '#4ade80'],
  ['b', '#60a5fa'],
] as const

/** From this number of bins on, a few can be outliers: those this many times as tall as the percentile. */
const FEWEST = 48
const PERCENTILE = 0.98
const SPIKE = 2
const HEADROOM = 1.1

/**
 * The count at the top of the chart: the tallest bin of the three channels, unless a few far exceed all others (a white
 * background, a clipped sky) and would flatten the rest. Those are cut off at the top.
 */
function tallestShown({ r, g, b }: Bins): number {
  const counts = [r, g, b].flat().filter((count) => count > 0)
  counts.sort((one, other) => one - other)
  const tallest = counts.at(-1) ?? 1
  // With few tones every bin is significant, and none is an outlier.
  if (counts.length < FEWEST) return tallest
  const high = counts[Math.floor(PERCENTILE * (counts.length - 1))]!
  return tallest > SPIKE * high ? high * HEADROOM : tallest
}

/** Lines at the quarters of both axes, and short ticks along the lower edge at each eighth of the tones. */
function drawGrid(): string {
  const lines: string[] = []
  for (let part = 1; part < 4; part += 1) {
    const x = (part * WIDTH) / 4
    const y = HEIGHT - 1 - (part * (HEIGHT - 1 - TOP)) / 4
    lines.push(`M${x},0V${HEIGHT}`, `M0,${y}H${WIDTH}`)
  }
  const marks = Array.from(
    { length: 9 },
    (_, part) => `M${Math.min(WIDTH - 0.5, (part * WIDTH) / 8 + 0.5)},${HEIGHT}v-5`,
  )
  return (
    `<path d="${lines.join('')}" stroke="#2b2f38" fill="none"/>` +
    `<path d="M0,${HEIGHT - 0.5}H${WIDTH}M0.5,0V${HEIGHT}${marks.join('')}" stroke="#7d8590" fill="none"/>`
  )
}

/**
 * The chart as SVG: filled areas of red, green and blue, which mix to white where all overlap, as do their outlines, over axes with ticks.
 * @param scale of the counts; a spike far above all other bins is cut off at the top
 */
export function drawChart(bins: Bins, scale: 'linear' | 'log'): string {
  const measure = scale === 'log' ? Math.log1p : (count: number): number => count
  const tallest = measure(tallestShown(bins))
  const outline = (counts: readonly number[]): string =>
    counts
      .map((count, value) => {
        const x = ((value + 0.5) * WIDTH) / 256
        const y = HEIGHT - 1 - Math.min(1, measure(count) / tallest) * (HEIGHT - 1 - TOP)
        return `${x},${y.toFixed(2)}`
      })
      .join(' ')
  const areas = AREAS.map(([channel, colour]) => {
    const points = outline(bins[channel])
    return (
      `<polygon points="1,${HEIGHT - 1} ${points} ${WIDTH - 1},${HEIGHT - 1}" fill="${colour}" fill-opacity="0.35"/>` +
      `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="1.5" stroke-linejoin="round" style="mix-blend-mode:screen"/>`
    )
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"><rect width="100%" height="100%" fill="#16181d"/>${drawGrid()}${areas.join('')}</svg>`
}
