/** Pages of a PDF, selected by their thumbnails. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { announce } from '../app/announce.ts'
import { STRINGS } from '../strings.ts'
import type { DrawingProps } from './drawing-props.ts'
import type { TextDrawing } from './drawings.ts'
import { type PageActions, PageItem } from './page-item.tsx'
import { pagesOf, textOf, toggled } from './page-text.ts'
import type { PdfFile } from './pdf.ts'
import { clamp } from './rectangle.ts'
import { useThumbnails } from './thumbnails.ts'

interface Props extends DrawingProps {
  drawing: TextDrawing
  file: File
  pdf: PdfFile
}

/** Columns of the grid as it is shown now. */
function columnsOf(list: HTMLElement | null): number {
  const [first, ...others] = [...(list?.children ?? [])] as HTMLElement[]
  const next = others.findIndex((one) => one.offsetTop !== first?.offsetTop)
  return next < 0 ? Math.max(1, others.length + 1) : next + 1
}

export function PagesOfDocument({ drawing: { row }, file, pdf, values, onValues }: Props): JSX.Element {
  const { draw } = STRINGS
  const list = useRef<HTMLDivElement>(null)
  const current = useSignal(1)
  const anchor = useSignal(1)
  const refusal = useSignal('')
  const count = pdf.pages.length
  const value = values[row.name] ?? row.default
  const read = pagesOf(typeof value === 'string' ? value : '', count, row.grammar)
  const pages = read ?? []
  const places = new Map(pages.map((page, index) => [page, index + 1]))
  const thumbnails = useThumbnails(file, pdf, list)

  const set = (next: readonly number[]): void => {
    const text = textOf(next, count, row.grammar)
    const limit = row.maxLength ?? Number.POSITIVE_INFINITY
    refusal.value = text.length > limit ? draw.longPages(limit) : ''
    if (text.length > limit) return
    onValues({ ...values, [row.name]: text === '' ? (row.default === undefined ? undefined : '') : text })
    announce(draw.selected(next.length, count))
  }
  const choose = (page: number, isRange: boolean): void => {
    current.value = page
    const [from, to] = [Math.min(page, anchor.value), Math.max(page, anchor.value)]
    if (!isRange) anchor.value = page
    const changed = isRange ? Array.from({ length: to - from + 1 }, (_, index) => from + index) : [page]
    set(toggled(pages, changed, isRange || !places.has(page)))
  }
  const focus = (page: number): void => {
    current.value = clamp(page, 1, count)
    const item = list.current?.children[current.value - 1]
    if (item instanceof HTMLElement) item.focus()
  }
  const everyPage = Array.from({ length: count }, (_, index) => index + 1)
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = {
      ...{ ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columnsOf(list.current), ArrowDown: columnsOf(list.current) },
      ...{ Home: -count, End: count },
    }
    const step = steps[event.key]
    if (step !== undefined) {
      event.preventDefault()
      if (event.shiftKey) anchor.value = current.value
      focus(current.value + step)
      if (event.shiftKey) choose(current.value, true)
    } else if (event.key === ' ' || event.key === 'Enter') {
      event.preventDefault()
      choose(current.value, event.shiftKey)
    } else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      set(everyPage)
    }
  }
  const actions = useRef<PageActions>({ choose, focused: () => undefined, onKeyDown })
  actions.current = {
    ...{ choose, onKeyDown },
    focused: (page) => {
      current.value = page
    },
  }
  // A list that is replaced in the form is not refused any more.
  useEffect(() => {
    refusal.value = ''
  }, [value])
  const buttons: readonly [string, readonly number[]][] = [
    [draw.all, everyPage],
    [draw.none, []],
    [draw.odd, everyPage.filter((page) => page % 2 === 1)],
    [draw.even, everyPage.filter((page) => page % 2 === 0)],
    [draw.invert, everyPage.filter((page) => !places.has(page))],
  ]
  return (
    <div class="stack tight">
      <div class="row apart">
        <div class="row">
          {buttons.map(([word, next]) => (
            <button key={word} type="button" class="plain small-button" onClick={() => set(next)}>
              {word}
            </button>
          ))}
        </div>
        <span class="faint small">{draw.selected(places.size, count)}</span>
      </div>
      {(refusal.value || !read) && <p class="fault small">{refusal.value || draw.notPages}</p>}
      <div ref={list} class="page-grid" role="listbox" aria-multiselectable="true" aria-label={row.label}>
        {pdf.pages.map((size, index) => (
          <PageItem
            key={index}
            page={index + 1}
            shape={size.width / size.height}
            address={thumbnails.get(index + 1)}
            isSelected={places.has(index + 1)}
            isCurrent={index + 1 === current.value}
            actions={actions}
          />
        ))}
      </div>
      <p class="faint small">{draw.pagesHelp}</p>
    </div>
  )
}
