/** A rectangle of the settings, drawn on the picture. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { STRINGS } from '../strings.ts'
import { Box, sidesText } from './box.tsx'
import type { DrawingProps } from './drawing-props.ts'
import type { RectangleDrawing } from './drawings.ts'
import type { Picture } from './picture.ts'
import { centred, type Limits, type Rectangle, spanned } from './rectangle.ts'
import { rectangleIn, withRectangle } from './rectangle-values.ts'
import { followPointer, Stage } from './stage.tsx'

const RATIOS: Readonly<Record<string, number>> = {
  ...{ '1:1': 1, '4:3': 4 / 3, '3:2': 3 / 2, '16:9': 16 / 9, '3:4': 3 / 4, '2:3': 2 / 3, '9:16': 9 / 16 },
}

interface Props extends DrawingProps {
  drawing: RectangleDrawing
  picture: Picture
}

export function RectangleOnPicture({ drawing, picture, values, onValues }: Props): JSX.Element {
  const { draw } = STRINGS
  const stage = useRef<HTMLDivElement | null>(null)
  const chosen = useSignal('')
  const { inside, rows, unit } = drawing
  const label = inside?.label ?? draw.rectangle
  const rectangle = rectangleIn(drawing, values, picture)
  const ratio = chosen.value === 'original' ? picture.width / picture.height : RATIOS[chosen.value]
  const isPixels = unit === undefined
  const least = isPixels ? { width: rows.width.min ?? 1, height: rows.height.min ?? 1 } : { width: 1, height: 1 }
  const limits: Limits = { picture, least, ratio }
  const set = (next: Rectangle | undefined): void => onValues(withRectangle(drawing, values, picture, next))

  // A tool that needs a rectangle begins with one.
  useEffect(() => {
    if (!rectangle && !inside) set(centred(limits))
  }, [picture])
  // The same rectangle in the other unit, when that is changed in the form.
  const unitNow = unit ? (values[unit.name] ?? unit.default) : ''
  const last = useRef({ unit: unitNow, rectangle })
  // Before the next picture of the page: the same numbers in another unit are another rectangle.
  useLayoutEffect(() => {
    const { unit: before, rectangle: same } = last.current
    if (before !== unitNow && same) set(same)
    last.current = { unit: unitNow, rectangle: before === unitNow ? rectangle : same }
  })

  const isOutside =
    rectangle !== undefined &&
    (rectangle.left + rectangle.width > picture.width + 0.5 || rectangle.top + rectangle.height > picture.height + 0.5)
  return (
    <div class="stack tight">
      <div class="row apart">
        <div class="row">
          <label class="inline-field">
            <span>{draw.ratio}</span>
            <select
              value={chosen.value}
              onChange={({ currentTarget: { value } }) => {
                chosen.value = value
                const next = value === 'original' ? picture.width / picture.height : RATIOS[value]
                if (next !== undefined) set(centred({ ...limits, ratio: next }))
              }}
            >
              {['', 'original', ...Object.keys(RATIOS)].map((word) => (
                <option key={word} value={word}>
                  {draw.ratios[word] ?? word}
                </option>
              ))}
            </select>
          </label>
          {!rectangle && (
            <button type="button" class="plain" onClick={() => set(centred(limits))}>
              {draw.addArea}
            </button>
          )}
          {rectangle && !inside && (
            <button type="button" class="plain" onClick={() => set(centred(limits, 1))}>
              {draw.whole}
            </button>
          )}
          {rectangle && inside && (
            <button type="button" class="plain" onClick={() => set(undefined)}>
              {draw.clear}
            </button>
          )}
        </div>
        <span class="faint small">{rectangle && sidesText(rectangle, picture)}</span>
      </div>
      <Stage
        address={picture.address}
        size={picture}
        stage={stage}
        onDown={(event, from) => {
          if (!stage.current) return
          followPointer(stage.current, event, picture, (to) => set(spanned(from, to, limits)))
        }}
      >
        {rectangle && <Box label={label} isCrop={!inside} {...{ rectangle, limits, stage }} onChange={set} />}
      </Stage>
      <p class={isOutside ? 'fault small' : 'faint small'}>
        {isOutside ? draw.outside(picture.width, picture.height) : rectangle ? draw.rectangleHelp : draw.newRectangle}
      </p>
    </div>
  )
}
