/** A picture that is drawn on. Positions are in its true pixels, whatever size it is shown at. */
import type { ComponentChildren, JSX, RefObject } from 'preact'
import type { Point, Size } from './rectangle.ts'

interface StageProps {
  address: string
  /** A page: it is shown larger, with an edge. */
  isSheet?: boolean
  size: Size
  stage: RefObject<HTMLDivElement | null>
  onDown?(event: PointerEvent, at: Point): void
  children: ComponentChildren
}

export function Stage({ address, isSheet = false, size, stage, onDown, children }: StageProps): JSX.Element {
  return (
    <div
      ref={stage}
      class={isSheet ? 'stage sheet' : 'stage checkered'}
      style={{ '--shape': String(size.width / size.height) }}
      onPointerDown={(event) => {
        if (!onDown || event.button !== 0 || !stage.current) return
        onDown(event, pointAt(stage.current, event, size))
      }}
    >
      <img src={address} alt="" draggable={false} />
      {children}
    </div>
  )
}

/** Where a pointer is on the picture; also outside of it. */
export function pointAt(stage: HTMLElement, { clientX, clientY }: PointerEvent, { width, height }: Size): Point {
  const box = stage.getBoundingClientRect()
  return { x: ((clientX - box.left) / box.width) * width, y: ((clientY - box.top) / box.height) * height }
}

/** Follows a pointer until it is released. @param onMove is called with its place on the picture */
export function followPointer(
  stage: HTMLElement,
  event: PointerEvent,
  size: Size,
  onMove: (at: Point) => void,
  onEnd = (): void => {},
): void {
  event.preventDefault()
  event.stopPropagation()
  const over = new AbortController()
  const { signal } = over
  const move = (next: PointerEvent): void => {
    if (next.pointerId === event.pointerId) onMove(pointAt(stage, next, size))
  }
  const end = (last: PointerEvent): void => {
    if (last.pointerId !== event.pointerId) return
    over.abort()
    onEnd()
  }
  // On the window: the pointer may leave the picture, and the element under it may be replaced.
  addEventListener('pointermove', move, { signal })
  addEventListener('pointerup', end, { signal })
  addEventListener('pointercancel', end, { signal })
}

/** Steps of an arrow key; undefined for other keys. With Ctrl or Command they are ten times as large. */
export function arrowOf({ key, ctrlKey, metaKey }: KeyboardEvent): Point | undefined {
  const step = ctrlKey || metaKey ? 10 : 1
  switch (key) {
    case 'ArrowLeft':
      return { x: -step, y: 0 }
    case 'ArrowRight':
      return { x: step, y: 0 }
    case 'ArrowUp':
      return { x: 0, y: -step }
    case 'ArrowDown':
      return { x: 0, y: step }
    default:
      return undefined
  }
}

/** The place of a part of a picture in its stage. */
export const placeOf = (
  { left, top, width, height }: { left: number; top: number; width: number; height: number },
  size: Size,
): Record<string, string> => ({
  '--left': `${(left / size.width) * 100}%`,
  '--top': `${(top / size.height) * 100}%`,
  '--width': `${(width / size.width) * 100}%`,
  '--height': `${(height / size.height) * 100}%`,
})
