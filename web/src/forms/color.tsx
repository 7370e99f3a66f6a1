import type { JSX } from 'preact'
import { STRINGS } from '../strings.ts'
import { colorText, partsOf } from './color-value.ts'
import type { ControlProps } from './control-props.ts'
import { exampleOf } from './wording.ts'

/** A colour by picker or as text, with alpha and `transparent` where the row allows them. */
export function ColorControl({ row, id, value, onChange, describedBy, isInvalid }: ControlProps): JSX.Element {
  const { form } = STRINGS
  const text = typeof value === 'string' ? value : ''
  const isTransparent = text === 'transparent'
  const parts = partsOf(text)
  const fallback = partsOf(String(row.default ?? row.example ?? ''))?.hex ?? '#000000'
  return (
    <div class="stack tight">
      <div class="color">
        <input
          id={id}
          type="color"
          value={parts?.hex ?? fallback}
          aria-describedby={describedBy}
          onInput={(event) => onChange(colorText(event.currentTarget.value, parts?.alpha ?? 1))}
        />
        <input
          type="text"
          aria-label={form.colorText(row.label)}
          aria-invalid={isInvalid}
          value={text}
          maxLength={80}
          placeholder={
            row.filledByTool && typeof row.default === 'string'
              ? form.automatic(row.default)
              : exampleOf(row) || form.notSet
          }
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => onChange(event.currentTarget.value || undefined)}
        />
      </div>
      {row.alpha && !isTransparent && (
        <label class="alpha">
          <span class="faint small">{form.opacity}</span>
          <input
            type="range"
            min={0}
            max={100}
            value={Math.round((parts?.alpha ?? 1) * 100)}
            onInput={(event) => onChange(colorText(parts?.hex ?? fallback, Number(event.currentTarget.value) / 100))}
          />
        </label>
      )}
      {row.transparent && (
        <label class="check">
          <input
            type="checkbox"
            checked={isTransparent}
            onChange={(event) => onChange(event.currentTarget.checked ? 'transparent' : (row.default ?? fallback))}
          />
          {form.transparent}
        </label>
      )}
    </div>
  )
}
