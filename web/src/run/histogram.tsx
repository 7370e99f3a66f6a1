/** A histogram as a chart. */
import type { JSX } from 'preact'
import { STRINGS } from '../strings.ts'
import type { Channel } from './report-shapes.ts'

const HEIGHT = 100

/** The outline of the counts below 1, scaled by their square roots: single peaks would flatten all others. */
function areaOf(counts: readonly number[], most: number): string {
  const points = counts.map((count, level) => `${level},${HEIGHT - Math.sqrt(count / most) * HEIGHT}`)
  return `0,${HEIGHT} ${points.join(' ')} ${counts.length - 1},${HEIGHT}`
}

export function Histogram({ channels }: { channels: readonly Channel[] }): JSX.Element {
  const most = Math.max(1, ...channels.flatMap(({ counts }) => counts))
  return (
    <svg
      class="histogram"
      viewBox={`0 0 255 ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={STRINGS.results.histogram(channels.map(({ name }) => name).join(', '))}
    >
      {channels.map(({ name, counts }) => (
        <polygon key={name} data-channel={name} points={areaOf(counts, most)} />
      ))}
    </svg>
  )
}
