/** A rectangle on a stage that is moved and resized by pointer and keyboard. */
import type { JSX, RefObject } from 'preact'
import { announce } from '../app/announce.ts'
import { STRINGS } from '../strings.ts'
import { HANDLES, type Handle, type Limits, moved, type Rectangle, resized, whole } from './rectangle.ts'
import { arrowOf, followPointer, placeOf, pointAt } from './stage.tsx'

interface BoxProps {
  label: string
  rectangle: Rectangle
  limits: Limits
  stage: RefObject<HTMLDivElement | null>
  /** What is outside is darkened. */
  isCrop?: boolean
  isActive?: boolean
  onChange(rectangle: Rectangle): void
  onSelect?(): void
  onRemove?(): void
}

export function sidesText(rectangle: Rectangle, picture: Limits['picture']): string {
  const { left, top, width, height } = whole(rectangle, picture)
  return STRINGS.draw.sides(left, top, width, height)
}

export function Box({
  label,
  rectangle,
  limits,
  stage,
  isCrop = false,
  isActive = true,
  onChange,
  onSelect,
  onRemove,
}: BoxProps): JSX.Element {
  const { picture } = limits
  const style = placeOf(rectangle, picture)
  const follow = (event: PointerEvent, change: (x: number, y: number) => Rectangle): void => {
    if (!stage.current || event.button !== 0) return
    const from = pointAt(stage.current, event, picture)
    onSelect?.()
    followPointer(stage.current, event, picture, ({ x, y }) => onChange(change(x - from.x, y - from.y)))
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (onRemove && (event.key === 'Delete' || event.key === 'Backspace')) {
      event.preventDefault()
      onRemove()
      return
    }
    const arrow = arrowOf(event)
    if (!arrow) return
    event.preventDefault()
    const last: Handle = { x: arrow.x === 0 ? 0 : 1, y: arrow.y === 0 ? 0 : 1 }
    const from = whole(rectangle, picture)
    const next = event.shiftKey
      ? resized(from, limits.ratio === undefined ? last : CORNER, arrow.x, arrow.y, limits)
      : moved(from, arrow.x, arrow.y, limits)
    onChange(next)
    announce(sidesText(next, picture))
  }
  return (
    <>
      {isCrop && (
        <div class="shade" aria-hidden="true">
          <div style={style} />
        </div>
      )}
      {/* An application: its arrow keys move it. */}
      <div
        class={isActive ? 'box active' : 'box'}
        data-crop={isCrop}
        style={style}
        role="application"
        aria-label={STRINGS.draw.boxOf(label, sidesText(rectangle, picture))}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes keys
        tabIndex={0}
        onFocus={onSelect}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => {
          event.currentTarget.focus()
          follow(event, (x, y) => moved(rectangle, x, y, limits))
        }}
      >
        {isActive &&
          HANDLES.map((handle) => (
            <span
              key={`${handle.x} ${handle.y}`}
              class="handle"
              data-x={handle.x}
              data-y={handle.y}
              aria-hidden="true"
              onPointerDown={(event) => follow(event, (x, y) => resized(rectangle, handle, x, y, limits))}
            />
          ))}
      </div>
    </>
  )
}

const CORNER: Handle = { x: 1, y: 1 }
