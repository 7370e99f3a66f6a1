import type { JSX } from 'preact'
import type { InstanceSetting } from '../../api/types.ts'
import { capital } from '../../forms/wording.ts'

type Kind = InstanceSetting['kind']

const isList = (kind: Kind): boolean => kind === 'list' || kind === 'addresses'

/** The text of a control: lists have a line for each member. */
export function fromText(kind: Kind, text: string): string {
  if (!isList(kind)) return text
  try {
    const list: unknown = JSON.parse(text || '[]')
    return Array.isArray(list) ? list.join('\n') : text
  } catch {
    return text
  }
}

/** The text that the server keeps. */
export function toText(kind: Kind, shown: string): string {
  if (!isList(kind)) return shown.trim()
  const lines = shown.split(/[\n,]/).map((line) => line.trim())
  return JSON.stringify(lines.filter((line) => line !== ''))
}

interface SettingControlProps {
  setting: InstanceSetting
  id: string
  value: string
  isDisabled: boolean
  isInvalid: boolean
  onChange(value: string): void
}

/** The control for the kind of a setting. */
export function SettingControl({
  setting,
  id,
  value,
  isDisabled,
  isInvalid,
  onChange,
}: SettingControlProps): JSX.Element {
  const { kind, options = [], unit } = setting
  const common = { id, disabled: isDisabled, 'aria-describedby': `${id}-help ${id}-fault`, 'aria-invalid': isInvalid }
  const onInput = (event: { currentTarget: { value: string } }): void => onChange(event.currentTarget.value)
  if (kind === 'flag')
    return (
      <input
        {...common}
        class="switch"
        type="checkbox"
        role="switch"
        checked={value === 'true'}
        aria-checked={value === 'true'}
        onChange={(event) => onChange(String(event.currentTarget.checked))}
      />
    )
  if (kind === 'choice')
    return (
      <select {...common} value={value} onChange={onInput}>
        {options.map((option) => (
          <option key={option} value={option}>
            {capital(option.replaceAll('_', ' '))}
          </option>
        ))}
      </select>
    )
  if (isList(kind)) return <textarea {...common} rows={4} spellcheck={false} value={value} onInput={onInput} />
  if (kind === 'number')
    return (
      <span class="with-unit">
        <input {...common} inputMode="numeric" maxLength={9} autocomplete="off" value={value} onInput={onInput} />
        {unit && <span class="faint small">{unit}</span>}
      </span>
    )
  return <input {...common} maxLength={200} autocomplete="off" value={value} onInput={onInput} />
}
