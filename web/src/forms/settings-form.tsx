/** The form of a tool, from its settings table. */
import type { JSX } from 'preact'
import type { SettingRow } from '../api/types.ts'
import { Field } from './field.tsx'
import { shownRows, type Values } from './values.ts'
import '../styles/form.css'

/** Rows in their order, in sections. */
function sectionsOf(rows: readonly SettingRow[]): { title: string | undefined; rows: SettingRow[] }[] {
  const sections: { title: string | undefined; rows: SettingRow[] }[] = []
  for (const row of rows) {
    const known = sections.find(({ title }) => title === row.group)
    if (known) known.rows.push(row)
    else sections.push({ title: row.group, rows: [row] })
  }
  return sections
}

interface SettingsFormProps {
  rows: readonly SettingRow[]
  values: Values
  onChange(values: Values): void
  isChecked: boolean
}

export function SettingsForm({ rows, values, onChange, isChecked }: SettingsFormProps): JSX.Element {
  const fields = (list: readonly SettingRow[]): JSX.Element[] =>
    list.map((row) => (
      <Field
        key={row.name}
        row={row}
        id={`setting-${row.name}`}
        value={values[row.name]}
        onChange={(value) => onChange({ ...values, [row.name]: value })}
        isChecked={isChecked}
      />
    ))
  return (
    <div class="settings">
      {sectionsOf(shownRows(rows, values)).map(({ title, rows: list }) =>
        title === undefined ? (
          <div key="" class="settings-section">
            {fields(list)}
          </div>
        ) : (
          <fieldset key={title} class="settings-section titled">
            <legend>{title}</legend>
            {fields(list)}
          </fieldset>
        ),
      )}
    </div>
  )
}
