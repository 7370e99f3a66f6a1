import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, extname, join } from 'node:path'
import { shippedFontsFolder } from '../../../engines/fonts.ts'
import type { Font, Mupdf } from '../../../engines/mupdf.ts'

/** Scripts not covered by the library's own fonts (Nimbus Sans, Droid Sans Fallback), by Unicode name. */
const SCRIPTS = [
  'Arabic',
  'Hebrew',
  'Devanagari',
  'Bengali',
  'Gujarati',
  'Gurmukhi',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Thai',
  'Lao',
  'Khmer',
  'Myanmar',
  'Georgian',
  'Armenian',
  'Ethiopic',
  'Tibetan',
] as const

/** Subsets of Noto Sans with letters of covered scripts that are missing from the library's fonts. */
const RARE_LETTERS = ['vietnamese', 'latin-ext', 'greek-ext', 'cyrillic-ext']

/** Fonts that cover many scripts, used when no dedicated font exists; in lower case, best first. */
const GENERAL_FONTS = [
  'dejavusans.ttf',
  'notosans-regular.ttf',
  'freesans.otf',
  'freesans.ttf',
  'arial unicode.ttf',
  'arialuni.ttf',
  'nirmala.ttf',
  'nirmala.ttc',
  'leelawui.ttf',
  'segoeui.ttf',
  'seguisym.ttf',
  'notosanssymbols-regular.ttf',
  'notosanssymbols2-regular.ttf',
  'notosansmath-regular.ttf',
  'notoemoji-regular.ttf',
  'symbola.ttf',
]

const FONT_FOLDERS: Record<string, string[]> = {
  linux: [
    '/usr/share/fonts',
    '/usr/local/share/fonts',
    join(homedir(), '.local/share/fonts'),
    join(homedir(), '.fonts'),
  ],
  darwin: ['/Library/Fonts', '/System/Library/Fonts', join(homedir(), 'Library/Fonts')],
  win32: ['C:\\Windows\\Fonts'],
}
const MAX_FOLDER_DEPTH = 6
const MAX_FONT_FILES = 20_000

const loaded = new Map<string, Font | undefined>()
let installed: Map<string, string> | undefined

/**
 * Fonts that together may have glyphs for `text`, in order of preference: the library's sans serif (Latin, Greek,
 * Cyrillic), its fallback (Chinese, Japanese, Korean, symbols), then for other scripts the bundled Noto Sans and fonts
 * installed on this machine.
 */
export function* fontsFor(mupdf: Mupdf, text: string): Generator<Font> {
  yield* existing(load('Helvetica', () => new mupdf.Font('Helvetica')))
  yield* existing(load('fallback', () => new mupdf.Font('zh-Hans')))
  const scripts = SCRIPTS.filter((script) => new RegExp(`\\p{Script=${script}}`, 'u').test(text))
  for (const path of shippedFonts([...scripts.map((script) => script.toLowerCase()), ...RARE_LETTERS])) {
    yield* existing(loadFile(mupdf, path))
  }
  const files = installedFonts()
  const named = scripts.flatMap((script) => {
    const name = script.toLowerCase()
    return [
      `notosans${name}-regular.ttf`,
      `notosans${name}-regular.otf`,
      `notonaskh${name}-regular.ttf`,
      `lohit-${name}.ttf`,
    ]
  })
  for (const name of [...named, ...GENERAL_FONTS]) {
    const path = files.get(name)
    if (path) yield* existing(loadFile(mupdf, path))
  }
}

function existing(font: Font | undefined): Font[] {
  return font ? [font] : []
}

function load(key: string, open: () => Font): Font | undefined {
  if (!loaded.has(key)) {
    try {
      loaded.set(key, open())
    } catch {
      // An unreadable font is treated as missing; the next one is tried.
      loaded.set(key, undefined)
    }
  }
  return loaded.get(key)
}

function loadFile(mupdf: Mupdf, path: string): Font | undefined {
  // The name is written to the file: a path would reveal where the program is installed.
  return load(path, () => new mupdf.Font(basename(path, extname(path)), readFileSync(path)))
}

/** Bundled font files that contain these subsets of Noto Sans. */
function shippedFonts(subsets: string[]): string[] {
  const folder = shippedFontsFolder()
  return subsets
    .flatMap((subset) =>
      [`noto-sans-${subset}`, 'noto-sans'].map((name) => join(folder, `${name}-${subset}-400-normal.ttf`)),
    )
    .filter((path) => existsSync(path))
}

/** Font files installed on this machine, by lower-case name. */
function installedFonts(): Map<string, string> {
  if (installed) return installed
  const files = new Map<string, string>()
  const waiting = (FONT_FOLDERS[process.platform] ?? FONT_FOLDERS.linux!).map((folder) => ({ folder, depth: 0 }))
  while (waiting.length > 0 && files.size < MAX_FONT_FILES) {
    const { folder, depth } = waiting.pop()!
    for (const entry of entriesOfFolder(folder)) {
      if (entry.isDirectory() && depth < MAX_FOLDER_DEPTH)
        waiting.push({ folder: join(folder, entry.name), depth: depth + 1 })
      else if (/\.(ttf|otf|ttc)$/i.test(entry.name)) files.set(entry.name.toLowerCase(), join(folder, entry.name))
    }
  }
  installed = files
  return files
}

function entriesOfFolder(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
