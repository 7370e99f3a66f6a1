import type { SettingRow } from '../api/types.ts'

export interface ControlProps {
  row: SettingRow
  id: string
  value: unknown
  onChange(value: unknown): void
  /** Ids of the texts that describe the control. */
  describedBy: string
  isInvalid: boolean
}

export interface FieldProps {
  row: SettingRow
  id: string
  value: unknown
  onChange(value: unknown): void
  /** Also a missing value is a fault now. */
  isChecked: boolean
}
