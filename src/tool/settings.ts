/**
 * The settings table: the only place that defines a setting's name, type, range, default, unit, aliases and help line.
 * Flags, help, prompts, completion, man pages, validation, OpenAPI and JSON Schema are derived from these rows.
 */

import type { Condition } from './condition.ts'

export type SettingType = 'integer' | 'number' | 'string' | 'boolean' | 'enum' | 'color' | 'array' | 'object'

/**
 * What a text is written in, for interfaces that offer more than a line of text:
 * - `page-range`: pages such as `1-5,8,10-z` (src/media/pdf/page/page-range.ts)
 * - `page-list`: the same, or `all`; ascending
 * - `page-numbers`: the same, only with plain numbers
 * - `page-area`: pages, left, top, width and height in points or percent (src/media/pdf/redact/areas.ts)
 * - `corners`: four points in pixels or percent of a picture
 * - `seconds`: moments of a media file, separated by commas
 */
export const TEXT_GRAMMARS = ['page-range', 'page-list', 'page-numbers', 'page-area', 'corners', 'seconds'] as const
export type TextGrammar = (typeof TEXT_GRAMMARS)[number]

/** Options of every row besides its own constraints. */
export interface Common {
  /** Other accepted names; never listed in help. */
  aliases?: readonly string[]
  /**
   * A one-letter flag for the most used settings, as in `-w 800`: the same wherever the name occurs, never one of a
   * common option.
   */
  short?: string
  /** Old values and their replacements, e.g. `{ jpeg: 'jpg' }`. */
  valueAliases?: Readonly<Record<string, string | number>>
  /** For a list of words: the value for any other word. Without it, other words are rejected. */
  otherwise?: string
  /** The list of words gets the formats that plugins write; so does the condition of the quality setting beside it. */
  grows?: 'with image formats'
  /** Why the setting is deprecated; it still works. */
  deprecated?: string
  /** 'px', 's', '%', 'dpi', 'dB' …, shown in help. */
  unit?: string
  /** The row has an effect only while other settings have these values. */
  when?: Condition
  /**
   * The tool needs a value while `when` is met: the CLI, pipelines and the library reject the request without one.
   * Over HTTP the catalogue defines what happens without a value.
   */
  needed?: true
  /** The form label; defaults to the name in words. */
  label?: string
  /** The form section of the row; rows keep the order of the table. */
  group?: string
  /** The effect on a small copy of the picture differs, although the tool is `scalable`. */
  scales?: false
  /** A placeholder for empty fields, also used in examples of the HTTP interface. */
  example?: unknown
  /** The setting is required. */
  required?: boolean
  /** The value is never logged, recorded or echoed by prompts. */
  secret?: boolean
  /**
   * The default applies only if other settings do not override it: the tool fills it in, and can tell whether it was
   * given.
   */
  filledByTool?: boolean
}

/** One row as JSON-safe data, for the interfaces. */
export interface Setting extends Common {
  type: SettingType
  help: string
  default?: unknown
  enum?: readonly (string | number)[]
  min?: number
  max?: number
  /** The value must be greater than this (exclusive minimum). */
  exclusiveMin?: number
  minLength?: number
  maxLength?: number
  /** For text: a list of texts and numbers is accepted too, and joined by commas. */
  listed?: boolean
  /** For text: what it is written in. */
  grammar?: TextGrammar
  /** For color: `transparent` is accepted. */
  transparent?: boolean
  /** For color: an alpha is accepted; the tool then receives #rrggbbaa. */
  alpha?: boolean
  /**
   * For boolean: `true` redirects to another tool of the section, given by its id; that tool receives the other
   * settings.
   */
  tool?: string
  /** For array: the type of the items. */
  items?: Setting
  /** For object: its rows. */
  fields?: SettingsTable
}

export type SettingsTable = Readonly<Record<string, Setting>>

/** The allowed values of a row that has some. @throws Error for another row */
export function allowedWords({ type, enum: words }: Setting): readonly (string | number)[] {
  if (!words) throw new Error(`A row of the type ${type} has no words`)
  return words
}

/** The row of the items of a list. @throws Error for another row */
export function itemOf({ type, items }: Setting): Setting {
  if (!items) throw new Error(`A row of the type ${type} has no items`)
  return items
}

/** The rows of a group. @throws Error for another row */
export function fieldsOf({ type, fields }: Setting): SettingsTable {
  if (!fields) throw new Error(`A row of the type ${type} has no fields`)
  return fields
}

/** A row with its TypeScript type; `T` is the type that the tool receives. */
export type Row<T> = Setting & { readonly __value?: T }

/** The settings object that a tool receives, derived from its table. */
export type SettingsOf<Table> = { [Name in keyof Table]: Table[Name] extends Row<infer T> ? T : never }

/** A value is always present if there is a default or it is `required`. */
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
  /** Only these numbers are accepted. */
  enum?: readonly number[]
}
type TextOptions = Common & {
  default?: string
  minLength?: number
  maxLength?: number
  listed?: boolean
  grammar?: TextGrammar
  /** Only these texts are accepted, in any case: for choices that the catalogue defines as text. */
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

/** A boolean; on the command line `--name` and `--no-name`. */
export function boolean<const O extends BooleanOptions>(help: string, options?: O): Row<Given<boolean, O>> {
  return { type: 'boolean', help, ...options }
}

/** One of a list of words or numbers; words are case-insensitive. */
export function choice<const V extends readonly (string | number)[], const O extends Common & { default?: V[number] }>(
  values: V,
  help: string,
  options?: O,
): Row<Given<V[number], O>> {
  return { type: 'enum', enum: values, help, ...options }
}

type ColorOptions = Common & { default?: string; transparent?: boolean; alpha?: boolean }

/** A CSS colour; the tool receives #rrggbb, or #rrggbbaa and `transparent` if its row allows them. */
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

/** An object of named values; on the command line as JSON. */
export function group<const Fields extends SettingsTable, const O extends Common>(
  fields: Fields,
  help: string,
  options?: O,
): Row<Given<SettingsOf<Fields>, O>> {
  return { type: 'object', fields, help, ...options }
}

/** Words that are spelled differently in labels than in names. */
const SPELLINGS: Readonly<Record<string, string>> = {
  bg: 'background',
  color1: 'color 1',
  color2: 'color 2',
  db: '(dB)',
  dpi: 'DPI',
  exif: 'EXIF',
  fps: 'FPS',
  gps: 'GPS',
  html: 'HTML',
  icc: 'ICC',
  iptc: 'IPTC',
  kb: '(kB)',
  kbps: '(kbit/s)',
  lufs: 'LUFS',
  lut: 'LUT',
  mb: '(MB)',
  mm: '(mm)',
  qr: 'QR',
  s: '(s)',
  svg: 'SVG',
  uri: 'URI',
  url: 'URL',
  xmp: 'XMP',
}

/** The form label of a row: `targetSizeKb` is `Target size (kB)`. */
export function labelOf(name: string, row: Pick<Setting, 'label'>): string {
  if (row.label !== undefined) return row.label
  const words = kebabCase(name).split('-')
  const spelt = words.map((word) => SPELLINGS[word] ?? word).join(' ')
  return spelt.charAt(0).toUpperCase() + spelt.slice(1)
}

/** Converts `withoutEnlargement` to `without-enlargement`, as used in flags. */
export function kebabCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase()
}
