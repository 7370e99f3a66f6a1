/** Points on a picture: four corners, or one point. */
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { announce } from '../app/announce.ts'
import { STRINGS } from '../strings.ts'
import { cornersInside, cornersOf, cornersText } from './corners.ts'
import type { DrawingProps } from './drawing-props.ts'
import type { PointDrawing, TextDrawing } from './drawings.ts'
import type { Picture } from './picture.ts'
import { clamp, type Point, type Size } from './rectangle.ts'
import { arrowOf, followPointer, Stage } from './stage.tsx'

interface DotProps {
  at: Point
  size: Size
  name: string
  stage: { current: HTMLDivElement | null }
  onChange(at: Point): void
}

/** A point that is moved by pointer and keyboard. */
function Dot({ at, size, name, stage, onChange }: DotProps): JSX.Element {
  const inside = ({ x, y }: Point): Point => ({ x: clamp(x, 0, size.width), y: clamp(y, 0, size.height) })
  return (
    <span
      class="dot"
      style={{ '--left': `${(at.x / size.width) * 100}%`, '--top': `${(at.y / size.height) * 100}%` }}
      role="application"
      aria-label={name}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes keys
      tabIndex={0}
      onKeyDown={(event) => {
        const arrow = arrowOf(event)
        if (!arrow) return
        event.preventDefault()
        const next = inside({ x: at.x + arrow.x, y: at.y + arrow.y })
        onChange(next)
        announce(`${Math.round(next.x)}, ${Math.round(next.y)}`)
      }}
      onPointerDown={(event) => {
        if (!stage.current || event.button !== 0) return
        event.currentTarget.focus()
        followPointer(stage.current, event, size, (to) => onChange(inside(to)))
      }}
    />
  )
}

interface PictureProps extends DrawingProps {
  picture: Picture
}

export function CornersOnPicture({
  drawing: { row },
  picture,
  values,
  onValues,
}: PictureProps & { drawing: TextDrawing }): JSX.Element {
  const { draw } = STRINGS
  const stage = useRef<HTMLDivElement | null>(null)
  const points = cornersOf(values[row.name], picture)
  const set = (next: readonly Point[] | undefined): void =>
    onValues({ ...values, [row.name]: next && cornersText(next, picture) })
  return (
    <div class="stack tight">
      <div class="row">
        <button type="button" class="plain" onClick={() => set(points ? undefined : cornersInside(picture))}>
          {points ? draw.clear : draw.setCorners}
        </button>
      </div>
      <Stage address={picture.address} size={picture} stage={stage}>
        {points && (
          <svg
            class="outline"
            viewBox={`0 0 ${picture.width} ${picture.height}`}
            preserveAspectRatio="none"
            aria-hidden="true"
          >
            <polygon points={points.map(({ x, y }) => `${x},${y}`).join(' ')} vector-effect="non-scaling-stroke" />
          </svg>
        )}
        {points?.map((at, index) => (
          <Dot
            // A corner has no identity besides its place.
            key={index}
            {...{ at, stage }}
            size={picture}
            name={draw.corner(index + 1, Math.round(at.x), Math.round(at.y))}
            onChange={(next) => set(points.map((one, other) => (other === index ? next : one)))}
          />
        ))}
      </Stage>
      <p class="faint small">{points ? draw.cornersHelp : draw.noCorners}</p>
    </div>
  )
}

export function PointOnPicture({
  drawing: { x, y, most },
  picture,
  values,
  onValues,
}: PictureProps & { drawing: PointDrawing }): JSX.Element {
  const { draw } = STRINGS
  const stage = useRef<HTMLDivElement | null>(null)
  const numberIn = (row: PointDrawing['x']): number => {
    const value = values[row.name] ?? row.default
    return typeof value === 'number' && Number.isFinite(value) ? value : most / 2
  }
  // On a grid of the same shape as the picture, an arrow moves by a hundredth of its longer side.
  const longer = Math.max(picture.width, picture.height)
  const size = { width: (picture.width / longer) * 100, height: (picture.height / longer) * 100 }
  const at = { x: (numberIn(x) / most) * size.width, y: (numberIn(y) / most) * size.height }
  const set = (next: Point): void => {
    const rounded = (share: number): number => {
      const exact = clamp(share, 0, 1) * most
      return most === 1 ? Math.round(exact * 1000) / 1000 : Math.round(exact)
    }
    onValues({ ...values, [x.name]: rounded(next.x / size.width), [y.name]: rounded(next.y / size.height) })
  }
  const unit = most === 1 ? '' : ' %'
  return (
    <div class="stack tight">
      <Stage
        address={picture.address}
        size={size}
        stage={stage}
        onDown={(event, to) => {
          set(to)
          if (stage.current) followPointer(stage.current, event, size, set)
        }}
      >
        <Dot
          {...{ at, size, stage }}
          name={draw.pointAt(`${numberIn(x)}${unit}`, `${numberIn(y)}${unit}`)}
          onChange={set}
        />
      </Stage>
      <p class="faint small">{draw.pointHelp}</p>
    </div>
  )
}
