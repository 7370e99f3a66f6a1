/** A mask, painted over the picture. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { announce } from '../app/announce.ts'
import { STRINGS } from '../strings.ts'
import type { Chosen } from '../tools/other-files.tsx'
import type { Picture } from './picture.ts'
import { clamp, type Point } from './rectangle.ts'
import { arrowOf, followPointer, pointAt, Stage } from './stage.tsx'
import { hasPaint, maskFile, paint, type Stroke } from './strokes.ts'

interface Props {
  name: string
  picture: Picture
  others: Chosen
  onOthers(others: Chosen): void
}

/** Longest side of the canvas that is shown, px. */
const SHOWN_SIDE = 1200
const COLOR = '#e11d48'

export function MaskOnPicture({ name, picture, others, onOthers }: Props): JSX.Element {
  const { draw } = STRINGS
  const stage = useRef<HTMLDivElement | null>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const strokes = useSignal<readonly Stroke[]>([])
  const isErased = useSignal(false)
  const longer = Math.max(picture.width, picture.height)
  const size = useSignal(5)
  const cursor = useSignal<Point>({ x: picture.width / 2, y: picture.height / 2 })
  const isDown = useSignal(false)
  const own = useRef<File | undefined>(undefined)
  const last = useRef(others)
  last.current = others
  const radius = (longer * size.value) / 200
  const scale = Math.min(1, SHOWN_SIDE / longer)

  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (!context) return
    context.clearRect(0, 0, context.canvas.width, context.canvas.height)
    paint(context, strokes.value, scale, COLOR)
  }, [strokes.value])
  // A mask that is removed or replaced in the form is not painted any more.
  useEffect(() => {
    if (own.current && others[name] !== own.current) {
      own.current = undefined
      strokes.value = []
    }
  }, [others[name]])

  const give = async (): Promise<void> => {
    const done = strokes.value
    const file = hasPaint(done) ? await maskFile(done, picture) : undefined
    // Another stroke was added meanwhile, and gives its own mask.
    if (done !== strokes.value) return
    own.current = file
    const { [name]: _, ...rest } = last.current
    onOthers(file ? { ...rest, [name]: file } : rest)
  }
  const begin = (at: Point): void => {
    strokes.value = [...strokes.value, { points: [at], radius, isErased: isErased.value }]
  }
  const extend = (at: Point): void => {
    const stroke = strokes.value.at(-1)
    if (stroke) strokes.value = [...strokes.value.slice(0, -1), { ...stroke, points: [...stroke.points, at] }]
  }
  const undo = (): void => {
    strokes.value = strokes.value.slice(0, -1)
    announce(draw.strokes(strokes.value.length))
    give()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'z' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      undo()
      return
    }
    if (event.key === ' ') {
      event.preventDefault()
      isDown.value = !isDown.value
      if (isDown.value) begin(cursor.value)
      announce(isDown.value ? draw.penDown : draw.penUp)
      give()
      return
    }
    const arrow = arrowOf(event)
    if (!arrow) return
    event.preventDefault()
    const step = event.ctrlKey || event.metaKey ? radius / 10 : radius / 2
    cursor.value = {
      x: clamp(cursor.value.x + arrow.x * step, 0, picture.width),
      y: clamp(cursor.value.y + arrow.y * step, 0, picture.height),
    }
    if (isDown.value) {
      extend(cursor.value)
      give()
    }
  }
  return (
    <div class="stack tight">
      <div class="row apart">
        <div class="row">
          <fieldset class="segments" aria-label={draw.brush}>
            {[false, true].map((erases) => (
              <label key={String(erases)} class="segment">
                <input
                  type="radio"
                  name={`brush-${name}`}
                  checked={isErased.value === erases}
                  onChange={() => {
                    isErased.value = erases
                  }}
                />
                <span>{erases ? draw.eraser : draw.brush}</span>
              </label>
            ))}
          </fieldset>
          <label class="inline-field">
            <span>{draw.brushSize}</span>
            <input
              type="range"
              min={0.5}
              max={25}
              step={0.5}
              value={size.value}
              onInput={(event) => {
                size.value = Number(event.currentTarget.value)
              }}
            />
          </label>
        </div>
        <div class="row">
          <button type="button" class="plain small-button" disabled={strokes.value.length === 0} onClick={undo}>
            {draw.undo}
          </button>
          <button
            type="button"
            class="plain small-button"
            disabled={strokes.value.length === 0}
            onClick={() => {
              strokes.value = []
              give()
            }}
          >
            {draw.clear}
          </button>
        </div>
      </div>
      <Stage
        address={picture.address}
        size={picture}
        stage={stage}
        onDown={(event, at) => {
          if (!stage.current) return
          begin(at)
          followPointer(stage.current, event, picture, extend, give)
        }}
      >
        <canvas
          ref={canvas}
          class="mask"
          width={Math.round(picture.width * scale)}
          height={Math.round(picture.height * scale)}
        />
        <div
          class="mask-keys"
          role="application"
          aria-label={draw.canvas}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes keys
          tabIndex={0}
          onKeyDown={onKeyDown}
          onPointerMove={(event) => {
            if (stage.current) cursor.value = pointAt(stage.current, event, picture)
          }}
        />
        <span
          class="brush"
          data-down={isDown.value}
          style={{
            '--left': `${(cursor.value.x / picture.width) * 100}%`,
            '--top': `${(cursor.value.y / picture.height) * 100}%`,
            '--width': `${((2 * radius) / picture.width) * 100}%`,
          }}
        />
      </Stage>
      <p class="faint small">{draw.maskHelp}</p>
    </div>
  )
}
