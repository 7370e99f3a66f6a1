/** Pictures of a report: positions on the original. */
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { openPicture } from '../draw/picture.ts'
import { useLoaded } from '../draw/use-loaded.ts'
import { STRINGS } from '../strings.ts'
import type { Outline } from './report-shapes.ts'

interface PositionsProps {
  original: File
  outlines: readonly Outline[]
}

/** The original picture with the outlines and numbers of what was found. */
export function Positions({ original, outlines }: PositionsProps): JSX.Element | null {
  const { results } = STRINGS
  const { value: picture } = useLoaded(() => openPicture(original), [original])
  useEffect(() => () => picture && URL.revokeObjectURL(picture.address), [picture])
  if (!picture) return null
  const { width, height, address } = picture
  const letter = Math.max(width, height) / 40
  return (
    <figure class="positions">
      <img src={address} alt={results.original} />
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={results.positions(outlines.length)}>
        {outlines.map(({ number, points }) => {
          const [first] = points
          return (
            <g key={number}>
              <polygon points={points.map(({ x, y }) => `${x},${y}`).join(' ')} vector-effect="non-scaling-stroke" />
              {first && (
                <text x={first.x} y={first.y - letter / 4} font-size={letter}>
                  {number}
                </text>
              )}
            </g>
          )
        })}
      </svg>
    </figure>
  )
}
