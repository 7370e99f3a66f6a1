/** A picture that can be magnified to its pixels. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { announce } from '../app/announce.ts'
import { Icon } from '../app/icons.tsx'
import { STRINGS } from '../strings.ts'
import { nextZoom } from './zoom-steps.ts'
import '../styles/view.css'

interface ZoomProps {
  /** Width of the picture, px; undefined while it is loaded. */
  width: number | undefined
  /** What is shown below a magnified picture. */
  below?: ComponentChildren
  /** Receives whether the picture is magnified: then pointers move it. */
  children(isZoomed: boolean): ComponentChildren
}

/** Pixels of the picture per pixel of the screen from which they are shown as squares. */
const SQUARES = 2

export function Zoom({ width, below, children }: ZoomProps): JSX.Element {
  const { results } = STRINGS
  const view = useRef<HTMLDivElement>(null)
  /** Screen pixels per picture pixel; undefined fits the picture into the page. */
  const zoom = useSignal<number | undefined>(undefined)
  const shown = zoom.value

  /** Pixels of the screen, not of the style: those are magnified on sharp screens. */
  const fitting = (): number =>
    width && view.current?.firstElementChild
      ? (view.current.firstElementChild.clientWidth * devicePixelRatio) / width
      : 1
  /** Magnifies around a place of the view, as shares of it. */
  const change = (next: number | undefined, atX = 0.5, atY = 0.5): void => {
    const box = view.current
    if (!box) return
    const [x, y] = [box.clientWidth * atX, box.clientHeight * atY]
    const [shareX, shareY] = [(box.scrollLeft + x) / box.scrollWidth, (box.scrollTop + y) / box.scrollHeight]
    zoom.value = next
    announce(next === undefined ? results.fit : results.zoomed(Math.round(next * 100)))
    requestAnimationFrame(() => {
      box.scrollLeft = shareX * box.scrollWidth - x
      box.scrollTop = shareY * box.scrollHeight - y
    })
  }
  const step = (direction: 1 | -1, atX?: number, atY?: number): void => {
    const fit = zoom.value === undefined ? fitting() : 0
    change(nextZoom(zoom.value ?? fit, direction), atX, atY)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === '+' || event.key === '=') step(1)
    else if (event.key === '-') step(-1)
    else if (event.key === '0') change(undefined)
    else if (event.key === '1') change(1)
    else return
    event.preventDefault()
  }
  // Not as a property: browsers make listeners of wheels passive, which cannot keep the page from being scrolled.
  useEffect(() => {
    const box = view.current
    if (!box) return
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return
      event.preventDefault()
      const place = box.getBoundingClientRect()
      step(
        event.deltaY < 0 ? 1 : -1,
        (event.clientX - place.left) / place.width,
        (event.clientY - place.top) / place.height,
      )
    }
    box.addEventListener('wheel', onWheel, { passive: false })
    return () => box.removeEventListener('wheel', onWheel)
  })
  const pan = (event: PointerEvent): void => {
    const box = view.current
    if (shown === undefined || !box || event.button !== 0 || event.pointerType === 'touch') return
    event.preventDefault()
    box.focus()
    const over = new AbortController()
    const move = ({ movementX, movementY }: PointerEvent): void => box.scrollBy(-movementX, -movementY)
    addEventListener('pointermove', move, { signal: over.signal })
    for (const end of ['pointerup', 'pointercancel']) addEventListener(end, () => over.abort(), { signal: over.signal })
  }
  return (
    <div class="zoom">
      <div
        ref={view}
        class="zoom-view"
        data-zoomed={shown !== undefined}
        data-squares={(shown ?? 0) >= SQUARES}
        style={shown !== undefined && width ? { '--zoomed': `${(width * shown) / devicePixelRatio}px` } : {}}
        role="application"
        aria-label={results.zoomView}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes keys
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerDown={pan}
      >
        {children(shown !== undefined)}
      </div>
      {shown !== undefined && below}
      <div class="zoom-bar">
        <button type="button" class="icon-button" aria-label={results.zoomOut} onClick={() => step(-1)}>
          <Icon name="minus" size={16} />
        </button>
        <button type="button" class="quiet" aria-pressed={shown === undefined} onClick={() => change(undefined)}>
          {results.fit}
        </button>
        <button type="button" class="quiet" aria-pressed={shown === 1} onClick={() => change(1)}>
          1:1
        </button>
        <button type="button" class="icon-button" aria-label={results.zoomIn} onClick={() => step(1)}>
          <Icon name="plus" size={16} />
        </button>
        {shown !== undefined && <span class="faint small">{results.zoomed(Math.round(shown * 100))}</span>}
      </div>
    </div>
  )
}
