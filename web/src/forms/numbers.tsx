import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { STRINGS } from '../strings.ts'
import type { ControlProps } from './control-props.ts'
import { exampleOf } from './wording.ts'

/** What an empty field would mean, or an example. */
const placeholderOf = (row: ControlProps['row']): string =>
  row.default !== undefined ? String(row.default) : exampleOf(row)

/** '' for no number, also for the text of a field that is none. */
const textOf = (value: unknown): string => (Number.isFinite(value) ? String(value) : '')

function NumberInput({ row, id, value, onChange, describedBy, isInvalid, label }: ControlProps & { label?: string }) {
  const field = useRef<HTMLInputElement>(null)
  // The text is the user's while it is edited: "1." must not become "1".
  useLayoutEffect(() => {
    const input = field.current
    if (!input) return
    const isSame = input.value !== '' && input.valueAsNumber === value
    if (!isSame && document.activeElement !== input) input.value = textOf(value)
  }, [value])
  return (
    <input
      ref={field}
      id={id}
      type="number"
      inputMode={row.type === 'integer' && (row.min ?? 0) >= 0 ? 'numeric' : 'decimal'}
      step={row.type === 'integer' ? 1 : 'any'}
      min={row.min ?? row.exclusiveMin}
      max={row.max}
      placeholder={placeholderOf(row)}
      aria-label={label}
      aria-describedby={describedBy}
      aria-invalid={isInvalid}
      defaultValue={textOf(value)}
      onInput={({ currentTarget: { valueAsNumber, value: text, validity } }) =>
        // A browser has no text for what is not a number, such as "1e". It must not look like an empty field.
        onChange(text === '' && !validity.badInput ? undefined : valueAsNumber)
      }
    />
  )
}

const Unit = ({ unit }: { unit: string | undefined }): JSX.Element | null =>
  unit ? (
    <span class="unit" aria-hidden="true">
      {STRINGS.form.units[unit] ?? unit}
    </span>
  ) : null

export function NumberControl(props: ControlProps): JSX.Element {
  return (
    <span class="number">
      <NumberInput {...props} />
      <Unit unit={props.row.unit} />
    </span>
  )
}

export function SliderControl({
  min,
  max,
  step,
  ...props
}: ControlProps & { min: number; max: number; step: number }): JSX.Element {
  const { row, id, value, onChange, describedBy } = props
  const initial = typeof row.default === 'number' ? row.default : min
  return (
    <div class="slider">
      <input
        id={id}
        type="range"
        min={min}
        max={max}
        step={step}
        value={Number.isFinite(value) ? Number(value) : initial}
        aria-describedby={describedBy}
        onInput={(event) => onChange(Number(event.currentTarget.value))}
      />
      <span class="number">
        <NumberInput {...props} id={`${id}-number`} label={row.label} />
        <Unit unit={row.unit} />
      </span>
    </div>
  )
}
