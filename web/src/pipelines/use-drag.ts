/** Moves items of a list with a pointer: mouse, pen or finger. The keyboard has buttons and Alt with arrows. */
import { type Signal, useSignal } from '@preact/signals'

export interface Drag {
  /** The item that is dragged, and how far, in pixels; undefined if none is. */
  dragged: Signal<{ index: number; by: number } | undefined>
  /** For the handle of an item. */
  start(event: PointerEvent, index: number): void
}

/** The place of an item whose middle is at a height, among the middles of the others. */
export function placeAt(middles: readonly number[], from: number, height: number): number {
  return middles.filter((middle, index) => index !== from && middle < height).length
}

/** @param list the element whose children are the items */
export function useDrag(
  list: { readonly current: HTMLElement | null },
  onMove: (from: number, to: number) => void,
): Drag {
  const dragged = useSignal<{ index: number; by: number } | undefined>(undefined)
  const start = (event: PointerEvent, index: number): void => {
    const items = [...(list.current?.children ?? [])]
    if (event.button !== 0 || items.length < 2) return
    event.preventDefault()
    const middles = items.map((item) => {
      const { top, height } = item.getBoundingClientRect()
      return top + height / 2
    })
    const begin = event.clientY
    const handle = event.currentTarget as HTMLElement
    handle.setPointerCapture(event.pointerId)
    const move = ({ clientY }: PointerEvent): void => {
      dragged.value = { index, by: clientY - begin }
    }
    const end = ({ type, clientY }: PointerEvent): void => {
      handle.removeEventListener('pointermove', move)
      for (const name of ['pointerup', 'pointercancel'] as const) handle.removeEventListener(name, end)
      dragged.value = undefined
      const to = placeAt(middles, index, (middles[index] ?? 0) + clientY - begin)
      if (type === 'pointerup' && to !== index) onMove(index, to)
    }
    handle.addEventListener('pointermove', move)
    for (const name of ['pointerup', 'pointercancel'] as const) handle.addEventListener(name, end)
  }
  return { dragged, start }
}
