import type { JSX } from 'preact'
import type { ControlProps } from './control-props.ts'
import { exampleOf } from './wording.ts'

const textOf = (value: unknown): string => (value === undefined || value === null ? '' : String(value))

export function LineControl({ row, id, value, onChange, describedBy, isInvalid }: ControlProps): JSX.Element {
  return (
    <input
      id={id}
      type="text"
      value={textOf(value)}
      maxLength={row.maxLength}
      placeholder={exampleOf(row)}
      aria-describedby={describedBy}
      aria-invalid={isInvalid}
      autocomplete="off"
      spellcheck={false}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  )
}

export function SecretControl({ row, id, value, onChange, describedBy, isInvalid }: ControlProps): JSX.Element {
  return (
    <input
      id={id}
      type="password"
      value={textOf(value)}
      maxLength={row.maxLength}
      aria-describedby={describedBy}
      aria-invalid={isInvalid}
      autocomplete="new-password"
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  )
}

export function LinesControl({ row, id, value, onChange, describedBy, isInvalid }: ControlProps): JSX.Element {
  return (
    <textarea
      id={id}
      rows={3}
      value={textOf(value)}
      maxLength={row.maxLength}
      placeholder={exampleOf(row)}
      aria-describedby={describedBy}
      aria-invalid={isInvalid}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  )
}
