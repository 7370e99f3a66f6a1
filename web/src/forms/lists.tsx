import type { ComponentType, JSX } from 'preact'
import type { SettingRow } from '../api/types.ts'
import { Icon } from '../app/icons.tsx'
import { STRINGS } from '../strings.ts'
import { inWords } from './control-of.ts'
import type { ControlProps, FieldProps } from './control-props.ts'
import { defaultsOf } from './values.ts'

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Controls of items and members; passed in, because a field can hold a list of fields. */
interface Nested {
  FieldOf: ComponentType<FieldProps>
}

/** A new item of a list. */
const newItem = (row: SettingRow): unknown =>
  row.type === 'object' ? defaultsOf(row.fields ?? []) : row.type === 'string' ? '' : row.default

/** A list of any items, which can be added and removed. */
export function List({ row, id, value, onChange, FieldOf }: ControlProps & Nested): JSX.Element {
  const { form } = STRINGS
  const items = listOf(value)
  const itemRow = row.items
  if (!itemRow) return <p class="faint">{form.notSet}</p>
  const set = (index: number, item: unknown): void => onChange(items.map((one, at) => (at === index ? item : one)))
  return (
    <div class="stack tight">
      {items.map((item, index) => (
        // Items have no identity besides their place.
        <div key={index} class="item">
          <FieldOf
            row={{ ...itemRow, label: form.item(row.label, index + 1) }}
            id={`${id}-${index}`}
            value={item}
            onChange={(next) => set(index, next)}
            isChecked={false}
          />
          <button
            type="button"
            class="icon-button"
            aria-label={form.removeItem(row.label, index + 1)}
            onClick={() => onChange(items.filter((_, at) => at !== index))}
          >
            <Icon name="close" size={16} />
          </button>
        </div>
      ))}
      {items.length < (row.maxLength ?? Number.POSITIVE_INFINITY) && (
        <button type="button" class="plain add" onClick={() => onChange([...items, newItem(itemRow)])}>
          <Icon name="plus" size={16} />
          {form.addItem}
        </button>
      )}
    </div>
  )
}

/** A choice of several words. */
export function Words({ row, value, onChange }: ControlProps): JSX.Element {
  const chosen = listOf(value)
  const words = row.items?.enum ?? []
  return (
    <div class="row">
      {words.map((word) => (
        <label key={word} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(word)}
            onChange={({ currentTarget: { checked } }) => {
              // The order of the table, whatever was clicked first.
              const next = words.filter((one) => (one === word ? checked : chosen.includes(one)))
              onChange(next.length > 0 ? next : undefined)
            }}
          />
          {inWords(word)}
        </label>
      ))}
    </div>
  )
}

/** An object of named values. */
export function Group({ row, id, value, onChange, FieldOf }: ControlProps & Nested): JSX.Element {
  const values = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  return (
    <div class="group">
      {row.fields?.map((field) => (
        <FieldOf
          key={field.name}
          // The fields of an absent object are not required.
          row={{ ...field, required: field.required && Object.keys(values).length > 0 }}
          id={`${id}-${field.name}`}
          value={values[field.name] ?? field.default}
          onChange={(next) => onChange({ ...values, [field.name]: next })}
          isChecked={false}
        />
      ))}
    </div>
  )
}
