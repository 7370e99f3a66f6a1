/** Before and after: one picture over the other with a slider, or side by side if their shapes differ. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { STRINGS } from '../strings.ts'
import { Zoom } from './zoom.tsx'

/** Shapes that differ by more, as a ratio, are other sections of the picture. */
const SAME_SHAPE = 0.02

interface CompareProps {
  before: string | undefined
  after: string
  name: string
  /** Pixel sizes are shown. */
  hasSizes?: boolean
}

interface Size {
  width: number
  height: number
}

const isSameShape = (one: Size, other: Size): boolean =>
  Math.abs((one.width * other.height) / (one.height * other.width) - 1) < SAME_SHAPE

export function Compare({ before, after, name, hasSizes = true }: CompareProps): JSX.Element {
  const { results } = STRINGS
  const at = useSignal(50)
  const sizes = useSignal<{ before?: Size; after?: Size }>({})
  const measured =
    (which: 'before' | 'after') =>
    ({ currentTarget: { naturalWidth: width, naturalHeight: height } }: { currentTarget: HTMLImageElement }): void => {
      sizes.value = { ...sizes.value, [which]: { width, height } }
    }
  const { before: old, after: made } = sizes.value
  const caption = made && hasSizes && (
    <span class="faint small">
      {old && `${old.width} × ${old.height} → `}
      {made.width} × {made.height}
    </span>
  )
  const picture = <img src={after} alt={results.resultOf(name)} onLoad={measured('after')} />
  if (before === undefined)
    return (
      <figure class="picture">
        <Zoom width={made?.width}>{() => <div class="checkered single">{picture}</div>}</Zoom>
        <figcaption>{caption}</figcaption>
      </figure>
    )
  const original = <img src={before} alt={results.original} onLoad={measured('before')} />
  if (old && made && !isSameShape(old, made))
    return (
      <figure class="picture">
        <div class="pair">
          <div class="checkered">{original}</div>
          <div class="checkered">{picture}</div>
        </div>
        <figcaption>{caption}</figcaption>
      </figure>
    )
  const slider = (
    <input
      type="range"
      min={0}
      max={100}
      value={at.value}
      aria-label={results.compare}
      onInput={(event) => {
        at.value = Number(event.currentTarget.value)
      }}
    />
  )
  return (
    <figure class="picture">
      <Zoom width={made?.width} below={slider}>
        {(isZoomed) => (
          <div class="compare checkered" style={{ '--at': `${at.value}%` }}>
            {original}
            {picture}
            <span class="compare-line" aria-hidden="true" />
            {/* Over a magnified picture, the pointer moves the picture. */}
            {!isZoomed && slider}
            <span class="tag tag-before">{results.before}</span>
            <span class="tag tag-after">{results.after}</span>
          </div>
        )}
      </Zoom>
      <figcaption>{caption}</figcaption>
    </figure>
  )
}
