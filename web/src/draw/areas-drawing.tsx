/** Areas on the pages of a PDF. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { announce } from '../app/announce.ts'
import { Icon } from '../app/icons.tsx'
import { STRINGS } from '../strings.ts'
import { AreaValues, pageSizeOf } from './area-values.ts'
import { Box } from './box.tsx'
import type { DrawingProps } from './drawing-props.ts'
import type { TextDrawing } from './drawings.ts'
import { drawPages, type PdfFile } from './pdf.ts'
import { centred, clamp, type Limits, type Rectangle, spanned } from './rectangle.ts'
import { followPointer, Stage } from './stage.tsx'
import { useLoaded } from './use-loaded.ts'

/** Width of the page as it is drawn, px. */
const PAGE_WIDTH = 1200

/** A blank page while the real one is loaded: one pixel. */
const BLANK = 'data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw=='

interface Props extends DrawingProps {
  drawing: TextDrawing
  file: File
  pdf: PdfFile
}

export function AreasOnPages({ drawing, file, pdf, values, onValues }: Props): JSX.Element {
  const { draw } = STRINGS
  const stage = useRef<HTMLDivElement | null>(null)
  const page = useSignal(1)
  const selected = useSignal<number | undefined>(undefined)
  const count = pdf.pages.length
  const number = clamp(page.value, 1, count)
  const size = pageSizeOf(pdf, number)
  const areas = new AreaValues(drawing.row, values, pdf)
  const picture = useLoaded((stop) => drawPages(file, String(number), PAGE_WIDTH, stop), [file, number])
  const limits: Limits = { picture: size, least: { width: 2, height: 2 } }

  const add = (index: number, rectangle: Rectangle): void => {
    selected.value = index
    onValues(areas.withNew(index, number, rectangle))
  }
  const remove = (index: number): void => {
    selected.value = undefined
    onValues(areas.without(index))
    announce(draw.removed(index + 1))
  }
  const go = (to: number): void => {
    page.value = clamp(Math.round(to) || 1, 1, count)
    selected.value = undefined
  }
  return (
    <div class="stack tight">
      <div class="row apart">
        <div class="row">
          <button type="button" class="icon-button up" aria-label={draw.before} onClick={() => go(number - 1)}>
            <Icon name="chevron" size={16} />
          </button>
          <label class="inline-field">
            <span>{draw.page}</span>
            <input
              type="number"
              class="short"
              min={1}
              max={count}
              value={number}
              onChange={(event) => go(event.currentTarget.valueAsNumber)}
            />
            <span class="faint">{draw.pageOf(count)}</span>
          </label>
          <button type="button" class="icon-button down" aria-label={draw.after} onClick={() => go(number + 1)}>
            <Icon name="chevron" size={16} />
          </button>
        </div>
        <div class="row">
          {selected.value !== undefined && (
            <button type="button" class="plain" onClick={() => remove(selected.value ?? 0)}>
              {draw.removeArea(selected.value + 1)}
            </button>
          )}
          {!areas.isFull && (
            <button type="button" class="plain" onClick={() => add(areas.next, centred(limits, 0.4))}>
              {draw.addArea}
            </button>
          )}
        </div>
      </div>
      {picture.failure && <p class="fault">{draw.failed(picture.failure)}</p>}
      <Stage
        isSheet
        address={picture.value?.get(number) ?? BLANK}
        size={size}
        stage={stage}
        onDown={(event, from) => {
          if (!stage.current || areas.isFull) return
          let index: number | undefined
          // A click alone makes no area.
          followPointer(stage.current, event, size, (to) => {
            if (index === undefined && Math.hypot(to.x - from.x, to.y - from.y) < 4) return
            index ??= areas.next
            add(index, spanned(from, to, limits))
          })
        }}
      >
        {areas.on(number).map(({ index, rectangle }) => (
          <Box
            key={index}
            label={draw.area(index + 1)}
            {...{ rectangle, limits, stage }}
            isActive={selected.value === index}
            onChange={(next) => onValues(areas.withChanged(index, number, next))}
            onSelect={() => {
              selected.value = index
            }}
            onRemove={() => remove(index)}
          />
        ))}
      </Stage>
      <p class="faint small">{draw.areasHelp}</p>
    </div>
  )
}
