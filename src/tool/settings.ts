/**
 * The settings table: the only place where a setting's name, type, range, default, unit, alias or help line exists.
 * Flags, help, prompts, completion, man pages, validation, OpenAPI and JSON Schema are derived from these rows.
 */

import type { Condition } from './condition.ts'

export type SettingType = 'integer' | 'number' | 'string' | 'boolean' | 'enum' | 'color' | 'array' | 'object'

/** What every row may say beside its own constraints. */
export interface Common {
  /** Other names under which the value is accepted; never listed in help. */
  aliases?: readonly string[]
  /** One letter for the most used settings, as in `-w 800`: the same for one name everywhere, and none of a common option. */
  short?: string
  /** Old values and what they mean now, e.g. `{ jpeg: 'jpg' }`. */
  valueAliases?: Readonly<Record<string, string | number>>
  /** For a list of words: what any other word means. Without it, other words are refused. */
  otherwise?: string
  /** Why the setting is going away; it still works. */
  deprecated?: string
  /** 'px', 's', '%', 'dpi', 'dB' …, shown in help. */
  unit?: string
  /** The row has an effect only while other settings have these values. */
  when?: Condition
  /**
   * While `when` is met the tool cannot do what was asked for without a value: the shell, pipelines and the library refuse it.
   * Over HTTP the catalogue says what is done without one.
   */
  needed?: true
  /** What a form calls the row; by default its name in words. */
  label?: string
  /** The heading of a form that the row stands under; the order within is that of the table. */
  group?: string
  /** A value to show in an empty field, and in examples of the HTTP interface. */
  example?: unknown
  /** The setting must be given. */
  required?: boolean
  /** The value is kept out of logs, records and prompts' echo. */
  secret?: boolean
  /** The default holds only while other settings say nothing else: the tool fills it in, and sees whether it was given. */
  filledByTool?: boolean
}

/** One row as data: what front doors read. JSON-safe. */
export interface Setting extends Common {
  type: SettingType
  help: string
  default?: unknown
  enum?: readonly (string | number)[]
  min?: number
  max?: number
  /** The value must be greater than this. */
  exclusiveMin?: number
  minLength?: number
  maxLength?: number
  /** For text: a list of texts and numbers is taken too, and joined by commas. */
  listed?: boolean
  /** For color: the word `transparent` is a value too. */
  transparent?: boolean
  /** For color: a colour may be partly transparent; the tool then receives #rrggbbaa. */
  alpha?: boolean
  /** For boolean: switched on, it means another tool of the section, by its id; that tool gets the other settings. */
  tool?: string
  /** For array: what each item is. */
  items?: Setting
  /** For object: its rows. */
  fields?: SettingsTable
}

export type SettingsTable = Readonly<Record<string, Setting>>

/** A row with its TypeScript type; `T` is what a tool gets. */
export type Row<T> = Setting & { readonly __value?: T }

/** The settings object that a tool's code receives, from its table. */
export type SettingsOf<Table> = { [Name in keyof Table]: Table[Name] extends Row<infer T> ? T : never }

/** A value is there when a default or `required` guarantees it. */
type Given<T, Options> = Options extends { filledByTool: true }
  ? T | undefined
  : Options extends { default: unknown }
    ? T
    : Options extends { required: true }
      ? T
      : T | undefined

type NumberOptions = Common & {
  default?: number
  min?: number
  max?: number
  exclusiveMin?: number
  /** Only these numbers. */
  enum?: readonly number[]
}
type TextOptions = Common & {
  default?: string
  minLength?: number
  maxLength?: number
  listed?: boolean
  /** Only these texts, in any case: where the catalogue calls a choice a text. */
  enum?: readonly string[]
}
type BooleanOptions = Common & { default?: boolean; tool?: string }

/** A whole number. */
export function integer<const O extends NumberOptions>(help: string, options?: O): Row<Given<number, O>> {
  return { type: 'integer', help, ...options }
}

/** Any finite number. */
export function number<const O extends NumberOptions>(help: string, options?: O): Row<Given<number, O>> {
  return { type: 'number', help, ...options }
}

/** A line of text; lengths are in UTF-16 units. */
export function text<const O extends TextOptions>(help: string, options?: O): Row<Given<string, O>> {
  return { type: 'string', help, ...options }
}

/** On or off; on the command line `--name` and `--no-name`. */
export function boolean<const O extends BooleanOptions>(help: string, options?: O): Row<Given<boolean, O>> {
  return { type: 'boolean', help, ...options }
}

/** One of a list of words or numbers; words are compared without regard to case. */
export function choice<const V extends readonly (string | number)[], const O extends Common & { default?: V[number] }>(
  values: V,
  help: string,
  options?: O,
): Row<Given<V[number], O>> {
  return { type: 'enum', enum: values, help, ...options }
}

type ColorOptions = Common & { default?: string; transparent?: boolean; alpha?: boolean }

/** A colour as CSS writes it; the tool receives #rrggbb, or #rrggbbaa and `transparent` where its row allows them. */
export function color<const O extends ColorOptions>(help: string, options?: O): Row<Given<string, O>> {
  return { type: 'color', help, ...options }
}

type ListOptions = Common & { minLength?: number; maxLength?: number }

/** A list; on the command line comma-separated or as JSON. */
export function list<T, const O extends ListOptions & { default?: readonly T[] }>(
  items: Row<T>,
  help: string,
  options?: O,
): Row<Given<NonNullable<T>[], O>> {
  return { type: 'array', items, help, ...(options as object) } as Row<Given<NonNullable<T>[], O>>
}

/** A group of named values; on the command line as JSON. */
export function group<const Fields extends SettingsTable, const O extends Common>(
  fields: Fields,
  help: string,
  options?: O,
): Row<Given<SettingsOf<Fields>, O>> {
  return { type: 'object', fields, help, ...options }
}

/** Words that a label spells in another way than the name does. */
const SPELLINGS: Readonly<Record<string, string>> = {
  dpi: 'DPI',
  fps: 'FPS',
  gps: 'GPS',
  html: 'HTML',
  iptc: 'IPTC',
  kb: '(kB)',
  kbps: '(kbit/s)',
  qr: 'QR',
  s: '(s)',
  svg: 'SVG',
  uri: 'URI',
  url: 'URL',
}

/** What a form calls a row: `targetSizeKb` is `Target size (kB)`. */
export function labelOf(name: string, row: Pick<Setting, 'label'>): string {
  if (row.label !== undefined) return row.label
  const words = kebabCase(name).split('-')
  const spelt = words.map((word) => SPELLINGS[word] ?? word).join(' ')
  return spelt.charAt(0).toUpperCase() + spelt.slice(1)
}

/** `withoutEnlargement` as `without-enlargement`: the form of flags. */
export function kebabCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase()
}
