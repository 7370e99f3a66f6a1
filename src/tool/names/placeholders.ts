/** When the value of a placeholder is known: before the run, once the input can be read, or once the output is complete. */
export type KnownFrom = 'run' | 'input' | 'output'

/** What may follow the colon: zero padding, a date, or a number of digits. */
export type FormatKind = 'zeros' | 'date' | 'digits'

export interface PlaceholderRow {
  help: string
  from: KnownFrom
  format?: FormatKind
  /** A realistic use and its value, for docs. */
  example: readonly [use: string, value: string]
}

/** Placeholders of output names, in addition to the names of settings. Help, docs and checks read this table. */
export const PLACEHOLDERS = {
  stem: { help: "the input's name without its extension", from: 'run', example: ['{stem}', 'IMG_0042'] },
  ext: { help: "the output's extension", from: 'run', example: ['{ext}', 'webp'] },
  name: { help: "the input's name with its extension", from: 'run', example: ['{name}', 'IMG_0042.jpg'] },
  dir: { help: "the input's folder, seen from this one", from: 'run', example: ['{dir}', 'photos/2024'] },
  tool: { help: "the tool's name", from: 'run', example: ['{tool}', 'resize'] },
  section: { help: "the tool's section", from: 'run', example: ['{section}', 'image'] },
  index: {
    help: 'the number of the input, from 1, with leading zeros',
    from: 'run',
    format: 'zeros',
    example: ['{index:03}', '007'],
  },
  page: {
    help: 'the number of the page, frame or part, if an input gives several files; each is then named by the pattern',
    from: 'output',
    format: 'zeros',
    example: ['{page:03}', '012'],
  },
  date: {
    help: 'today, as YYYY-MM-DD or in another format',
    from: 'run',
    format: 'date',
    example: ['{date:YYYYMMDD}', '20260314'],
  },
  'exif.date': {
    help: 'when the picture or video was taken, in its own time zone, as YYYY-MM-DD or in another format',
    from: 'input',
    format: 'date',
    example: ['{exif.date:YYYY/MM-DD}', '2024/05-03'],
  },
  'exif.camera': {
    help: 'the model of the camera that took the picture or video',
    from: 'input',
    example: ['{exif.camera}', 'X100V'],
  },
  title: { help: 'the title of audio or video', from: 'input', example: ['{title}', 'Blue in Green'] },
  artist: {
    help: 'the artist of audio, video or a picture',
    from: 'input',
    example: ['{artist|unknown}', 'Miles Davis'],
  },
  album: { help: 'the album of audio', from: 'input', example: ['{album}', 'Kind of Blue'] },
  width: {
    help: 'the setting width, otherwise the width of the output in pixels',
    from: 'output',
    format: 'zeros',
    example: ['{width}', '800'],
  },
  height: {
    help: 'the setting height, otherwise the height of the output in pixels',
    from: 'output',
    format: 'zeros',
    example: ['{height}', '533'],
  },
  duration: {
    help: 'the setting duration, otherwise the length of video or audio in seconds, rounded',
    from: 'output',
    format: 'zeros',
    example: ['{duration}', '95'],
  },
  hash: {
    help: "the start of the SHA-256 of the output's content, in hexadecimal: 8 digits, or the given number",
    from: 'output',
    format: 'digits',
    example: ['{hash:8}', '3fa9c04e'],
  },
} as const satisfies Record<string, PlaceholderRow>

export type PlaceholderName = keyof typeof PLACEHOLDERS

export const isPlaceholder = (name: string): name is PlaceholderName => Object.hasOwn(PLACEHOLDERS, name)

/** The row of a placeholder; undefined for settings. */
export const placeholderRow = (name: string): PlaceholderRow | undefined =>
  isPlaceholder(name) ? PLACEHOLDERS[name] : undefined
