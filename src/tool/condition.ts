import { either } from '../wording.ts'

type Value = string | number | boolean

/** Values that other settings must all have; a list means any of its members. */
export type Condition = Readonly<Record<string, Value | readonly Value[]>>

const among = (wanted: Value | readonly Value[]): readonly Value[] => (typeof wanted === 'object' ? wanted : [wanted])

/** Whether settings (defaults filled in) meet a condition; an absent condition is always met. */
export function meetsCondition(condition: Condition | undefined, settings: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(condition ?? {}).every(([name, wanted]) => among(wanted).includes(settings[name] as Value))
}

/** `action extract-frames`, `mode range or all`; an enabled switch is its name alone, as on the command line. */
export function conditionText(condition: Condition, spell: (name: string) => string = (name) => name): string {
  return Object.entries(condition)
    .map(([name, wanted]) => (wanted === true ? spell(name) : `${spell(name)} ${either(among(wanted).map(String))}`))
    .join(' and ')
}
