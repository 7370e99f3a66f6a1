import { boolean, choice, number, type SettingsTable, text } from '../../tool/settings.ts'

/**
 * Facts of an input that conditions can use, each as the row that checks values for it: units work as in settings.
 * `compares` accepts bounds as well as a value.
 */
export const FACTS = {
  type: { row: text('the type of the content: jpg, mp4, pdf …, or image, video, audio'), compares: false },
  ext: { row: text('the extension of the name, without the dot'), compares: false },
  bytes: { row: number('the size of the file', { min: 0, unit: 'B' }), compares: true },
  width: { row: number('the width of a picture or video, as displayed', { min: 0, unit: 'px' }), compares: true },
  height: { row: number('the height of a picture or video, as displayed', { min: 0, unit: 'px' }), compares: true },
  orientation: {
    row: choice(['landscape', 'portrait', 'square'], 'the shape of a picture or video'),
    compares: false,
  },
  alpha: { row: boolean('whether a picture has an alpha channel'), compares: false },
  duration: { row: number('the length of video or audio', { min: 0, unit: 's' }), compares: true },
  pages: {
    row: number('the pages of a PDF or TIFF, or the frames of an animated picture', { min: 0 }),
    compares: true,
  },
} as const

export type FactName = keyof typeof FACTS

export const FACT_NAMES = Object.keys(FACTS) as FactName[]

/** The facts as a settings table. */
export const FACT_ROWS: SettingsTable = Object.fromEntries(FACT_NAMES.map((name) => [name, FACTS[name].row]))

/** The facts of one file. A fact that it does not have, such as the width of audio, is absent. */
export type Facts = { readonly [Name in FactName]?: string | number | boolean }

/** The bounds of numbers. */
export const BOUNDS = {
  over: { help: 'greater than', holds: (value: number, bound: number) => value > bound },
  under: { help: 'less than', holds: (value: number, bound: number) => value < bound },
  from: { help: 'at least', holds: (value: number, bound: number) => value >= bound },
  to: { help: 'at most', holds: (value: number, bound: number) => value <= bound },
} as const

export type BoundName = keyof typeof BOUNDS

export const BOUND_NAMES = Object.keys(BOUNDS) as BoundName[]
