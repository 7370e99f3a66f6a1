/** Words of rows as the form shows them. */
import type { SettingRow } from '../api/types.ts'
import { STRINGS } from '../strings.ts'

/** `width of the result` as a sentence begins. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The example of an empty field; '' without one. */
export const exampleOf = ({ example, secret }: SettingRow): string =>
  (typeof example === 'string' || typeof example === 'number') && !secret ? STRINGS.form.example(String(example)) : ''
